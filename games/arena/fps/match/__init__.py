"""One hall that is played and recorded: its screens, its clock, and the orders of tools."""
