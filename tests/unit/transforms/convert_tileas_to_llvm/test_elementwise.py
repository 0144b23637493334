"""Every elementwise operation, type and rounding mode: PTX computes what the operation means.

Elementary functions are judged elsewhere, within their bounds.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest

from tests.kernels.agreement import ULPS, max_ulps, unit_in_last_place
from tests.unit.backend.ptx.harness import assemble
from tests.unit.interpreters.cuda_tile.elementwise import CASES, width_of
from tests.unit.transforms.convert_tileas_to_llvm import elementwise
from tests.unit.transforms.convert_tileas_to_llvm.elementwise import (
    Comparison,
    Operation,
    compare,
    ptx,
)
from tileir_xdsl.interpreters.numerics import Array

BATCH = 40

EIGHT_BITS = {"f8E4M3FN", "f8E5M2"}
OPERATIONS = [
    Operation(case.text, case.operands, case.result)
    for case in CASES
    if case.operation not in ULPS and case.text.split()[0] not in ("fpowi", "fpowf")
]
"""Every operation whose result is one number."""


def elements_of(operation: Operation) -> set[str]:
    return {*operation.operands, operation.result}


def conversions() -> Iterator[Operation]:
    """Conversions of floats that round otherwise than to nearest even, or of narrow formats."""
    for mode in ("zero", "negative_inf", "positive_inf", "nearest_away"):
        yield Operation(f"ftof %in0 rounding<{mode}> : T -> R", ("f64",), "f32")
    zero = "ftof %in0 rounding<zero> : T -> R"
    for source in ("f64", "f32", "tf32"):
        for result in ("f16", "bf16"):
            yield Operation(zero, (source,), result)
    for source in ("f64", "f32"):
        yield Operation(zero, (source,), "tf32")
    yield Operation(zero, ("f16",), "bf16")
    yield Operation(zero, ("bf16",), "f16")


def narrow_conversions() -> Iterator[Operation]:
    """Conversions from and to the formats that only the latest targets have."""
    others = ("f16", "bf16", "tf32", "f32", "f64", "f8E4M3FN", "f8E5M2")
    for other in (*others, "f8E8M0FNU"):
        yield Operation("ftof %in0 : T -> R", (other,), "f4E2M1FN")
    for other in others:
        yield Operation("ftof %in0 : T -> R", ("f4E2M1FN",), other)
        yield Operation("ftof %in0 : T -> R", ("f8E8M0FNU",), other)
    for other in (*others, "f4E2M1FN"):
        for mode in ("zero", "positive_inf"):
            yield Operation(f"ftof %in0 rounding<{mode}> : T -> R", (other,), "f8E8M0FNU")
    for result in ("f16", "bf16"):
        yield Operation("ftof %in0 rounding<zero> : T -> R", ("f8E8M0FNU",), result)


def batches(gpu: str, operations: Sequence[Operation]) -> list[tuple[str, list[Operation]]]:
    return [
        (gpu, list(operations[first : first + BATCH])) for first in range(0, len(operations), BATCH)
    ]


ON_AMPERE = [
    operation
    for operation in (*OPERATIONS, *conversions())
    if elements_of(operation) & {"bf16", "tf32"} and not elements_of(operation) & EIGHT_BITS
]
"""What is computed otherwise where the target has no bf16 arithmetic."""

RUNS = [
    *batches("sm_90a", [*OPERATIONS, *conversions()]),
    *batches("sm_80", ON_AMPERE),
    *batches("sm_100a", list(narrow_conversions())),
]


def is_defined(operation: Operation, operands: Sequence[Array]) -> Array:
    """Where Tile IR says what the operation gives: not of quotients by 0, nor long shifts."""
    name = operation.text.split()[0]
    last = operands[-1]
    if name in ("divi", "remi"):
        return last != 0
    if name in ("shli", "shri"):
        width = width_of(operation.result)
        unsigned = last if last.dtype == np.bool_ else last.view(f"u{last.dtype.itemsize}")
        return unsigned.astype(np.uint64) < width
    return np.ones(last.shape, np.bool_)


def assert_none(comparison: Comparison, differs: Array) -> None:
    assert not differs.any(), comparison.example(differs)


def run_id(run: tuple[str, list[Operation]]) -> str:
    gpu, operations = run
    words = dict.fromkeys(operation.text.split()[0] for operation in operations)
    return f"{gpu}-{'-'.join(words)}"


@pytest.mark.parametrize("run", RUNS, ids=run_id)
def test_values(run: tuple[str, list[Operation]]):
    gpu, operations = run
    for comparison in compare(operations, gpu):
        defined = is_defined(comparison.operation, comparison.operands)
        assert_none(comparison, comparison.differs() & defined)


def test_integer_powers():
    operations = [
        Operation(case.text, case.operands, case.result)
        for case in CASES
        if case.text.startswith("fpowi")
    ]
    for comparison in compare(operations, "sm_90a"):
        dtype = comparison.got.dtype
        with np.errstate(invalid="ignore"):
            got, wanted = (a.astype(np.float64) for a in (comparison.got, comparison.wanted))
            unit = unit_in_last_place(wanted, dtype)
            is_near = np.abs(got - wanted) <= max_ulps("fpowi", dtype) * unit
        assert_none(comparison, comparison.differs() & ~is_near)


LARGE = 300
"""Operations of a kernel for ptxas; the parameters of a kernel take 4 KiB at most."""


@pytest.mark.parametrize(
    ("gpu", "operations"),
    [
        ("sm_80", ON_AMPERE),
        ("sm_90a", [*OPERATIONS[:LARGE]]),
        ("sm_90a", [*OPERATIONS[LARGE:], *conversions()]),
        ("sm_100a", [*narrow_conversions()]),
    ],
)
def test_ptxas_accepts(gpu: str, operations: list[Operation]):
    assemble(ptx(operations, gpu), gpu)


def break_rounding(text: str) -> str:
    return text.replace("add.rz.f32", "add.rn.f32")


def break_comparison(text: str) -> str:
    return text.replace("setp.ltu.f64", "setp.lt.f64")


@pytest.mark.parametrize(
    ("text", "element", "result", "broken"),
    [
        ("addf %in0, %in1 rounding<zero> : T", "f32", "f32", break_rounding),
        ("cmpf less_than unordered %in0, %in1 : T -> R", "f64", "i1", break_comparison),
    ],
)
def test_a_wrong_instruction_is_found(
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    element: str,
    result: str,
    broken: Callable[[str], str],
):
    operation = Operation(text, (element, element), result)
    correct = elementwise.ptx

    def wrong(operations: Sequence[Operation], gpu: str) -> str:
        return broken(correct(operations, gpu))

    monkeypatch.setattr(elementwise, "ptx", wrong)
    (comparison,) = compare([operation], "sm_90a")
    assert comparison.differs().any()
