"""Atomics, fences and accesses of a scope."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from xdsl.utils.exceptions import DiagnosticException

from tests.unit.backend.ptx.harness import DTYPES, GPUS, Array, assemble, kernel, ptx, run
from tileir_xdsl import emulator

ARGUMENTS = "%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %n: i32"


def reduction(operation: str, type: str, ordering: str = 'syncscope("device") monotonic') -> str:
    """Every thread applies its element of `%b` to the first element of `%a`."""
    return kernel(
        f"""%tid = nvvm.read.ptx.sreg.tid.x : i32
        %p = llvm.getelementptr %b[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, {type}
        %v = llvm.load %p : !llvm.ptr<1> -> {type}
        %old = llvm.atomicrmw {operation} %a, %v {ordering} : !llvm.ptr<1>, {type}
        llvm.return""",
        ARGUMENTS,
    )


INTEGER: dict[str, Callable[[Any, Array], int]] = {
    "add": lambda a, b: int(a) + int(b.astype(np.int64).sum()),
    "sub": lambda a, b: int(a) - int(b.astype(np.int64).sum()),
    "_and": lambda a, b: int(np.bitwise_and.reduce(b) & a),
    "_or": lambda a, b: int(np.bitwise_or.reduce(b) | a),
    "_xor": lambda a, b: int(np.bitwise_xor.reduce(b) ^ a),
    "max": lambda a, b: int(max(a, b.max())),
    "min": lambda a, b: int(min(a, b.min())),
}


@pytest.mark.parametrize("type", ("i32", "i64"))
@pytest.mark.parametrize("operation", INTEGER)
def test_integer_reduction(operation: str, type: str) -> None:
    b = np.random.default_rng(0).integers(-1000, 1000, 64).astype(DTYPES[type])
    a = np.array([77], DTYPES[type])
    expected = INTEGER[operation](a[0], b)
    text = reduction(operation, type)
    run(text, [a, b, 0])
    assert a[0] == expected
    assert "\tred.relaxed.gpu.global." in ptx(text)


def test_float_reduction() -> None:
    b = np.arange(64, dtype=np.float32)
    for operation, expected in (("fadd", 2016.0), ("fsub", -2016.0)):
        a = np.zeros(1, np.float32)
        run(reduction(operation, "f32"), [a, b, 0])
        assert a[0] == expected


ORDERINGS = {
    "monotonic": "red.relaxed.sys.global.add.u32",
    'syncscope("block") acquire': "atom.acquire.cta.global.add.u32",
    'syncscope("device") release': "red.release.gpu.global.add.u32",
    'syncscope("cluster") acq_rel': "atom.acq_rel.cluster.global.add.u32",
    'syncscope("device") seq_cst': "fence.sc.gpu;\n\tatom.acq_rel.gpu.global.add.u32",
}


@pytest.mark.parametrize("ordering", ORDERINGS)
def test_orderings(ordering: str) -> None:
    text = ptx(reduction("add", "i32", ordering))
    assert ORDERINGS[ordering] in text
    assemble(text, "sm_90a")


def test_old_value_and_compare_and_swap() -> None:
    body = """%tid = nvvm.read.ptx.sreg.tid.x : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %old = llvm.atomicrmw uinc_wrap %a, %n syncscope("device") acq_rel : !llvm.ptr<1>, i32
    %q = llvm.getelementptr %b[%old] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %s = llvm.cmpxchg %q, %tid, %one syncscope("device") acq_rel monotonic : !llvm.ptr<1>, i32
    %v = llvm.extractvalue %s[0] : !llvm.struct<(i32, i1)>
    %c = llvm.extractvalue %s[1] : !llvm.struct<(i32, i1)>
    %w = llvm.select %c, %v, %n : i1, i32
    %p0 = llvm.getelementptr %b[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %p = llvm.getelementptr %p0[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %w, %p : i32, !llvm.ptr<1>
    llvm.return"""
    a = np.zeros(1, np.int32)
    b: Array = np.concatenate([np.where(np.arange(64) % 2 == 0, np.arange(64), 1000), np.zeros(64)])
    b = b.astype(np.int32)
    # Thread t gets ticket t, so that it finds its own number in the even places.
    run(kernel(body, ARGUMENTS), [a, b, 63])
    assert a[0] == 0
    even = np.arange(64) % 2 == 0
    np.testing.assert_array_equal(b[:64], np.where(even, 1, 1000))
    np.testing.assert_array_equal(b[64:], np.where(even, np.arange(64), 63))
    for gpu in GPUS:
        assemble(ptx(kernel(body, ARGUMENTS), gpu), gpu)


def test_scoped_accesses() -> None:
    body = """%v = llvm.load %a atomic syncscope("device") acquire {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    %w = llvm.load volatile %a : !llvm.ptr<1> -> i32
    %x = llvm.load %a invariant : !llvm.ptr<1> -> i32
    %y = llvm.load %a atomic seq_cst {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    llvm.fence syncscope("block") acq_rel
    llvm.fence seq_cst
    llvm.store %v, %b atomic syncscope("block") release {alignment = 4 : i64} : i32, !llvm.ptr<1>
    llvm.store volatile %w, %b : i32, !llvm.ptr<1>
    llvm.store %x, %b atomic monotonic {alignment = 4 : i64} : i32, !llvm.ptr<1>
    llvm.store %y, %b : i32, !llvm.ptr<1>
    llvm.return"""
    text = ptx(kernel(body, ARGUMENTS))
    for line in (
        "ld.acquire.gpu.global.b32",
        "ld.volatile.global.b32",
        "ld.global.nc.b32",
        "fence.sc.sys;\n\tld.acquire.sys.global.b32",
        "fence.acq_rel.cta;",
        "fence.sc.sys;",
        "st.release.cta.global.b32",
        "st.volatile.global.b32",
        "st.relaxed.sys.global.b32",
        "st.global.b32",
    ):
        assert f"\t{line}" in text
    for gpu in GPUS:
        assemble(ptx(kernel(body, ARGUMENTS), gpu), gpu)


def passed_on(
    success: str, failure: str, given: str = "release", given_up: str = "monotonic"
) -> int:
    """Block 1 reads what block 0 has stored, after each has swapped a flag."""
    body = f"""%block = nvvm.read.ptx.sreg.ctaid.x : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %two = llvm.mlir.constant(2 : i32) : i32
    %is_first = llvm.icmp "eq" %block, %zero : i32
    llvm.cond_br %is_first, ^write, ^wait
  ^write:
    llvm.store %n, %a : i32, !llvm.ptr<1>
    %set = llvm.cmpxchg %b, %zero, %one syncscope("device") {given} {given_up} : !llvm.ptr<1>, i32
    llvm.br ^end
  ^wait:
    %got = llvm.cmpxchg %b, %one, %two syncscope("device") {success} {failure} : !llvm.ptr<1>, i32
    %is_set = llvm.extractvalue %got[1] : !llvm.struct<(i32, i1)>
    llvm.cond_br %is_set, ^read, ^wait
  ^read:
    %found = llvm.load %a : !llvm.ptr<1> -> i32
    %to = llvm.getelementptr %b[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %found, %to : i32, !llvm.ptr<1>
    llvm.br ^end
  ^end:
    llvm.return"""
    text = ptx(kernel(body, ARGUMENTS, "nvvm.reqntid = array<i32: 1>"))
    a, b = np.zeros(1, np.int32), np.zeros(2, np.int32)
    emulator.load(text).launch("k", (2, 1, 1), [a, b, 7], races=True)
    return int(b[1])


@pytest.mark.parametrize("failure", ["monotonic", "acquire"])
@pytest.mark.parametrize("success", ["acquire", "acq_rel", "seq_cst"])
def test_a_swap_orders_as_the_stronger_of_both_orderings(success: str, failure: str) -> None:
    assert passed_on(success, failure) == 7
    assert passed_on("monotonic", "acquire", "acq_rel", failure) == 7


MERGED = {
    ("monotonic", "monotonic"): "relaxed",
    ("monotonic", "acquire"): "acquire",
    ("acquire", "monotonic"): "acquire",
    ("release", "monotonic"): "release",
    ("release", "acquire"): "acq_rel",
    ("acq_rel", "acquire"): "acq_rel",
}
"""What both orderings of a swap ask for together (LLVM, `getMergedAtomicOrdering`)."""


@pytest.mark.parametrize(("success", "failure"), MERGED)
def test_orderings_of_a_swap_are_merged(success: str, failure: str) -> None:
    body = f"""%x = llvm.cmpxchg %a, %n, %n syncscope("device") {success} {failure} : !llvm.ptr<1>, i32
    llvm.return"""
    text = ptx(kernel(body, "%a: !llvm.ptr<1>, %n: i32"))
    assert f"atom.{MERGED[success, failure]}.gpu.global.cas.b32" in text


LATER = {
    "scope of a cluster": ("add", "i32", 'syncscope("cluster") monotonic', 90),
    "bf16": ("fadd", "bf16", 'syncscope("device") monotonic', 90),
}
"""Reductions that older targets do not have, and the first that does (PTX ISA, `red`)."""


@pytest.mark.parametrize("case", LATER)
def test_what_older_targets_lack_is_refused(case: str) -> None:
    operation, type, ordering, first = LATER[case]
    text = reduction(operation, type, ordering)
    for gpu in GPUS:
        if int(gpu.strip("sm_a")) >= first:
            assemble(ptx(text, gpu), gpu)
        else:
            with pytest.raises(DiagnosticException, match=f"sm_{first}"):
                ptx(text, gpu)


def test_relaxed_swaps_order_nothing() -> None:
    with pytest.raises(emulator.EmulatorError, match="no release and acquire"):
        passed_on("monotonic", "monotonic")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("gpu", GPUS)
def test_ptxas_accepts(gpu: str) -> None:
    for type in ("i32", "i64"):
        for operation in (*INTEGER, "umax", "umin", "xchg"):
            assemble(ptx(reduction(operation, type), gpu), gpu)
    for operation, type in (
        ("uinc_wrap", "i32"),
        ("udec_wrap", "i32"),
        ("fadd", "f32"),
        ("fadd", "f64"),
        ("fadd", "f16"),
        ("fadd", "vector<2xf16>"),
    ):
        assemble(ptx(reduction(operation, type), gpu), gpu)
