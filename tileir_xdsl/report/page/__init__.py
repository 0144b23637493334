"""The page of a report: one self-contained HTML file."""
