"""The result of compiling a program: text or machine code, and the facts that launches need."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Operation

from tileir_xdsl.dialects.launch_attributes import DYNAMIC_SHARED_ATTRIBUTE
from tileir_xdsl.dialects.nv_tileas.tensor_maps import TensorMapRecipe, tensor_map_recipes
from tileir_xdsl.options import Options
from tileir_xdsl.runtime.diagnostics import errors_in
from tileir_xdsl.runtime.errors import CompileError, Remark
from tileir_xdsl.runtime.files import write_file
from tileir_xdsl.runtime.kernels import Parameter, kernels
from tileir_xdsl.runtime.ptxas import (
    Assembly,
    AssemblyError,
    KernelResources,
    ToolNotFoundError,
    assemble,
)
from tileir_xdsl.targets.symbols import ptx_name

Extent = tuple[int, int, int]

SHOWN_LINES = 40
"""The number of lines of a text that a notebook shows."""


@dataclass(frozen=True)
class CompiledKernel:
    """A kernel and the facts for its launch; a fact that no pass has decided yet is None."""

    name: str
    parameters: tuple[Parameter, ...]
    """The parameters for the caller's arguments: numbers, and pointers to arrays."""
    location: str
    """The location `FILE:LINE:COL` of the kernel, or only the file."""
    block: Extent | None = None
    """The number of threads of a thread block in each dimension."""
    cluster: Extent = (1, 1, 1)
    """The number of thread blocks of a cluster per dimension; a launch's grid counts clusters."""
    dynamic_shared: int = 0
    """The bytes of dynamic shared memory of each thread block."""
    tensor_maps: tuple[TensorMapRecipe, ...] = ()
    """Recipes for the tensor maps that a launch passes after the parameters."""

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.parameters))})"

    @property
    def symbol(self) -> str:
        """The kernel's name in PTX, escaped if PTX forbids the name in Tile IR."""
        return ptx_name(self.name)

    @property
    def summary(self) -> str:
        """The parameters and launch facts of the kernel, in one line."""
        parts = [str(self)]
        if self.symbol != self.name:
            parts.append(f"'{self.symbol}' in PTX")
        if self.block is not None:
            parts.append(f"{self.block[0]} threads")
        if self.cluster != (1, 1, 1):
            parts.append(f"clusters of {'x'.join(map(str, self.cluster))}")
        if self.dynamic_shared:
            parts.append(f"{self.dynamic_shared} bytes of dynamic shared memory")
        if self.tensor_maps:
            pointers = ", ".join(str(recipe.pointer) for recipe in self.tensor_maps)
            parts.append(f"tensor maps of {pointers}")
        return ", ".join(parts)


def compiled_kernels(module: ModuleOp, file: str) -> tuple[CompiledKernel, ...]:
    """The kernels of a module at any level.

    Raises CompileError for a parameter of a type that cannot be launched.
    """
    functions = {
        name.data: op
        for op in module.body.block.ops
        if isinstance(name := op.properties.get("sym_name"), StringAttr)
    }
    return tuple(
        CompiledKernel(
            kernel.name, kernel.parameters, kernel.location, *_launch_data(functions, kernel.name)
        )
        for kernel in kernels(module, file)
    )


def _launch_data(
    functions: dict[str, Operation], name: str
) -> tuple[Extent | None, Extent, int, tuple[TensorMapRecipe, ...]]:
    function = functions.get(name)
    if function is None:
        return None, (1, 1, 1), 0, ()
    size = function.attributes.get(DYNAMIC_SHARED_ATTRIBUTE)
    return (
        _extent(function, "nvvm.reqntid"),
        _extent(function, "nvvm.cluster_dim") or (1, 1, 1),
        size.value.data if isinstance(size, IntegerAttr) else 0,
        tensor_map_recipes(function),
    )


def _extent(function: Operation, name: str) -> Extent | None:
    shape = function.attributes.get(name)
    if not isinstance(shape, DenseArrayBase):
        return None
    x, y, z = (int(extent) for extent in shape.iter_values())
    return x, y, z


@dataclass(frozen=True)
class Compiled:
    """A compiled program: immutable, and transferable between processes."""

    file: str
    """The name of the program's file."""
    gpu: str
    emit: str
    """The requested output: a level, `ptx` or `cubin`."""
    options: Options
    text: str
    """The IR or the PTX; of a cubin, the PTX that it was assembled from."""
    kernels: tuple[CompiledKernel, ...]
    remarks: tuple[Remark, ...] = ()
    """The remarks of passes: requests they did not follow, and costs the user may not expect."""
    assembly: Assembly | None = None
    """The result of the assembler, if `emit` is `cubin`."""

    @property
    def output(self) -> str | bytes:
        """The machine code if `emit` is `cubin`, otherwise the text."""
        return self.text if self.assembly is None else self.assembly.cubin

    @property
    def cubin(self) -> bytes:
        """The machine code, assembled now if `emit` is `ptx`.

        Raises CompileError if `emit` is a level, or `ptxas` is missing or rejects the PTX.
        """
        return self._assembled.cubin

    @property
    def resources(self) -> dict[str, KernelResources]:
        """The registers and spills of each kernel by name, as `ptxas` reports them.

        Raises CompileError as `cubin` does.
        """
        return self._assembled.kernels

    @cached_property
    def _assembled(self) -> Assembly:
        if self.assembly is not None:
            return self.assembly
        if self.emit != "ptx":
            raise CompileError(
                self.file, f"only an output of kind ptx can be assembled, but this is {self.emit}"
            )
        return assembled(self.text, self.gpu, self.options, self.file)

    def kernel(self, name: str | None = None) -> CompiledKernel:
        """The kernel called `name`, by default the only one. Raises CompileError if none fits."""
        found = [kernel for kernel in self.kernels if name in (None, kernel.name)]
        if len(found) == 1:
            return found[0]
        names = ", ".join(f"'{kernel.name}'" for kernel in self.kernels)
        if not self.kernels:
            raise CompileError(self.file, "there is no kernel")
        wanted = "choose one of the kernels" if name is None else f"there is no kernel '{name}' in"
        raise CompileError(self.file, f"{wanted} {names}")

    def shared_bytes(self, kernel: str | None = None) -> int:
        """The bytes of static and dynamic shared memory of a thread block.

        Raises CompileError as `cubin` and `kernel` do.
        """
        found = self.kernel(kernel)
        return self.resources[found.symbol].static_shared + found.dynamic_shared

    def save(self, file: str | os.PathLike[str]) -> None:
        """Writes the output to a file, atomically. Raises CompileError."""
        output = self.output
        data = output.encode() if isinstance(output, str) else output
        write_file(os.fspath(file), lambda stream: stream.write(data))

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        size = f"{self.text.count(chr(10))} lines"
        if self.assembly is not None:
            size = f"{len(self.assembly.cubin)} bytes"
        listed = "; ".join(kernel.summary for kernel in self.kernels)
        return f"<tileir.Compiled {self.file}: {self.emit} for {self.gpu}, {size}: {listed}>"

    def _repr_html_(self) -> str:
        return as_html(repr(self), self.text)


def assembled(ptx: str, gpu: str, options: Options, file: str) -> Assembly:
    """Assembles PTX.

    Raises CompileError without `ptxas`, and with its message if it rejects the PTX.
    """
    with errors_in(file, AssemblyError, ToolNotFoundError):
        return assemble(ptx, gpu, *(["-lineinfo"] if options.lineinfo else []))


def as_html(summary: str, text: str) -> str:
    """A summary with the first lines of a text, for notebooks."""
    # No command shows one.
    import html

    lines = text.splitlines()
    rest = [f"... {len(lines) - SHOWN_LINES} more lines"] if len(lines) > SHOWN_LINES else []
    shown = "\n".join([*lines[:SHOWN_LINES], *rest])
    return f"<p><code>{html.escape(summary)}</code></p><pre>{html.escape(shown)}</pre>"
