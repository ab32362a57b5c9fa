"""The viewer's panels: each draws one model and says what the user did."""
