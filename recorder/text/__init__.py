"""How are names and texts made safe to record, log and print?"""
