"""Kernels through cuTile's own export, compiled by `tileir-as`: `python -m tests.kernels.export`.

What it keeps of each, its PTX, runs in the emulator by the rules of cuTile's launcher, and is
compared with numpy.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import sys
from collections.abc import Sequence
from pathlib import Path

from cuda.tile._cext import default_tile_context
from cuda.tile.compilation import export_kernel

from tests.unit.road.zoo import gpus_of
from tileir_xdsl import cutile, emulator
from tileir_xdsl.runtime.arrays import Argument, as_argument
from tileir_xdsl.runtime.binding import bind_arguments
from tileir_xdsl.runtime.kernels import find_kernel
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import DIVISIBLE, KERNELS
from tileir_xdsl.testing.kernels.case import KernelCase

GPUS = ("sm_90", "sm_100", "sm_120")
"""As cuTile names them."""


def exported(case: KernelCase, gpu: str) -> bytes:
    """The cubin of a kernel, by cuTile's export with the compiler that it uses."""
    file = io.BytesIO()
    # A cubin of another run, from cuTile's cache, would have lost its PTX.
    default_tile_context.config.cache_dir = None
    signature = [case.signature()]
    export_kernel(case.kernel, signature, file, gpu_code=gpu, output_format="cubin")
    return file.getvalue()


def kept_ptx(cubin: bytes) -> str:
    """The PTX that the hash of a cubin leads to."""
    folder = Path(default_tile_context.config.temp_dir)
    return (folder / f"{hashlib.sha256(cubin).hexdigest()[:16]}.ptx").read_text()


def check(case: KernelCase, gpu: str) -> None:
    """Exports a kernel and runs it. Raises what cuTile and the emulator do, and AssertionError."""
    ptx = kept_ptx(exported(case, gpu))
    assert f".target {gpu}a" in ptx
    arguments = case.make_arguments(case.typical)
    expected = case.expected(arguments)
    kernel = find_kernel(tools.parse(case.text_path.read_text()), case.name, case.name)
    given = [Argument(None, as_argument(a, case.name)) for a in arguments]
    emulator.load(ptx).launch(
        case.name,
        case.grid(case.typical),
        bind_arguments(kernel, given),
        late=True,
        self_contained=True,
        output=io.StringIO(),
    )
    case.check(arguments, expected)


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints what fails; 1 if something does."""
    parser = argparse.ArgumentParser(prog="python -m tests.kernels.export", description=__doc__)
    parser.add_argument("names", nargs="*", help="kernels and their twins, by default all")
    parser.add_argument("--gpus", default=",".join(GPUS), help="targets, between commas")
    options = parser.parse_args(arguments)
    cases = [
        case
        for kernels in (KERNELS, DIVISIBLE)
        for case in kernels.values()
        if not options.names or case.name in options.names
    ]
    failures = 0
    with cutile.use(in_process=True):
        for gpu in options.gpus.split(","):
            able = [case for case in cases if f"{gpu}a" in gpus_of(case)]
            for case in able:
                try:
                    check(case, gpu)
                except Exception as error:
                    failures += 1
                    print(f"{gpu}, {case.name}: {type(error).__name__}: {error}", flush=True)
            print(f"{gpu}: {len(able)} kernels", flush=True)
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
