"""Facts about the interpreter and its machine: packages, torch, ROCm. No verdicts."""
