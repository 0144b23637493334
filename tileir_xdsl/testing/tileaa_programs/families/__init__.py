"""What programs are made of, a family of ops a module."""
