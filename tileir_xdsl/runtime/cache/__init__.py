"""Results of earlier compilations, kept on disk.

`store` stores bytes under keys, independent of programs; `keys` computes the key of a result;
`entries` defines the stored data of a compilation. The modules of the cache do not import xDSL, so
that the command line finds a result without loading the compiler.

`TILEIR_CACHE=0` turns the cache off, `TILEIR_CACHE_DIR` sets its folder, by default in the user's
folder for caches, and `TILEIR_CACHE_LIMIT` bounds it, in MiB. If a file cannot be read or written,
is damaged or belongs to another user, the program is compiled without the cache.
"""
