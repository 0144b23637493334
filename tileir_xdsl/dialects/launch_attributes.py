"""Attributes of a compiled kernel about its launches."""

DYNAMIC_SHARED_ATTRIBUTE = "nv_tileas.dynamic_shared_memory"
"""The bytes of shared memory that a launch must ask for."""

CLUSTER_ATTRIBUTE = "nv_tileaa.cluster_shape"
"""The shape of a cluster of thread blocks (CTAs) that execute a tile block together, such as
`array<i32: 2, 1>`. The first number divides the rows of the dots, the second the columns.
"""

TENSOR_MAPS_ATTRIBUTE = "nv_tileas.tensor_maps"
"""For each of the last parameters, how a launch makes the tensor map that is passed there."""
