"""The panels of the viewer, one folder each: the view and its model."""
