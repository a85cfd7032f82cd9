"""What an install command means: pip, uv, Poetry, PDM and conda."""
