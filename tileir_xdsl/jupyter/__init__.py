"""Magics of notebooks: `%load_ext tileir_xdsl`. Nothing here is imported elsewhere, nor is IPython.

    %%tileir            IR of any level in a cell: parsed, verified, shown in colours
    %%pass              a pattern or pass in a cell, run on a module: the lines that it changes
    %%filecheck         the lines of a cell against the last module, or a named one
    %explain            the report of a kernel or module

IPython hands its shell to `extension.load`, which asks it for nothing but documented methods.
"""
