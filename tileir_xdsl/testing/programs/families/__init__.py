"""Emitters, one module per family of operations, as in the dialect."""
