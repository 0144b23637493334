"""What the benchmarks share: timing in turns, results as text and JSON, figures of machine code."""
