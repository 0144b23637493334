"""Magics of notebooks: `%load_ext tileir_xdsl`. No other module imports this package or IPython.

    %%tileir            IR of any level in a cell: parsed, verified, shown in colours
    %%pass              a pattern or pass in a cell, run on a module: the lines that it changes
    %%filecheck         the lines of a cell against the last module, or a named one
    %explain            the report of a kernel or module

IPython passes its shell to `extension.load`, which calls only documented methods of the shell.
"""
