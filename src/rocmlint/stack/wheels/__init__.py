"""Where wheels of torch and ROCm are, PyTorch's and AMD's, and the commands that install them."""
