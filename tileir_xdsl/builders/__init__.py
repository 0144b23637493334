"""Small functions that build ops for scheduling, at the insertion point of a `Builder`."""
