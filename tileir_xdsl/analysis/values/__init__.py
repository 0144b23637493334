"""What is known of values: divisibility, ranges, what loops carry."""
