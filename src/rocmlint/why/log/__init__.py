"""Logs: lines without prefixes, exceptions with their frames and ranks."""
