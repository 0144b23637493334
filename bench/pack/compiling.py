"""Kernels of cuTile programs as a pack has them: ours, and those of NVIDIA's compiler."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from typing import Any

from bench.pack.devices import TILE_IR_VERSION
from bench.pack.items import Program, Unit
from tests.unit.bytecode.reference import compile_to_cubin
from tileir_xdsl.bytecode import write
from tileir_xdsl.bytecode.errors import BytecodeError
from tileir_xdsl.dialects.nv_tileas.tensor_maps import TensorMapRecipe
from tileir_xdsl.options import Options
from tileir_xdsl.runtime.arrays import Argument, as_argument
from tileir_xdsl.runtime.binding import LaunchArgument, bind_arguments
from tileir_xdsl.runtime.gpu_launching import DeviceArgument
from tileir_xdsl.runtime.kernels import find_kernel
from tileir_xdsl.runtime.launching import block_shape, dynamic_shared_memory, recipes_of
from tileir_xdsl.runtime.lowering import lower
from tileir_xdsl.runtime.ptxas import assemble
from tileir_xdsl.runtime.reader import new_context, read_text
from tileir_xdsl.runtime.tensor_maps import tensor_map
from tileir_xdsl.targets import ABI
from tileir_xdsl.testing import tools

TILE_BLOCK = (1, 1, 1)
"""The threads that cuTile's launch of a kernel asks for: the driver knows how many."""


def bound(text: str, kernel: str, arguments: Sequence[Any]) -> list[LaunchArgument]:
    """Arguments as a cuTile kernel takes them: an array, its sizes, its strides."""
    found = find_kernel(read_text(new_context(), text, kernel), kernel, kernel)
    return bind_arguments(found, [Argument(None, as_argument(a, kernel)) for a in arguments])


def with_maps(
    recipes: Sequence[TensorMapRecipe], values: Sequence[LaunchArgument]
) -> list[DeviceArgument]:
    """Arguments, and the tensor maps that a compiled kernel takes behind them."""
    return [*values, *(tensor_map(recipe, values) for recipe in recipes)]


def add_ours(
    unit: Unit,
    module: str,
    text: str,
    kernel: str,
    abi: ABI = ABI.NATIVE,
    *,
    dynamic: bool = False,
) -> tuple[Program, tuple[TensorMapRecipe, ...]]:
    """Compiles a program into a module of a unit; how it is launched, and its tensor maps.

    `dynamic` blocks go on with other tiles of the grid.
    """
    if module in unit.made:
        return unit.made[module]
    context, target = new_context(), unit.device.target
    read = read_text(context, text, kernel)
    options = Options(abi=abi.value, dynamic_persistent=dynamic)
    program = lower(context, read, "ptx", gpu=target, file=kernel, options=options)
    assert program.ptx is not None
    unit.ptx[module] = program.ptx
    unit.cubins[module] = assemble(program.ptx, target, "-O3").cubin
    shape = block_shape(program.module, kernel) if abi is ABI.NATIVE else TILE_BLOCK
    shared = dynamic_shared_memory(program.module, kernel)
    found = Program(module, kernel, shape, shared), recipes_of(program.module, kernel)
    unit.made[module] = found
    return found


def add_tileiras(unit: Unit, module: str, text: str, kernel: str) -> Program | None:
    """The same program by NVIDIA's compiler; None, and a note, where it has none."""
    if module in unit.made:
        return unit.made[module]
    unit.made[module] = None
    try:
        bytecode = write(tools.parse(text), TILE_IR_VERSION)
        cubin = compile_to_cubin(bytecode, unit.device.tile_ir)
    except (BytecodeError, subprocess.CalledProcessError) as error:
        said = str(getattr(error, "stderr", "") or error).strip().splitlines() or [str(error)]
        unit.notes.append(f"{kernel}: tileiras: {said[0][:200]}")
        return None
    unit.cubins[module] = cubin
    unit.made[module] = Program(module, kernel, TILE_BLOCK)
    return unit.made[module]
