"""Parts of programs, a family of ops a module."""
