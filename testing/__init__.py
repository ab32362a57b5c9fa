"""playhead in tests: a plug-in for pytest that keeps what led to a failure."""
