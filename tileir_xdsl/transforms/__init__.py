"""The passes, one a file, each named as on the command line; a conversion is a folder."""
