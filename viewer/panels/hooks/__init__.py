"""The hooks panel: what is set on decisions and fields, and the calls that set it."""
