"""Reduces failures of commands and passes, and writes each of them as one file."""
