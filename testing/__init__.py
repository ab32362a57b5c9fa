"""The pytest plug-in: records tests, and saves a clip of each failure."""
