"""Symptoms as data: templates of messages, conditions on facts, and the TOML files they are in."""
