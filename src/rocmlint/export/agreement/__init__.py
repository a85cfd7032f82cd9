"""What runs in a child of ``rocmlint verify export``: the model, its program, the difference.

The child is the user's interpreter. It gets a model and its inputs from
:mod:`rocmlint.interpreter.inside`, so nothing here reads a factory or a folder; it gives facts
that JSON can hold, which :mod:`rocmlint.verify.export` judges.
"""
