"""The scripted player of an adventure: what it does, and how it finds its way."""
