"""Languages whose kernels are written in Python: one interface above which commands are written.

`interface` says what a front end provides, `serving` puts itself in place of its launches,
`scripts` runs the files of users, and `recording` stops at the launch that a command is about.
cuTile is the first of them (`tileir_xdsl.cutile.frontend`).
"""
