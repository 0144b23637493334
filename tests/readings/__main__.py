"""Asks `tileiras` about its readings: `python -m tests.readings --keep`; without, it compares.

All forms take some minutes; `--op` chooses ops.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tests.readings.answers import asked, kept, of_kernels, store, theirs
from tests.readings.written import written


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints what differs from what is stored; 1 if anything does."""
    parser = argparse.ArgumentParser(prog="python -m tests.readings", description=__doc__)
    parser.add_argument("--op", action="append", default=[], metavar="OP")
    parser.add_argument("--keep", action="store_true", help="write what the page is made of")
    options = parser.parse_args(arguments)
    forms = [form for form in asked() if not options.op or form.operation in options.op]
    kernels = [each for each in written() if not options.op or each.operation in options.op]
    found = {**theirs(forms), **of_kernels(kernels)}
    if options.keep:
        store({**(kept() if options.op else {}), **found})
        return 0
    stored = kept()
    keys = [each.key for each in (*forms, *kernels)]
    differ = [key for key in keys if found.get(key) != stored.get(key)]
    for key in differ:
        print(f"{key}: {found.get(key)}, stored: {stored.get(key)}")
    print(f"{len(keys)} forms and kernels, {len(differ)} differ from what is stored")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
