"""Whether the kernels of a package run on these GPUs."""
