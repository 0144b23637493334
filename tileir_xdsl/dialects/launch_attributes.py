"""What a compiled kernel says about its launches, as attributes of its function."""

DYNAMIC_SHARED_ATTRIBUTE = "nv_tileas.dynamic_shared_memory"
"""The bytes of shared memory that a launch must ask for."""

TENSOR_MAPS_ATTRIBUTE = "nv_tileas.tensor_maps"
"""How a launch makes the tensor maps that the last parameters are, one for each."""
