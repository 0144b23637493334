"""Whole kernels on the whole road, in one folder for each question; beside it, what several of these share."""
