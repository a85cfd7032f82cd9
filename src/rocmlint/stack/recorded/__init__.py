"""The stack written down before an install, and what contradicts it afterwards."""
