"""When does an expression hold? The hits of find in time."""
