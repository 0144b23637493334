"""Loading, checking and running PTX text, whatever it says."""

from __future__ import annotations

import io
from random import Random
from typing import Any

import numpy as np

from tileir_xdsl import emulator
from tileir_xdsl.emulator import EmulatorError
from tileir_xdsl.emulator.syntax import Kernel, Parameter
from tileir_xdsl.lint import lint

_ARRAY_BYTES = 1 << 14
_STEP_LIMIT = 20_000
_BLOCKS = (1, 2, 31, 32, 33, 48, 64, 128, 129, 256)


def _argument(parameter: Parameter) -> Any:
    """Something that fits a parameter: an array for an address, a small number otherwise."""
    if parameter.extent is not None:
        return bytes(parameter.size)
    if parameter.type.bits == 64 and parameter.type.kind != "float":
        return np.zeros(_ARRAY_BYTES, np.uint8)
    return 1.0 if parameter.type.kind == "float" else 1


def _launch(module: emulator.Module, kernel: Kernel, random: Random) -> None:
    required = kernel.directives.get("reqntid")
    block = None if required is not None else (random.choice(_BLOCKS),)
    cluster = kernel.directives.get("reqnctapercluster")
    module.launch(
        kernel.name,
        (random.choice([1, 3]), 1, 1) if cluster is None else (*cluster, 1, 1)[:3],
        [_argument(parameter) for parameter in kernel.parameters],
        block=block,
        step_limit=_STEP_LIMIT,
        warp_seed=random.choice([None, random.randrange(100)]),
        late=random.random() < 0.5,
        races=random.random() < 0.7,
        output=io.StringIO(),
    )


def execute(text: str, random: Random) -> list[EmulatorError]:
    """Read, check and run a text; return the errors that the emulator and the checks report.

    Whatever else they raise comes out.
    """
    errors: list[EmulatorError] = []
    try:
        lint(text, {"a": 1})
    except EmulatorError as error:
        errors.append(error)
    try:
        module = emulator.load(text)
    except EmulatorError as error:
        return [*errors, error]
    for kernel in module.kernels.values():
        try:
            _launch(module, kernel, random)
        except EmulatorError as error:
            errors.append(error)
    return errors
