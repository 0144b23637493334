"""Disagreements with `ptxas` that are known, with what is behind each.

The emulator checks that an instruction has a form and that its registers have the widths of their
operands. It executes what programs contain, and does not repeat all rules of the assembler.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Known:
    """A kind of disagreement: patterns for the instruction and for what is said against it."""

    refused_by: str
    instruction: str
    message: str
    reason: str


_SCOPE = r"\{ "

KNOWN: tuple[Known, ...] = (
    Known(
        "emulator",
        _SCOPE + r".* \+ ",
        "nothing is added to|does not fit",
        "a constant that is added to a register of another type than integers, or of another width than the operand",
    ),
    Known(
        "emulator",
        _SCOPE + r".*\[\] = ",
        "initial value|a predicate must be|expected ';'",
        "one initial value for an array without an extent, in any space",
    ),
    Known(
        "emulator",
        _SCOPE + r".* %tid\W",
        "expected|packed into|special register",
        "special registers as names of variables",
    ),
    Known(
        "emulator",
        _SCOPE + r".*\.(f32|s16)x2 ",
        "the type of an instruction",
        "variables of types `.f32x2` and `.s16x2` in memory",
    ),
    Known(
        "emulator",
        _SCOPE + r"\.reg.*\.v[24] \S*f16x2 ",
        "does not fit",
        "vectors of `.f16x2` as ones of 16 bits",
    ),
    Known(
        "emulator",
        _SCOPE + r"\.reg.*\.v2 .*\.[zwba], ",
        "undeclared name",
        "elements of vectors beyond the last one",
    ),
    Known(
        "ptxas",
        _SCOPE,
        "Array indexing on non-array",
        "elements of variables that are no arrays",
    ),
    Known(
        "ptxas",
        _SCOPE + r"\.reg.*mov\.v?[24]?\.?b8 ",
        "Unexpected instruction types",
        "`mov` of vectors of bytes",
    ),
    Known(
        "ptxas",
        r"cvt\.",
        "Modifier|modifier|Unexpected instruction types|Illegal",
        "which roundings, `.ftz`, `.sat`, `.relu` and `.satfinite` a pair of types of `cvt` takes",
    ),
    Known(
        "ptxas",
        r"cvt\.\S*(tf32|bf16|f16x2|bf16x2)",
        "Arguments mismatch",
        "results of `cvt` to bf16, f16x2, bf16x2 and tf32 in registers of type `.f32` or of 32 bits",
    ),
    Known(
        "ptxas",
        r"\w+\.\S* .*(0f3F800000|1\.0)",
        "Arguments mismatch",
        "a float as a constant operand of an instruction on bits",
    ),
    Known(
        "ptxas",
        r"(set|setp)\.",
        "Illegal modifier '.ftz'|Unexpected instruction types",
        "`.ftz` in comparisons of types without it",
    ),
    Known(
        "ptxas",
        r"(min|max)\.\S*xorsign",
        "Illegal modifier '.xorsign'",
        "`.xorsign` in `min` and `max` of three values",
    ),
    Known(
        "ptxas",
        r"(min|max|add|sub|mul|fma|neg|abs|ex2|tanh|set|setp)\.\S*(bf16x2|f16x2|bf16|f16) .*%f",
        "Arguments mismatch",
        "packed and half-precision operands in registers of type `.f32`",
    ),
    Known(
        "ptxas",
        r"set\.\S*\.(and|or|xor)\.\S*bf16\S* .*, (-?\d|0x)\w*$",
        "Arguments mismatch",
        "a constant as the predicate that `set` on bf16 combines its result with",
    ),
    Known("ptxas", r"bf[ie]\.", "out of range", "constants of `bfi` and `bfe` beyond 255"),
    Known(
        "ptxas",
        r"lop3\.(or|and)\.b32 %",
        "Predicate output expected",
        "`lop3` with a predicate that comes in and none that goes out",
    ),
    Known(
        "ptxas",
        r"(dp4a|dp2a|prmt|bmsk|v\w+)\.",
        "Arguments mismatch|selector",
        "registers of type `.f32`, and constants, in `bmsk`, byte and video instructions",
    ),
    Known(
        "emulator",
        r"fns\.b32",
        "does not fit",
        "registers of type `.f32` as the base of `fns`",
    ),
    Known(
        "emulator",
        r"cvt\.pack",
        "does not fit",
        "operands of `cvt.pack` in registers of 64 bits",
    ),
    Known(
        "emulator",
        r"lop3\.",
        "table of lop3",
        "the low byte of a constant as the table of `lop3`",
    ),
    Known(
        "emulator",
        r"(addc\S*\.[su]16|madc\S*\.[su]16|testp\.f)",
        "unknown instruction",
        "`addc` and `madc` of 16 bits, and `testp` without a property; the manual has neither",
    ),
    Known(
        "ptxas",
        r"(shfl|vote)\.(?!sync)",
        "without '.sync' is not supported",
        "`shfl` and `vote` without `.sync`, which the assembler has for older versions of PTX",
    ),
    Known(
        "ptxas",
        r".*%[fg]\d",
        "Arguments mismatch|Incompatible|Illegal to use symbol",
        "registers of type `.f32` and `.f64` as operands of bits and in vectors of them",
    ),
    Known(
        "ptxas",
        r"(ld|st|ldu)\S*\.v[248]\.",
        "Incompatible elements",
        "vectors of registers of several widths",
    ),
    Known(
        "ptxas",
        r".*\[buffer",
        "must be register|Arguments mismatch|State space mismatch|Non-generic address|Internal compiler error|'mov'",
        "variables of shared memory as addresses of tensor memory, of global memory and of `st.bulk`",
    ),
    Known(
        "ptxas",
        r"(wgmma|tcgen05|red|atom)\.",
        "C7600|C7308|C7907|Internal",
        "what the assembler fails at after it has read it: registers run out, or it dies",
    ),
    Known(
        "ptxas",
        r"setmaxnreg\.",
        "C7406",
        "counts of `setmaxnreg` that the registers of the kernel do not allow",
    ),
    Known(
        "emulator",
        r".*\[%[hfgp]\d|.*, %d\d|.*, %r\d",
        "cannot hold an address|must be in brackets",
        "registers of 16 bits as addresses, and addresses of bulk copies without brackets",
    ),
    Known(
        "ptxas",
        r"tensormap\.replace\.",
        "expected to be in range",
        "values of `tensormap.replace` that its field does not have",
    ),
    Known(
        "emulator",
        r"tcgen05\.mma\.",
        "whether to add to D",
        "two numbers after the predicate of `tcgen05.mma`",
    ),
    Known(
        "emulator",
        r"wgmma\.\S*\.sync(?!\.aligned)",
        "unknown instruction",
        "`wgmma` without `.aligned`",
    ),
    Known(
        "emulator",
        r"mma\.sp",
        "sparsity selector",
        "selectors of sparse `mma` that the shape does not have",
    ),
    Known(
        "emulator",
        r"tcgen05\.mma\.\S*block_scale",
        "A in tensor memory is not supported for an mma with block scales",
        "matrix A in tensor memory where `tcgen05.mma` has block scales",
    ),
    Known(
        "emulator",
        r"fence\.\S*sync_restrict|mma\.\S*kind::mxf4\.",
        "unknown instruction",
        "`.sync_restrict` with `.async`, and `.kind::mxf4` with types of eight bits",
    ),
    Known(
        "emulator",
        r"(getctarank|mapa|red\.async)\.\S*s(32|64)",
        "unknown instruction",
        "signed types in `getctarank`, `mapa` and `red.async.add`",
    ),
    Known(
        "emulator",
        r"(movmatrix|activemask|clusterlaunchcontrol|atom)\.",
        "does not fit",
        "predicates and floats as results of `movmatrix`, `activemask`, `clusterlaunchcontrol` and `atom`",
    ),
)


def known(refused_by: str, instruction: str, message: str) -> Known | None:
    """The row that a disagreement falls under."""
    for row in KNOWN:
        is_kind = re.match(row.instruction, instruction) and re.search(row.message, message)
        if row.refused_by == refused_by and is_kind:
            return row
    return None
