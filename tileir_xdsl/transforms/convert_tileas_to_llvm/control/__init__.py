"""Functions, structured control flow, agents and asynchronous values."""
