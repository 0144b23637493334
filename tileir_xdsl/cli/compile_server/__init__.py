"""A process that has the compiler loaded, and compiles for commands that ask it.

`client` is where the commands begin: it hands the whole command to the process if there is one, and
imports nothing of the compiler. `process` is that process: it forks for every command, so that
none sees what another did. `address` says where it listens, `messages` what is sent.
"""

import os

HAS_PROCESSES = hasattr(os, "fork") and hasattr(os, "getuid")
"""Whether a process forks here and has a user: not on Windows, nor in WebAssembly."""

INTERRUPTED = 130
"""The exit status after Ctrl-C: 128 and the number of the signal, as `tileir` has it."""
