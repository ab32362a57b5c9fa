"""Names and texts, made safe to be recorded, logged and shown."""
