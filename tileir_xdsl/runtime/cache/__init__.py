"""Results of earlier compilations, kept on disk.

`store` keeps bytes under keys and knows nothing of programs; `keys` computes the key of a result;
`entries` defines what is kept of a compilation. None of them imports xDSL, so that the command line
finds a result without starting the compiler.

`TILEIR_CACHE=0` turns the cache off, `TILEIR_CACHE_DIR` puts it elsewhere than where the system
keeps caches of users, `TILEIR_CACHE_LIMIT` bounds it, in MiB. It never fails a compilation. Where a
file cannot be read or written, is cut short or not ours, the program is compiled without it.
"""
