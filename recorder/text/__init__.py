"""Names and texts, made fit to be recorded, logged and shown."""
