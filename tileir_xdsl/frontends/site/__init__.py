"""A folder for PYTHONPATH: its `sitecustomize` serves launches in processes of a script."""
