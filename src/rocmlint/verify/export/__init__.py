"""Does a model export, and does the program compute what the model computes? Judged from facts."""
