"""How a window reads a recording: threads and jobs, and what they bring back."""
