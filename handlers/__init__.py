"""What game objects say of themselves, and how it is put back."""
