"""Loops that break and continue, nested branches, early returns, printing and assertions."""

from __future__ import annotations

from typing import Any

import numpy as np

from tileir_xdsl.testing.kernels.agreement import Array, Expected
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ScalarConstraint, ct


@kernel
def collatz(numbers: Any, steps: Any, limit: int) -> None:
    i = ct.bid(0)
    n: Any = ct.load(numbers, index=(i,), shape=()).item()
    count = 0
    while True:
        if n == 1:
            break
        if count >= limit:
            count = -1
            break
        count += 1
        if n % 2 == 0:
            n = n // 2
            continue
        n = 3 * n + 1
    ct.store(steps, index=(i,), tile=count)


def collatz_reference(numbers: Array, steps: Array, limit: int) -> list[Expected]:
    results: list[int] = []
    for number in numbers.tolist():
        count = 0
        while number != 1 and count < limit:
            number = number // 2 if number % 2 == 0 else 3 * number + 1
            count += 1
        results.append(count if number == 1 else -1)
    return [Expected(np.array(results, steps.dtype))]


def collatz_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    (length,) = problem
    numbers = rng.integers(1, 60, length).astype(np.int32)
    return [numbers, np.zeros(length, np.int32), 40]


@kernel
def nested_branches(x: Any, out: Any) -> None:
    i = ct.bid(0)
    if i >= x.shape[0]:
        return
    value: Any = ct.load(x, index=(i,), shape=()).item()
    result = 0
    if value > 0:
        if value > 100:
            result = 3
        elif value % 2 == 0:
            result = 2
            for k in range(value):
                if k == 3:
                    continue
                if k > 5:
                    result = result + 10
                    continue
                result = result + k
        else:
            result = 1
    elif value < 0:
        result = -value
    ct.store(out, index=(i,), tile=result)


def _branches(value: int) -> int:
    if value <= 0:
        return -value
    if value > 100:
        return 3
    if value % 2:
        return 1
    return 2 + sum(10 if k > 5 else k for k in range(value) if k != 3)


def branches_reference(x: Array, out: Array) -> list[Expected]:
    return [Expected(np.array([_branches(v) for v in x.tolist()], out.dtype))]


def branches_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    (length,) = problem
    return [rng.integers(-20, 120, length).astype(np.int32), np.zeros(length, np.int32)]


@kernel
def checked_print(x: Any, out: Any) -> None:
    i = ct.bid(0)
    tile = ct.load(x, index=(i,), shape=(8,))
    ct.assert_(tile >= 0, "negative input")
    total = ct.sum(tile)
    ct.printf("block %d: sum %d of ", i, total)
    ct.print(tile)
    ct.store(out, index=(i,), tile=ct.reshape(total, (1,)))


def checked_reference(x: Array, out: Array) -> list[Expected]:
    return [Expected(x.reshape(-1, 8).sum(axis=1).astype(out.dtype))]


def checked_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    (count,) = problem
    return [rng.integers(0, 100, 8 * count).astype(np.int32), np.zeros(count, np.int32)]


CASES = (
    KernelCase(
        name="collatz",
        kernel=collatz,
        parameters=(array(ct.int32), array(ct.int32), ScalarConstraint(ct.int32)),
        problems=((1,), (20,)),
        arguments=collatz_arguments,
        grid=lambda problem: (problem[0], 1, 1),
        reference=collatz_reference,
        outputs=(1,),
    ),
    KernelCase(
        name="nested_branches",
        kernel=nested_branches,
        parameters=(array(ct.int32), array(ct.int32)),
        problems=((1,), (20,)),
        arguments=branches_arguments,
        grid=lambda problem: (problem[0] + 2, 1, 1),
        reference=branches_reference,
        outputs=(1,),
    ),
    KernelCase(
        name="checked_print",
        kernel=checked_print,
        parameters=(array(ct.int32), array(ct.int32)),
        problems=((1,), (3,)),
        arguments=checked_arguments,
        grid=lambda problem: (problem[0], 1, 1),
        reference=checked_reference,
        outputs=(1,),
    ),
)
