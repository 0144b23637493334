"""Tests of the `tileir` command."""
