"""Runs the zoo and its twins as PTX: `python -m tests.kernels [--gpus sm_80,sm_90a] [NAME ..]`.

Each kernel is compiled for every target that can run it, and run in the emulator with late
asynchronous work and races looked for; its values are compared with numpy's.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence

from tests.unit.road.zoo import gpus_of, lower, run
from tileir_xdsl.targets import ABI
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.instruction_families import FAMILIES, OF_TARGET, families
from tileir_xdsl.testing.kernels import DIVISIBLE, KERNELS, KernelCase


def check(case: KernelCase, gpu: str, abi: ABI, device_tensor_maps: bool | None) -> frozenset[str]:
    """Compiles and runs a kernel; returns the families of instructions that it has.

    Raises AssertionError where it computes something else than numpy, and what the passes or the
    emulator raise.
    """
    module = tools.parse(case.text_path.read_text())
    kernel = lower(module, gpu, abi=abi, device_tensor_maps=device_tensor_maps)
    run(case, kernel, case.typical, case.grid(case.typical), late=True, races=True)
    return families(kernel.ptx)


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints what fails, and which families occurred how often; 1 if something fails."""
    parser = argparse.ArgumentParser(prog="python -m tests.kernels", description=__doc__)
    parser.add_argument("names", nargs="*", help="kernels and their twins, by default all")
    parser.add_argument("--gpus", default=",".join(OF_TARGET), help="targets, between commas")
    abis = [abi.value for abi in ABI]
    parser.add_argument(
        "--abi", choices=abis, default=ABI.NATIVE.value, help="how they are launched"
    )
    parser.add_argument(
        "--device-tensor-maps",
        action=argparse.BooleanOptionalAction,
        help="whether kernels of ABI tile make tensor maps, wherever a load can use one",
    )
    options = parser.parse_args(arguments)
    cases = [
        (table, case)
        for table, kernels in (("zoo", KERNELS), ("divisible", DIVISIBLE))
        for case in kernels.values()
        if not options.names or case.name in options.names
    ]
    failures = 0
    for gpu in options.gpus.split(","):
        found: Counter[str] = Counter()
        ran = 0
        for table, case in cases:
            if gpu not in gpus_of(case):
                continue
            ran += 1
            try:
                found.update(check(case, gpu, ABI(options.abi), options.device_tensor_maps))
            except Exception as error:
                failures += 1
                print(f"{gpu}, {table}, {case.name}: {type(error).__name__}: {error}", flush=True)
        counts = ", ".join(f"{name} in {found[name]}" for name in FAMILIES if found[name])
        print(f"{gpu}: {ran} kernels, {counts or 'nothing asynchronous'}", flush=True)
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
