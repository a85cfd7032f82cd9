"""What is known of published packages: their requirements, their names, torch's ROCm wheels."""
