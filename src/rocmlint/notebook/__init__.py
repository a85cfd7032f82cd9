"""Notebooks: reading the code of their cells, IPython's magics, and writing back."""
