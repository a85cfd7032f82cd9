"""What the interpreter and its machine have: packages, torch, ROCm. Facts, no verdicts."""
