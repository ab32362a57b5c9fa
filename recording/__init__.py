"""What was recorded, as answers: objects, histories, decisions, failed checks, tables."""
