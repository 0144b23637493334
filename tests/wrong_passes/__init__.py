"""Wrong passes that `tileir check --pass` is measured by: see `__main__.py`."""
