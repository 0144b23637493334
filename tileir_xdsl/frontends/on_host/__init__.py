"""Array libraries whose CUDA device is the host's memory, for scripts that are served.

Scripts say `device="cuda"`, create streams and wait for events. The only device uses the host's
memory, and its work is complete as soon as it is requested. Each module has an `install` function,
as front ends have.
"""
