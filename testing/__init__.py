"""The pytest plug-in: recordings of failed tests."""
