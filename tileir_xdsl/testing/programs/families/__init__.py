"""Emitters of random programs: one module for each group of operations of the dialect."""
