"""ROC8: export: patched classes, cache registration, control flow."""
