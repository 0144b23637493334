"""The page of a report: one HTML file with everything in it."""
