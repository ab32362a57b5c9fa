"""What do the benchmarks share: timing, data to record, the table of results?"""
