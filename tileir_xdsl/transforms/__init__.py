"""The passes: one file each, named as on the command line; each conversion is a folder.

Loading a pass also attaches the canonicalization patterns of the dialects that passes work on.
"""

from .canonicalization_patterns import cuda_tile, nv_tileaa

cuda_tile.attach_patterns()
nv_tileaa.attach_patterns()
