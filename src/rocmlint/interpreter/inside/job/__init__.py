"""What each process of a job reports of itself."""
