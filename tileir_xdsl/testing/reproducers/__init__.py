"""Failures of commands and of passes, made small and written as one file."""
