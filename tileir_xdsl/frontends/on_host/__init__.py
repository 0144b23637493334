"""Libraries of arrays whose CUDA device is the memory of the host, in scripts that are served.

A script says `device="cuda"`, makes streams and waits for events. Here one device has all memory of
the host, and its work is complete as soon as it is requested. A module has an `install`, as front
ends have.
"""
