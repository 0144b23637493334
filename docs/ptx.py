"""Writes `docs/ptx.md`, the reference of the PTX target.

`python -m docs.ptx` reads the tables of the printer and what the `nvvm` ops say they need.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from pathlib import Path

from xdsl.ir import Operation

from tileir_xdsl.backend.ptx.module import DIRECTIVES
from tileir_xdsl.backend.ptx.registers import ADDRESS_SPACES, RegisterClass
from tileir_xdsl.backend.ptx.tables import POINTERS, VIEWS, all_rules
from tileir_xdsl.backend.ptx.tables.intrinsics import OPCODES
from tileir_xdsl.backend.ptx.target import PTXTarget
from tileir_xdsl.dialects.nvvm import NVVM
from tileir_xdsl.dialects.nvvm.requirements import NVVMOperation, Requirement, Requires
from tileir_xdsl.dialects.nvvm.special_registers import SpecialRegisterOp
from tileir_xdsl.targets import DEFAULT_TARGET as DEFAULT_GPU
from tileir_xdsl.targets import TARGETS, PTXVersion

REPOSITORY = Path(__file__).resolve().parents[1]
PAGE = REPOSITORY / "docs" / "ptx.md"
OPTIONS = {
    "gpu": "a target of the table below; without it the one the module names, "
    f"`nv_tileaa.target_spec`, else `{DEFAULT_GPU}`",
    "ptx_version": "such as `8.6`; in quotes where the minor number ends in 0, such as "
    '`"8.10"`; without it the lowest version that the target and the instructions have',
    "lineinfo": "whether `.loc` lines tell where in the source instructions are; without it they "
    "do if the module has `nv_tileaa.lineinfo`",
}
TEXT = """# The PTX target

The target `ptx` prints a module of `llvm` and `nvvm` ops as PTX. All functions must be kernels
(`nvvm.kernel`). Written by `python -m docs.ptx` from the tables of the printer.

    xdsl-opt kernel.mlir -p tileir-pipeline -t 'ptx{{gpu=sm_90a ptx-version=8.6}}'

{options}

It is an error if an op, a type or an attribute has no PTX form, or if the target or the PTX version
lacks an instruction. The error names the op:

    'nvvm.elect.sync' is not available on sm_80: it needs sm_90
    'nvvm.elect.sync' needs PTX 8.0 or later, not 7.8

## How a function becomes text

1. Instruction selection visits a function backwards. Unused ops without effects are skipped.
   Constants become immediates, constant parts of pointers become offsets in `[register+offset]`.
2. Block arguments become copies on the edges into their block. If the two registers of a copy are
   never live at the same time, they become one register.
3. Branches around a few simple instructions are replaced by predicates.
4. Registers are named in the order in which they first appear.

{registers}

Vectors of 16-bit and 8-bit elements are packed into 32-bit registers, the element with the lower
index in the low bits. An `i8` is held in 16 bits, zero-extended. Each element of a struct or an
array has its own register.

{spaces}

{directives}

## Targets

{targets}

## Operations of `llvm`

These ops are printed as instructions unless they are merged: {instructions}.

These ops are merged into other instructions if possible: {views}.

These ops become parts of addresses: {pointers}.

The printer supports these intrinsics of `llvm.call_intrinsic`:

{intrinsics}

## Operations of `nvvm`

The table has the lowest target and PTX version for each op. Ops marked with a star may need higher
ones, depending on attributes and types; the verifier and the printer check each op. If an op
becomes one instruction, its class states the form, in the notation of `backend/ptx/forms.py`.

{operations}

The dialect has no op for `movmatrix`, `tensormap.replace`, `tensormap.cp_fenceproxy`, `red` on
vectors, `atom.cas.b128`, `fma.rn.f32x2`, `max` of three and sparse
`wgmma`:
use `nvvm.inline_ptx` for these.
"""


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def dotted(version: PTXVersion) -> str:
    return f"{version[0]}.{version[1]}"


def code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def names(operations: Iterable[object]) -> list[str]:
    """The names of the ops of dialect `llvm` in a table by class."""
    found = [op.name for op in operations if isinstance(op, type) and issubclass(op, Operation)]
    return sorted(name for name in found if name.startswith("llvm."))


def intrinsic_tables() -> Iterator[str]:
    """The intrinsics that are printed, a table for each family."""
    conversions = {name: opcode for name, opcode in OPCODES.items() if opcode.startswith("cvt.")}
    others = {name: opcode for name, opcode in OPCODES.items() if name not in conversions}
    for title, chosen in (("Arithmetic", others), ("Conversions", conversions)):
        rows = ((f"`{name}`", f"`{opcode}`") for name, opcode in sorted(chosen.items()))
        yield f"### {title}\n\n{table(('intrinsic', 'instruction'), rows)}"


def operation_tables() -> Iterator[str]:
    """The `nvvm` ops, a table for each module of the dialect."""
    families: dict[str, list[type[Operation]]] = {}
    for op in NVVM.operations:
        families.setdefault(op.__module__.rpartition(".")[2], []).append(op)
    for family, ops in families.items():
        title = family.replace("_", " ").capitalize()
        rows = operation_rows(ops)
        yield f"### {title}\n\n{table(('operation', 'target', 'PTX', 'form'), list(rows))}"


def operation_rows(ops: Iterable[type[Operation]]) -> Iterator[tuple[str, str, str, str]]:
    """`nvvm` ops with their lowest target and PTX version; special registers share rows."""
    registers: dict[tuple[str, str], list[str]] = {}
    for op in ops:
        assert issubclass(op, NVVMOperation)
        requires = op.get_traits_of_type(Requires)
        needed = requires[0].requirement if requires else Requirement()
        target, version = needed.targets()[0], needed.ptx_version
        lowest = dotted(max(version, TARGETS[target].minimum_ptx_version))
        if issubclass(op, SpecialRegisterOp):
            registers.setdefault((target, lowest), []).append(op.name)
            continue
        star = "" if op.requirement is NVVMOperation.requirement else " \\*"
        # A table's own bars must be told from those of `d|p`.
        syntax = op.PTX.replace("|", "\\|")
        yield f"`{op.name}`", target + star, lowest + star, syntax and f"`{syntax}`"
    for (target, lowest), operations in registers.items():
        yield code(operations), target, lowest, ""


def page() -> str:
    """The text of the page."""
    assert {field.name for field in fields(PTXTarget)} == set(OPTIONS)
    llvm_views = names(VIEWS)
    return TEXT.format(
        options=table(
            ("option", "meaning"),
            ((f"`{name.replace('_', '-')}`", meaning) for name, meaning in OPTIONS.items()),
        ),
        registers=table(
            ("registers", "type", "bits"),
            ((f"`%{c.prefix}N`", f"`.{c.declaration}`", str(c.bits)) for c in RegisterClass),
        ),
        spaces=table(
            ("LLVM address space", "state space", "bits of an address"),
            (
                (str(number), f"`{space.suffix}`" if space.suffix else "generic", str(space.bits))
                for number, space in ADDRESS_SPACES.items()
            ),
        ),
        directives=table(
            ("attribute of a kernel", "directives"),
            (
                (f"`{attribute}`", code(directive.split("\n")))
                for attribute, directive in (
                    *DIRECTIVES,
                    ("nvvm.blocksareclusters", ".blocksareclusters"),
                )
            ),
        ),
        targets=table(
            ("target", "lowest PTX version"),
            ((f"`{n}`", dotted(t.minimum_ptx_version)) for n, t in TARGETS.items()),
        ),
        instructions=code(names(all_rules())),
        views=code(llvm_views),
        pointers=code(names(POINTERS)),
        intrinsics="\n\n".join(intrinsic_tables()),
        operations="\n\n".join(operation_tables()),
    )


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
