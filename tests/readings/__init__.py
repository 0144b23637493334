"""Readings: where the text of an op leaves room, what this compiler does, and what `tileiras` does.

`python -m tests.readings --keep` asks `tileiras` again; `docs/open_readings.md` is made of what it stored.
"""
