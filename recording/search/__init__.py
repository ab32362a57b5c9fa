"""When did something hold? Expressions over recorded fields, watches and states, and their hits."""
