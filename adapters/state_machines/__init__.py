"""How are the state machines of other libraries recorded?"""
