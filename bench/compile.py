"""What compiling costs: each of the tables that are about it, one after the other.

`python -m bench.compile [NAME ..]` prints those of `bench.compile_time`, `bench.tileir_as`,
`bench.start_up` and `bench.scale`; names are kernels of the zoo, for the first two.
"""

import sys
from collections.abc import Sequence

from bench import compile_time, scale, start_up, tileir_as


def main(names: Sequence[str]) -> None:
    """Measures and prints all tables."""
    compile_time.main(names)
    tileir_as.main(names)
    start_up.main([])
    scale.main([])


if __name__ == "__main__":
    main(sys.argv[1:])
