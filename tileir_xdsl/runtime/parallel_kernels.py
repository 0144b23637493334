"""Compiles the kernels of one module in several processes, to the same text as in one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from itertools import accumulate

from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.backend.ptx.module import PTXParts, joined
from tileir_xdsl.backend.ptx.target import emit_parts
from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.levels import LLVM
from tileir_xdsl.options import Options
from tileir_xdsl.runtime.cache.keys import extension_facts
from tileir_xdsl.runtime.compiled import Compiled, CompiledKernel, assembled
from tileir_xdsl.runtime.diagnostics import errors_in
from tileir_xdsl.runtime.errors import CompileError
from tileir_xdsl.runtime.executors import expect_extensions, interrupts_held, lost_worker_errors
from tileir_xdsl.runtime.optimization_remarks import Remark
from tileir_xdsl.runtime.outputs import CUBIN
from tileir_xdsl.runtime.program import program_of
from tileir_xdsl.runtime.reader import new_context, read_contents
from tileir_xdsl.walking import ops_in


@dataclass(frozen=True)
class KernelGroup:
    """Names of some kernels of a module, and how they are compiled."""

    contents: bytes
    file: str
    gpu: str | None
    options: Options
    kernels: frozenset[str]
    extensions: Mapping[str, str] = field(default_factory=dict[str, str])
    """The versions of the extensions that the options name, from `extension_facts`."""


@dataclass(frozen=True)
class CompiledKernelGroup:
    """The result of compiling a group."""

    gpu: str
    parts: PTXParts
    kernels: tuple[CompiledKernel, ...]
    remarks: tuple[Remark, ...]


def entries(module: ModuleOp) -> list[cuda_tile.EntryOp]:
    """The kernels of a module in Tile IR, in order."""
    return [op for op in ops_in(module) if isinstance(op, cuda_tile.EntryOp)]


def divided(sizes: Sequence[int], count: int) -> list[range]:
    """Divides kernels of given sizes into up to `count` consecutive groups of similar size."""
    ends = list(accumulate(sizes))
    total = ends[-1]
    # A kernel belongs to where its middle lies.
    owners = [
        min(count - 1, (2 * end - size) * count // (2 * total))
        for end, size in zip(ends, sizes, strict=True)
    ]
    found = (
        range(owners.index(owner), len(owners) - owners[::-1].index(owner))
        for owner in sorted(set(owners))
    )
    return list(found)


def compile_group(group: KernelGroup) -> CompiledKernelGroup:
    """Compiles a group to PTX. Raises CompileError."""
    expect_extensions(group.extensions)
    module = read_contents(new_context(group.options.extensions), group.contents, group.file)
    for entry in entries(module):
        if entry.sym_name.data not in group.kernels:
            entry.detach()
            entry.erase()
    program = program_of(module, group.file, group.gpu, group.options).lower(LLVM.name)
    with errors_in(group.file):
        parts = emit_parts(program.module, program.gpu)
    return CompiledKernelGroup(program.gpu, parts, program.kernels, program.remarks)


def groups_of(
    module: ModuleOp, contents: bytes, file: str, gpu: str | None, options: Options, count: int
) -> list[KernelGroup]:
    """The kernels of a module in Tile IR in up to `count` groups.

    `contents` is the text or bytecode of the module. Returns no groups for a module below Tile IR,
    or with line information, whose numbers count through the module.
    """
    found = entries(module)
    if not found or options.lineinfo:
        return []
    facts = extension_facts(options)
    names = [entry.sym_name.data for entry in found]
    sizes = [len(ops_in(entry)) for entry in found]
    return [
        KernelGroup(
            contents, file, gpu, options, frozenset(names[number] for number in group), facts
        )
        for group in divided(sizes, count)
    ]


def compile_kernels(groups: Sequence[KernelGroup], emit: str, executor: Executor) -> Compiled:
    """Compiles the groups of a module by an executor; `emit` is `ptx` or `cubin`.

    Raises CompileError for the first invalid kernel, whichever process fails first.
    """
    with interrupts_held():
        futures = [executor.submit(compile_group, group) for group in groups]
    file, options = groups[0].file, groups[0].options
    try:
        done = [future.result() for future in futures]
    except lost_worker_errors():
        raise CompileError(file, "a process that compiled kernels has ended early") from None
    finally:
        for future in futures:
            future.cancel()
    text = joined([each.parts for each in done]).text
    target = done[0].gpu
    return Compiled(
        file,
        target,
        emit,
        options,
        text,
        tuple(kernel for each in done for kernel in each.kernels),
        tuple(remark for each in done for remark in each.remarks),
        assembled(text, target, options, file) if emit == CUBIN else None,
    )
