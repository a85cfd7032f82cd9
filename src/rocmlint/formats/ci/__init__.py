"""Workflows of CI: steps, matrices, conditions."""
