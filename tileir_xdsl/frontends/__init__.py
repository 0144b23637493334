"""Languages whose kernels are written in Python: one interface above which commands are written.

`interface` declares the members of a front end, and `serving` replaces its launches. `scripts` runs
the files of users, and `recording` stops at the launch that a command is about. cuTile is the first
front end (`tileir_xdsl.cutile.frontend`).
"""
