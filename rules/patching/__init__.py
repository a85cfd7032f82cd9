"""ROC1: where patched files go, when, and whether anyone checked."""
