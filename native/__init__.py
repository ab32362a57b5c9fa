"""The ring: frames and packets in one block of memory of fixed size."""
