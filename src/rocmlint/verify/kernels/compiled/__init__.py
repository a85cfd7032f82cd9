"""Kernels that were compiled at run time and kept: whose they are, and what is loaded again."""
