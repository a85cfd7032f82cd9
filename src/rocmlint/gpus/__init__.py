"""One answer to "which GPUs?": ROCm's programs, device lists, targets."""
