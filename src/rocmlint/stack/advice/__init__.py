"""Commands that keep the installed build of torch: pins, constraints, installs, a way back."""
