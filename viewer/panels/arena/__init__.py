"""What is put into a running arena, and asked of its agents."""
