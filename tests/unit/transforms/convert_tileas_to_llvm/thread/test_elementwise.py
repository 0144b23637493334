"""Every elementwise operation, type, rounding mode and flag: PTX computes what the operation means.

What the dialect's verifier accepts is the list. Elementary functions agree within their bounds;
docs/numerics.md measures them more closely.
"""

import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pytest

from tests.unit.backend.ptx.harness import assemble
from tests.unit.interpreters.cuda_tile.elementwise import CASES, width_of
from tests.unit.transforms.convert_tileas_to_llvm import elementwise
from tests.unit.transforms.convert_tileas_to_llvm.accepted import (
    OPERATIONS,
    accepted,
    key,
)
from tests.unit.transforms.convert_tileas_to_llvm.elementwise import (
    Comparison,
    Operation,
    compare,
    kernel,
    ptx,
)
from tileir_xdsl.dialects.cuda_tile import IntToPtrOp, OffsetOp, PtrToIntOp, PtrToPtrOp
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels.agreement import ULPS, max_ulps, unit_in_last_place

EIGHT_BITS = {"f8E4M3FN", "f8E5M2"}
NARROW = {"f8E8M0FNU", "f4E2M1FN"}
"""What only the latest targets have."""

UNSIGNED = {"fnv8E5M3FNU"}
"""What one target has; sm_107a converts it by instructions, sm_107 by arithmetic."""

KERNELS = {"sm_90a": 25, "sm_80": 5, "sm_100a": 4, "sm_107a": 2, "sm_107": 1}
"""On how many kernels the operations of a target are shared out to be run, some 40 each."""

PTXAS_KERNELS = {"sm_90a": 4, "sm_80": 1, "sm_100a": 1, "sm_107a": 1, "sm_107": 1}
"""The same for ptxas; the parameters of a kernel take 4 KiB at most."""


def elements_of(operation: Operation) -> set[str]:
    return {*operation.operands, operation.result}


def operations_of(gpu: str) -> list[Operation]:
    """What is tried on a target: all, what needs bf16 arithmetic that it lacks, what it alone has."""
    everything = accepted().values()
    newest = [operation for operation in everything if elements_of(operation) & UNSIGNED]
    everything = [operation for operation in everything if operation not in newest]
    common = [operation for operation in everything if not elements_of(operation) & NARROW]
    match gpu:
        case "sm_107" | "sm_107a":
            return newest
        case "sm_90a":
            return common
        case "sm_80":
            return [
                operation
                for operation in common
                if elements_of(operation) & {"bf16", "tf32"}
                and not elements_of(operation) & EIGHT_BITS
            ]
        case _:
            return [operation for operation in everything if elements_of(operation) & NARROW]


def shares(kernels: Mapping[str, int]) -> list[tuple[str, slice]]:
    """Targets, each with every so many of its operations; these are made when a test asks."""
    return [
        (gpu, slice(first, None, number))
        for gpu, number in kernels.items()
        for first in range(number)
    ]


def share_id(value: str | slice) -> str:
    return value if isinstance(value, str) else str(value.start)


def shifted_left(value: Array, amount: Array) -> Array:
    return value * 2**amount


EXACT: dict[str, Callable[..., Array]] = {
    "addi": np.add,
    "subi": np.subtract,
    "muli": np.multiply,
    "negi": np.negative,
    "shli": shifted_left,
    "trunci": np.positive,
}
"""Integer operations that may promise not to overflow, on numbers of any size."""

PROMISES = {
    "no_signed_wrap": (True,),
    "no_unsigned_wrap": (False,),
    "no_wrap": (True, False),
}
"""The signednesses in which nothing overflows."""


def as_numbers(array: Array, element: str, signed: bool) -> Array:
    """Integers of an element type as Python's, of any size."""
    width = width_of(element)
    unsigned = array.astype(np.uint8) if element in ("i1", "i4") else array
    numbers = unsigned.view(f"u{unsigned.dtype.itemsize}").astype(object) % (1 << width)
    return (
        np.where(numbers >> (width - 1) != 0, numbers - (1 << width), numbers)
        if signed
        else numbers
    )


def keeps_promise(operation: Operation, operands: Sequence[Array], promise: str) -> Array:
    """Where no overflow happens that an operation promises not to have."""
    width, kept = width_of(operation.result), np.ones(operands[0].shape, np.bool_)
    for signed in PROMISES[promise]:
        numbers = [
            as_numbers(array, element, signed)
            for array, element in zip(operands, operation.operands, strict=True)
        ]
        if operation.name == "shli":
            numbers[1] = as_numbers(operands[1], operation.operands[1], signed=False) % width
        exact = EXACT[operation.name](*numbers)
        low, high = (-(1 << (width - 1)), 1 << (width - 1)) if signed else (0, 1 << width)
        kept &= ((exact >= low) & (exact < high)).astype(np.bool_)
    return kept


def is_defined(operation: Operation, operands: Sequence[Array]) -> Array:
    """Where Tile IR says what the operation gives.

    Not of quotients by 0, long shifts, broken promises; the bound of an approximated `exp` is for
    small numbers.
    """
    last = operands[-1]
    defined = np.ones(last.shape, np.bool_)
    if operation.name in ("divi", "remi"):
        defined = last != 0
    if operation.name in ("shli", "shri"):
        defined = as_numbers(last, operation.result, signed=False) < width_of(operation.result)
    if promise := re.search(r"overflow<(\w+)>", operation.text):
        defined = defined & keeps_promise(operation, operands, promise[1])
    if operation.name == "exp" and operation.modifiers:
        defined = ~(np.abs(last) > 4)
    return defined.astype(np.bool_)


def is_near(comparison: Comparison) -> Array:
    """Where an operation that is not exact is within its bound."""
    operation, dtype = comparison.operation, comparison.got.dtype
    name = " ".join((operation.name, operation.modifiers.replace("flush_to_zero", ""))).strip()
    if name not in ULPS:
        return np.zeros(comparison.got.shape, np.bool_)
    with np.errstate(invalid="ignore"):
        got, wanted = (a.astype(np.float64) for a in (comparison.got, comparison.wanted))
        return np.abs(got - wanted) <= max_ulps(name, dtype) * unit_in_last_place(wanted, dtype)


@pytest.mark.one_in(15)
@pytest.mark.parametrize(("gpu", "share"), shares(KERNELS), ids=share_id)
def test_values(gpu: str, share: slice):
    """ptxas takes all of the types below."""
    wrong = [
        comparison.example(differs)
        for comparison in compare(operations_of(gpu)[share], gpu)
        if (
            differs := comparison.differs()
            & is_defined(comparison.operation, comparison.operands)
            & ~is_near(comparison)
        ).any()
    ]
    assert not wrong, "\n".join(wrong)


def test_the_list_has_all_that_other_tests_name():
    """What the interpreters' tests spell out by hand is among what the verifier accepts."""
    named = [
        Operation(case.text, case.operands, case.result)
        for case in CASES
        if "fpowf" not in case.text
    ]
    keys = {
        key(operation)
        for operation in tools.parse(kernel(named)).walk()
        if isinstance(operation, OPERATIONS) and not isinstance(operation, OffsetOp)
    }
    assert keys <= accepted().keys()
    assert len(keys) > 500


def test_every_elementwise_operation_is_accepted_with_some_types():
    of_pointers = {IntToPtrOp, OffsetOp, PtrToIntOp, PtrToPtrOp}
    names = {name for name, *_ in accepted()}
    assert names == {op.name for op in OPERATIONS if op not in of_pointers}


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("gpu", "share"), shares(PTXAS_KERNELS), ids=share_id)
def test_ptxas_accepts(gpu: str, share: slice):
    assemble(ptx(operations_of(gpu)[share], gpu), gpu)


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
