"""Adapters for engines that spread a table over machines: each sees whole repositories."""
