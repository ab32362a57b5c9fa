"""What was recorded: objects, histories, decisions, failed checks, tables?"""
