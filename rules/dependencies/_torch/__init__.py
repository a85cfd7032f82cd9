"""Functions of torch and torchvision that are deprecated or removed, and what took their place."""
