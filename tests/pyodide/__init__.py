"""The compiler in WebAssembly: Pyodide runs the wheel under Node, with nothing compiled to C.

`python -m tests.pyodide` installs Pyodide by npm and the wheel of this checkout, and compares the
PTX that both Pythons make.
"""
