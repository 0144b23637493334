"""Unit tests: folders mirror those of the package, `tests`, `bench` and `docs`, or ask a question."""
