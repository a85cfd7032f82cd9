"""Facts about the machine: GPUs, driver, system, libraries."""
