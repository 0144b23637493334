"""The added `llvm` ops: constructors, round trips, and life beside xDSL's own ops."""

import subprocess
import sys
from pathlib import Path

import pytest
from xdsl.dialects import llvm, test
from xdsl.dialects.builtin import IntAttr, VectorType, f32, i1, i32
from xdsl.dialects.llvm import LLVM, LLVMPointerType
from xdsl.ir import Block, Operation
from xdsl.universe import Universe
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.llvm import (
    OPERATIONS,
    AbsOp,
    AddrSpaceCastOp,
    AtomicBinOp,
    AtomicCmpXchgOp,
    AtomicOrdering,
    AtomicRMWOp,
    CountLeadingZerosOp,
    CtPopOp,
    ExtractElementOp,
    FenceOp,
    FMulAddOp,
    FPToSIOp,
    FPToUIOp,
    FreezeOp,
    FShlOp,
    LoadOp,
    MaskedLoadOp,
    MaskedStoreOp,
    MaximumOp,
    PoisonOp,
    SMaxOp,
    StoreOp,
    SwitchOp,
    TanhOp,
    TrapOp,
    UIToFPOp,
    extend,
)
from tileir_xdsl.dialects.llvm.attributes import ConstantRangeAttr
from tileir_xdsl.testing.tools import parse, roundtrip, to_text

POINTER, VECTOR, MASK = LLVMPointerType(), VectorType(f32, [4]), VectorType(i1, [4])
SOURCE = test.TestOp(result_types=[POINTER, VECTOR, MASK, i32, f32])
P, V, M, I, F = SOURCE.results  # noqa: E741

BUILT: list[tuple[Operation, str]] = [
    (AbsOp(I), '"llvm.intr.abs"(%i) <{is_int_min_poison = false}> : (i32) -> i32'),
    (AddrSpaceCastOp(P, POINTER), "llvm.addrspacecast %p : !llvm.ptr to !llvm.ptr"),
    (
        AtomicCmpXchgOp(P, I, I, AtomicOrdering.ACQ_REL, AtomicOrdering.MONOTONIC, "device", 4),
        'llvm.cmpxchg %p, %i, %i syncscope("device") acq_rel monotonic {alignment = 4 : i64} '
        ": !llvm.ptr, i32",
    ),
    (
        AtomicRMWOp(AtomicBinOp.ADD, P, I, AtomicOrdering.RELEASE, volatile=True),
        "llvm.atomicrmw volatile add %p, %i release : !llvm.ptr, i32",
    ),
    (CountLeadingZerosOp(I, True), '"llvm.intr.ctlz"(%i) <{is_zero_poison = true}> : (i32) -> i32'),
    (CtPopOp(I), "llvm.intr.ctpop(%i) : (i32) -> i32"),
    (ExtractElementOp(V, I), "llvm.extractelement %v[%i : i32] : vector<4xf32>"),
    (FenceOp(AtomicOrdering.SEQ_CST, "block"), 'llvm.fence syncscope("block") seq_cst'),
    (FMulAddOp(F, F, F), "llvm.intr.fmuladd(%f, %f, %f) : (f32, f32, f32) -> f32"),
    (FPToSIOp(F, i32), "llvm.fptosi %f : f32 to i32"),
    (FPToUIOp(F, i32), "llvm.fptoui %f : f32 to i32"),
    (FreezeOp(I), "llvm.freeze %i : i32"),
    (FShlOp(I, I, I), "llvm.intr.fshl(%i, %i, %i) : (i32, i32, i32) -> i32"),
    (
        LoadOp(P, i32, 4, AtomicOrdering.ACQUIRE, "device"),
        'llvm.load %p atomic syncscope("device") acquire {alignment = 4 : i64} : !llvm.ptr -> i32',
    ),
    (
        LoadOp(P, i32, invariant=True, nontemporal=True),
        "llvm.load %p invariant {nontemporal} : !llvm.ptr -> i32",
    ),
    (
        MaskedLoadOp(P, M, V, VECTOR, 16),
        "llvm.intr.masked.load %p, %m, %v {alignment = 16 : i32} "
        ": (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>",
    ),
    (
        MaskedStoreOp(V, P, M, 16),
        "llvm.intr.masked.store %v, %p, %m {alignment = 16 : i32} "
        ": vector<4xf32>, vector<4xi1> into !llvm.ptr",
    ),
    (MaximumOp(F, F), "llvm.intr.maximum(%f, %f) : (f32, f32) -> f32"),
    (PoisonOp(i32), "llvm.mlir.poison : i32"),
    (SMaxOp(I, I), "llvm.intr.smax(%i, %i) : (i32, i32) -> i32"),
    (
        StoreOp(I, P, 4, AtomicOrdering.RELEASE, "block", volatile=True),
        'llvm.store volatile %i, %p atomic syncscope("block") release {alignment = 4 : i64} '
        ": i32, !llvm.ptr",
    ),
    (TanhOp(F), "llvm.intr.tanh(%f) : (f32) -> f32"),
    (TrapOp(), "llvm.intr.trap"),
    (UIToFPOp(I, f32, non_neg=True), "llvm.uitofp nneg %i : i32 to f32"),
]
VALUES = (
    '%p, %v, %m, %i, %f = "test.op"() : () -> (!llvm.ptr, vector<4xf32>, vector<4xi1>, i32, f32)\n'
)


@pytest.mark.parametrize("case", BUILT, ids=lambda case: case[1])
def test_built_ops_print_and_parse(case: tuple[Operation, str]) -> None:
    op, text = case
    op.verify()
    names = dict(zip((P, V, M, I, F), "pvmif", strict=True))
    for value, hint in names.items():
        value.name_hint = hint
    printed = to_text(op)
    assert printed.strip().removeprefix("%0 = ") == text
    assignment = "%0 = " if op.results else ""
    assert text in roundtrip(VALUES + assignment + text)


def test_switch() -> None:
    blocks = [Block(), Block(arg_types=[i32])]
    op = SwitchOp(I, (blocks[0], []), [(3, blocks[1], [I]), (-1, blocks[0], [])])
    assert [(number, len(values)) for number, _, values in op.cases] == [(3, 1), (-1, 0)]
    text = """llvm.func @f(%i: i32) {
      llvm.switch %i : i32, ^a [3: ^b(%i : i32), -1: ^a]
    ^a:
      llvm.return
    ^b(%x: i32):
      llvm.return
    }"""
    assert "llvm.switch %i : i32, ^a [3: ^b(%i : i32), -1: ^a]" in roundtrip(text)


def test_scopes_belong_to_atomic_accesses() -> None:
    op = LoadOp(P, i32)
    op.properties["syncscope"] = parse(
        '%0 = "test.op"() {s = "block"} : () -> i32'
    ).body.block.first_op.attributes["s"]  # pyright: ignore
    with pytest.raises(
        VerifyException, match="expected syncscope to be null for non-atomic access"
    ):
        op.verify()


def test_the_dialect_is_xdsls_and_more() -> None:
    extended = extend(LLVM)
    names = [op.name for op in extended.operations]
    assert len(names) == len(set(names))
    assert {op.name for op in LLVM.operations} <= set(names)
    assert {op.name for op in OPERATIONS} <= set(names)
    registered = Universe.get_multiverse().all_dialects["llvm"]()
    assert {op.name for op in registered.operations} == set(names)


def test_replaced_ops_are_still_xdsls() -> None:
    module = parse(
        VALUES + "%0 = llvm.load %p : !llvm.ptr -> i32\nllvm.store %0, %p : i32, !llvm.ptr"
    )
    _, load, store = module.body.block.ops
    assert isinstance(load, llvm.LoadOp) and isinstance(store, llvm.StoreOp)


def test_foreign_files_import_nothing_of_ours(tmp_path: Path) -> None:
    file = tmp_path / "foreign.mlir"
    file.write_text("func.func @f(%x: i32) -> i32 { func.return %x : i32 }")
    code = (
        "import sys\nfrom xdsl.xdsl_opt_main import xDSLOptMain\n"
        f"xDSLOptMain(args=[{str(file)!r}]).run()\n"
        "ours = sorted(m for m in sys.modules if m.startswith('tileir_xdsl'))\n"
        "names = ['', '.on_use', '.passes', '.universe', '.xdsl_versions']\n"
        "assert ours == [f'tileir_xdsl{name}' for name in names], ours"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(
    ("bounds", "is_valid"),
    [((0, 128), True), ((1, 5), True), ((5, 1), True), ((0, 0), True), ((5, 5), False)],
)
def test_ranges(bounds: tuple[int, int], is_valid: bool):
    """Equal bounds are those of no number or of all: upstream has no other such range."""
    lower, upper = map(IntAttr, bounds)
    if is_valid:
        attribute = ConstantRangeAttr(i32, lower, upper)
        assert str(attribute) == f"#llvm.constant_range<i32, {bounds[0]}, {bounds[1]}>"
    else:
        with pytest.raises(
            VerifyException,
            match="expected lower and upper to differ, unless both are 0 or both have all bits set",
        ):
            ConstantRangeAttr(i32, lower, upper)
