"""How does a window read a recording without waiting for it: threads, jobs, caches?"""
