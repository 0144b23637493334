"""Loads a module and launches its kernels with numpy arguments."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
from typing import Unpack

import numpy as np

from tileir_xdsl.emulator.arguments import Argument, HostArrays, pack_parameters
from tileir_xdsl.emulator.compile import CompiledKernel
from tileir_xdsl.emulator.errors import EmulatorError
from tileir_xdsl.emulator.instructions.table import FORM_TABLE
from tileir_xdsl.emulator.kernel_names import KernelNames
from tileir_xdsl.emulator.launch_shape import BlockNeeds, LaunchShape, check_variables
from tileir_xdsl.emulator.machine import (
    DEFAULT_STEP_LIMIT,
    LaunchStatistics,
    Machine,
    MachineOptions,
    PreparedLaunch,
    enough_memory,
)
from tileir_xdsl.emulator.parser import parse_module
from tileir_xdsl.emulator.program import build_program
from tileir_xdsl.emulator.register_use import live_registers
from tileir_xdsl.emulator.state_spaces import MALLOC_BYTES, Heap, place
from tileir_xdsl.emulator.syntax import Kernel, ModuleSyntax, Parameter
from tileir_xdsl.emulator.tensor_maps import TensorMap
from tileir_xdsl.emulator.types import Array
from tileir_xdsl.emulator.watch import Watch


@dataclass(frozen=True)
class Result:
    """The result of a kernel.

    `arrays` has the array arguments, including those of tensor maps, in their order; the kernel has
    changed them in place. `printed` is the kernel's output.
    """

    arrays: tuple[Array, ...]
    printed: str
    statistics: LaunchStatistics


def run(
    ptx: str,
    grid: int | Sequence[int],
    block: int | Sequence[int] | None,
    args: Sequence[Argument],
    *,
    kernel: str | None = None,
    cluster: Sequence[int] | None = None,
    dynamic_shared: int = 0,
    time_limit: float | None = None,
    step_limit: int = DEFAULT_STEP_LIMIT,
    resident_blocks: int | None = None,
    races: bool = False,
    late: bool = False,
    warp_seed: int | None = None,
) -> Result:
    """Run a kernel of a PTX text once, without a GPU.

    `grid` and `block` count blocks and threads along x, y and z; one number means x; `block=None`
    uses `.reqntid`. `args` has one argument for each parameter of the kernel. An argument is a
    number of the parameter's type, `bytes` for a struct or an array, a `TensorMap`, or a numpy
    array. An array may have any layout; the kernel gets its address, and changes are written back.
    `kernel` may be left out where the text has only one. `cluster` is the shape of a cluster in
    blocks, by default that of the kernel, and `dynamic_shared` the number of bytes of `extern`
    shared memory.

    At most `resident_blocks` run at once; the default is a number that runs fast, higher if blocks
    may wait for each other. `time_limit` limits the seconds, `step_limit` the instructions, counted
    once for all threads that execute them together. Three options help to find bugs. `races`
    reports unordered accesses to memory. `late` delays asynchronous work as long as the kernel
    allows. `warp_seed` runs every warp alone, in a random order.

    Raises only `EmulatorError`: for an invalid text, features that the emulator does not support,
    and arguments that do not fit. It is also raised for a fault of a thread, a deadlock, a race and
    an exceeded limit. The error names the line of the text, the instruction and the thread.
    """
    printed = StringIO()
    statistics = Module(ptx).launch(
        kernel,
        _extents(grid),
        args,
        block=None if block is None else _extents(block),
        cluster=cluster,
        dynamic_shared=dynamic_shared,
        step_limit=step_limit,
        resident_blocks=resident_blocks,
        races=races,
        late=late,
        warp_seed=warp_seed,
        output=printed,
        watch=None if time_limit is None else Watch(time_limit),
    )
    found = [arg.array if isinstance(arg, TensorMap) else arg for arg in args]
    arrays = tuple(each for each in found if isinstance(each, np.ndarray))
    return Result(arrays, printed.getvalue(), statistics)


def _extents(extents: int | Sequence[int]) -> Sequence[int]:
    return (extents,) if isinstance(extents, int) else extents


@dataclass(frozen=True)
class Launch:
    """A launch of a kernel of a module, with the arguments of `Module.launch`."""

    kernel: str | None
    grid: Sequence[int]
    args: Sequence[Argument]
    block: Sequence[int] | None = None
    cluster: Sequence[int] | None = None
    dynamic_shared: int = 0
    names: Sequence[str | None] = ()

    @property
    def shape(self) -> LaunchShape:
        return LaunchShape(self.grid, self.block, self.cluster, self.dynamic_shared)


def _argument_name(launch: Launch, index: int, parameter: Parameter) -> str:
    name = launch.names[index] if index < len(launch.names) else None
    return f"argument {index} ('{parameter.name}')" if name is None else f"argument {name}"


class Module:
    """A loaded PTX module. Its variables have their initial values at the start of each launch."""

    def __init__(self, text: str) -> None:
        self.syntax: ModuleSyntax = parse_module(text)
        self._variable_sizes = {
            name: variable.size
            for name, variable in self.syntax.variables.items()
            if variable.space in ("global", "const")
        }
        for kernel in self.syntax.kernels.values():
            check_variables(kernel)
        # Arguments are placed after the variables, so these addresses hold in every launch.
        addresses = {a.name: a.address for a in place(self._variable_sizes)}
        self._compiled = {
            name: CompiledKernel(KernelNames(kernel, addresses), build_program(kernel, FORM_TABLE))
            for name, kernel in self.syntax.kernels.items()
        }

    def check(self) -> None:
        """Checks the operands of all instructions, even those that no thread reaches.

        A launch checks only instructions that threads reach.

        Raises `EmulatorError` for operands that do not fit their instructions.
        """
        for compiled in self._compiled.values():
            compiled.check()

    @property
    def kernels(self) -> Mapping[str, Kernel]:
        return self.syntax.kernels

    def kernel(self, name: str | None) -> Kernel:
        """Finds a kernel by name or, without a name, the only kernel.

        Raises `EmulatorError` if there is no such kernel, or several without a name.
        """
        if name is None:
            if len(self.kernels) != 1:
                known = ", ".join(self.kernels) or "none"
                raise EmulatorError(
                    "expected a kernel name: the module does not have exactly one kernel, but: "
                    f"{known}"
                )
            return next(iter(self.kernels.values()))
        found = self.kernels.get(name)
        if found is None:
            known = ", ".join(self.kernels) or "none"
            raise EmulatorError(f"the module has no kernel '{name}'; its kernels: {known}")
        return found

    def needs_of_waiting(
        self,
        kernel: str | None,
        *,
        block: Sequence[int] | None = None,
        dynamic_shared: int = 0,
    ) -> BlockNeeds | None:
        """Resources of a block, if blocks of the kernel may wait for each other; otherwise None.

        These resources determine how many blocks a GPU runs at once. Raises `EmulatorError` as
        `launch`.
        """
        chosen = self.kernel(kernel)
        compiled = self._compiled[chosen.name]
        if not compiled.waits:
            return None
        smallest = chosen.directives.get("reqnctapercluster", (1,))
        shape = LaunchShape(smallest, block, None, dynamic_shared)
        given = chosen.directives.get("maxnreg")
        registers = live_registers(chosen, compiled.blocks) if given is None else given[0]
        geometry = shape.geometry(chosen)
        return BlockNeeds(geometry.threads, registers, geometry.total_shared)

    def launch(
        self,
        kernel: str | None,
        grid: Sequence[int],
        args: Sequence[Argument],
        *,
        block: Sequence[int] | None = None,
        cluster: Sequence[int] | None = None,
        dynamic_shared: int = 0,
        self_contained: bool = False,
        names: Sequence[str | None] = (),
        **machine: Unpack[MachineOptions],
    ) -> LaunchStatistics:
        """Runs a kernel on a grid of blocks.

        For a numpy array, the kernel gets the address of a device copy. The copy is written back at
        the end of the kernel, even after a fault; so is the array of a tensor map. Overlapping
        arrays share one copy. A scalar is converted to its parameter's type, and `bytes` fill an
        array parameter. `block` defaults to `.reqntid`, and `cluster`, the shape of a cluster in
        blocks, to `.reqnctapercluster`. With `.blocksareclusters` the grid counts clusters. A grid
        with an extent of zero runs nothing. A `self_contained` launch is like a launch by cuTile.
        Such a launch provides a grid of tile blocks and the arguments, but no block shape and no
        dynamic shared memory. Diagnostics call the arguments by `names`, instead of by the
        parameters' names. The fields of `Machine` control the run: `resident_blocks`, `step_limit`,
        `warp_seed`, `choices`, `late`, `races`, `weak`, `output` and `watch`.

        Raises `EmulatorError` for arguments that do not fit the parameters and for every fault.
        """
        chosen = self.kernel(kernel)
        launch = Launch(chosen.name, grid, args, block, cluster, dynamic_shared, names)
        if self_contained:
            launch.shape.check_self_contained(chosen)
        runs = Machine(**machine)
        with self._prepared(launch) as (heap, (prepared,)):
            return runs.run(heap, prepared)

    def launch_pair(
        self, first: Launch, second: Launch, **machine: Unpack[MachineOptions]
    ) -> tuple[LaunchStatistics, LaunchStatistics]:
        """Runs a kernel, and after it a second one as its dependent launch.

        The second kernel may start before the first one ends (PTX ISA, "griddepcontrol"), and sees
        the first one's work after `griddepcontrol.wait`. The emulator runs the second kernel's code
        before the wait first, and then the first kernel. With `races`, conflicting accesses of the
        two kernels without a wait in between are reported. A thread of the second kernel that polls
        a value from the first, without `griddepcontrol.wait`, waits for ever.

        Raises `EmulatorError` as `launch` does.
        """
        runs = Machine(**machine)
        with self._prepared(first, second) as (heap, (earlier, later)):
            return runs.run_pair(heap, earlier, later)

    @contextmanager
    def _prepared(self, *launches: Launch) -> Generator[tuple[Heap, Sequence[PreparedLaunch]]]:
        """Global memory with the arrays of launches, which are written back at the end."""
        kernels = [self.kernel(launch.kernel) for launch in launches]
        shapes = [
            launch.shape.geometry(kernel) for launch, kernel in zip(launches, kernels, strict=True)
        ]
        for launch, kernel in zip(launches, kernels, strict=True):
            if len(launch.args) != len(kernel.parameters):
                raise EmulatorError(
                    f"kernel '{kernel.name}' takes {len(kernel.parameters)} arguments, "
                    f"not {len(launch.args)}"
                )
        parameters = [parameter for kernel in kernels for parameter in kernel.parameters]
        names = [
            _argument_name(launch, index, parameter)
            for launch, kernel in zip(launches, kernels, strict=True)
            for index, parameter in enumerate(kernel.parameters)
        ]
        args = [arg for launch in launches for arg in launch.args]
        arrays = HostArrays.collect(parameters, args, names)
        heap = self._heap(kernels, arrays)
        arrays.copy_in(heap)
        prepared: list[PreparedLaunch] = []
        first = 0
        for launch, kernel, geometry in zip(launches, kernels, shapes, strict=True):
            packed = pack_parameters(kernel, launch.args, arrays, heap, names, first)
            prepared.append(PreparedLaunch(self._compiled[kernel.name], geometry, packed))
            first += len(launch.args)
        try:
            yield heap, prepared
        finally:
            arrays.copy_out(heap)

    def _heap(self, kernels: Sequence[Kernel], arrays: HostArrays) -> Heap:
        """Global memory with the module's variables and space for arrays."""
        malloced = MALLOC_BYTES if any("malloc" in k.called for k in kernels) else 0
        allocations = place({**self._variable_sizes, **arrays.sizes})
        with enough_memory():
            heap = Heap(allocations, malloced)
        self._initialise(heap)
        return heap

    def _initialise(self, heap: Heap) -> None:
        for name in self._variable_sizes:
            variable = self.syntax.variables[name]
            data = bytearray(variable.initial)
            for part in variable.addresses:
                if part.symbol not in self._variable_sizes:
                    raise EmulatorError(
                        f"'{part.symbol}' in the initialiser of '{name}' is not a global variable",
                        line=variable.line,
                    )
                address = (heap.by_name[part.symbol].address + part.added) % 2**64
                octets = address.to_bytes(8, "little")[part.first : part.first + part.size]
                data[part.position : part.position + part.size] = octets
            heap.write(heap.by_name[name], bytes(data))
