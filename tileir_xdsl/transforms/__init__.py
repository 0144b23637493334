"""The passes, one a file, each named as on the command line; a conversion is a folder.

Whoever loads a pass also gets the canonicalization patterns of the dialect that passes produce.
"""

from .canonicalization_patterns.nv_tileaa import attach_patterns

attach_patterns()
