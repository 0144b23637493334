"""Tests of `tests.readings` and of the page that is made of it."""
