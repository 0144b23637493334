"""Facts about values: divisibility, ranges, values carried by loops."""
