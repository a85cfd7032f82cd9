"""What to type so that torch stays the build it is: pins, constraints, commands, a way back."""
