"""Which state an agent is in, by which transition, and why that one."""
