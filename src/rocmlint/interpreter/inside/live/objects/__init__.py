"""The objects of a process, matched with what their sources define."""
