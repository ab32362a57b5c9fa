"""How a guard of the yard decides: its state machine, its behaviour tree, what it throws."""
