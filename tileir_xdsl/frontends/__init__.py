"""Front ends: languages whose kernels are written in Python, below one interface for all commands.

`interface` declares the members of a front end, and `serving` puts a handler in place of its
launches. `scripts` runs users' files, and `recording` stops at the launch that a command asks for.
cuTile is the first front end (`tileir_xdsl.cutile.frontend`).
"""
