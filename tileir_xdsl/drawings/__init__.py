"""Drawings of layouts, memory, schedules and resources: SVG text from plain data."""
