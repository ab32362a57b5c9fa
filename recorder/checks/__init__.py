"""What does a failed check record, and what is reported of it?"""
