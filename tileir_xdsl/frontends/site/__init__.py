"""A folder for PYTHONPATH: its `sitecustomize` module serves launches in a script's processes."""
