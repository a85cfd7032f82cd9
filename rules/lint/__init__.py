"""ROC9: about the linting itself."""
