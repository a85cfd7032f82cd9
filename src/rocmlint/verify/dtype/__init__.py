"""Whether a model keeps to one dtype: judged from a trace."""
