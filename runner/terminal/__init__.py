"""What commands print, and how they end when they are told to."""
