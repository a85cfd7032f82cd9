"""Whether a model keeps to one dtype: traced while it is built and runs."""
