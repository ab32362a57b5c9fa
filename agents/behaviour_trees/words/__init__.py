"""Agents called for, and workspaces made, by what somebody writes in plain words."""
