"""Asynchronous MMAs: which are in flight, and which accumulate in tensor memory."""
