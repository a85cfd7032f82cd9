"""The parts of a plan for another ROCm or torch: changes, pins of the project, commands."""
