"""Syntax that several formats share: YAML, TOML, INI, JSON with comments, and places in them."""
