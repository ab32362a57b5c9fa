"""The selected object's velocity, and the desired one."""
