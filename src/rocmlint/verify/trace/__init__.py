"""Whose kernels ran: traces and probes, and the index of installed kernels that names them."""
