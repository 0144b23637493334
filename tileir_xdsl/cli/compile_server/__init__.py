"""A process that has the compiler loaded, and compiles for commands that ask it.

`client` is the entry of the commands: it forwards a whole command to the server process, if one
runs, and imports nothing of the compiler. `process` is the server: it forks for every command, so
that no command sees the state of another. `address` says where it listens, `messages` what is sent.
"""

import os

HAS_PROCESSES = hasattr(os, "fork") and hasattr(os, "getuid")
"""Whether a process forks here and has a user: not on Windows, nor in WebAssembly."""

INTERRUPTED = 130
"""The exit status after Ctrl-C: 128 and the number of the signal, as `tileir` has it."""
