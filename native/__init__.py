"""The ring: frames and packets in one block of fixed size."""
