"""Qt, painting, colours and texts: what all panels are made with."""
