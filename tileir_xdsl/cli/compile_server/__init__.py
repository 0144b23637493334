"""A process that has the compiler loaded, and executes commands for clients.

`client` is the entry point of commands: it forwards them to a running server, without importing the
compiler. `process` is the server: it forks for every command, so that commands do not share state.
`address` has the path of the server's socket, `messages` the protocol.
"""

import os

HAS_PROCESSES = hasattr(os, "fork") and hasattr(os, "getuid")
"""Whether this system can fork and has users: not Windows or WebAssembly."""

INTERRUPTED = 130
"""The exit status after Ctrl-C, as of `tileir`: 128 plus the number of the signal."""
