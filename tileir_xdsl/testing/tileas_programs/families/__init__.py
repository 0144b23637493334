"""Rows that add ops to random programs: one module for each group of ops."""
