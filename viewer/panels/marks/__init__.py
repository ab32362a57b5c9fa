"""Which instants have a name? The marks, by hand or recorded."""
