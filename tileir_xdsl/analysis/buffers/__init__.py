"""Buffers: where they come from, how long they live, who shares them."""
