"""Index spaces of tiles, and the maps between them, as plain data."""
