"""The states of the playthrough agent, one file each."""
