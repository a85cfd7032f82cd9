"""ROC2: pins, installs and names that break or replace the ROCm stack."""
