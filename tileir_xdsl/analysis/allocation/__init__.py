"""Where buffers are in shared and tensor memory: lifetimes, scratch memory, requests, plans."""
