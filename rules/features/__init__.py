"""ROC3: fast paths switched off, hidden or assumed; CUDA-only assumptions."""
