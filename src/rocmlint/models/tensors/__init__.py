"""Which expressions of a Python file hold tensors, told from its text alone."""
