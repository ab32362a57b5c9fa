"""Keeps a processor busy and does no harm otherwise."""

print("going")
while True:
    sum(range(1000))
