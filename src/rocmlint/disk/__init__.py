"""What lies on disk: read within bounds, remembered for a run, written whole or not at all."""
