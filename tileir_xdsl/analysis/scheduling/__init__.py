"""Schedules of loop bodies: what an op occupies, what it waits for, and when it starts."""
