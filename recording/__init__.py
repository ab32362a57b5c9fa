"""Queries about a recording: objects, histories, decisions, failed checks, tables."""
