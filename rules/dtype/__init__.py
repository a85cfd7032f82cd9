"""ROC4: global dtype logic, missing casts at boundaries."""
