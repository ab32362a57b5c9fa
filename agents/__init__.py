"""Who plays games by itself, and what it learns from people."""
