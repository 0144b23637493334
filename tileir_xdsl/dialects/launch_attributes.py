"""Attributes of a compiled kernel about its launches."""

DYNAMIC_SHARED_ATTRIBUTE = "nv_tileas.dynamic_shared_memory"
"""The bytes of shared memory that a launch must ask for."""

CLUSTER_ATTRIBUTE = "nv_tileaa.cluster_shape"
"""The thread blocks (CTAs) of a cluster that execute a tile block together: `array<i32: 2, 1>`. The
first divide the rows of its dots, the second the columns."""

TENSOR_MAPS_ATTRIBUTE = "nv_tileas.tensor_maps"
"""How a launch makes the tensor maps that the last parameters are, one for each."""
