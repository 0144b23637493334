"""The program of one thread: its values, its builder, and its memory allocations."""
