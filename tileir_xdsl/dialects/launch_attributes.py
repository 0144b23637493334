"""What a compiled kernel says about its launches, as attributes of its function."""

DYNAMIC_SHARED_ATTRIBUTE = "nv_tileas.dynamic_shared_memory"
"""The bytes of shared memory that a launch must ask for."""
