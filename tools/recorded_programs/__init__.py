"""Makes the table of docs/programs.md: programs of other people, as they are in their packages."""
