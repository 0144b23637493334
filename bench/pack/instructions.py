"""Group b, instructions: the emulator's forms for a device, many micro-kernels a module.

Three sources: operations on corner values and random bits, from the emulator's own tests; the
forms that the compiler builds on, each in a kernel around it; and the same matrix products on
operands at which sums go wrong. What the emulator computes is stored as bits. The approximations
are judged on the device, against doubles.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

import tests.unit.emulator.instructions as operation_tests
from bench.pack.devices import PackDevice
from bench.pack.items import Output, Program, Unit, UnitSpec, checked_item
from tests.unit.backend.ptx import instruction_values
from tests.unit.backend.ptx.instruction_list import LISTED
from tests.unit.backend.ptx.instruction_values.value import Value, module_of
from tests.unit.emulator.instructions.cases import THREADS, Case, module, operands, sample
from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.emulator import TensorMap
from tileir_xdsl.runtime.arrays import Array
from tileir_xdsl.runtime.gpu_launching import DeviceArgument
from tileir_xdsl.runtime.ptxas import assemble
from tileir_xdsl.testing.tools import parse

PTX_VERSION = 9.0
"""Of CUDA 13.0, the oldest driver for which machine code of CUDA 13 is meant."""

AT_ONCE = 64
"""Micro-kernels of a module."""

PER_UNIT = 4 * AT_ONCE
"""Micro-kernels of a unit, which share inputs."""


# Operations.


@cache
def operation_cases(device: PackDevice) -> tuple[Case, ...]:
    """The cases of all chapters that a device can run."""
    found: list[Case] = []
    for info in pkgutil.iter_modules(operation_tests.__path__):
        if info.name.startswith("test_"):
            chapter = importlib.import_module(f"{operation_tests.__name__}.{info.name}")
            cases = getattr(chapter, "CASES", ())
            found += [c for c in cases if isinstance(c, Case) and device.has(c.text, c.target)]
    return tuple(found)


def _in_modules(
    unit: Unit, archive: str, numbers: range, add: Callable[[Unit, str, int], None]
) -> Unit:
    """A unit of micro-kernels by their numbers; `add` adds those of a module."""
    for first in numbers[::AT_ONCE]:
        add(unit, archive, first)
    return unit


def make_operations(device: PackDevice, first: int) -> Unit:
    """Some operations from a number on: each on pairs of corner values and random bits."""
    numbers = range(len(operation_cases(device)))[first : first + PER_UNIT]
    return _in_modules(Unit(device), f"operations_{first}", numbers, _add_operations)


def _add_operations(unit: Unit, archive: str, first: int) -> None:
    cases = operation_cases(unit.device)[first : first + AT_ONCE]
    name = f"operations_{first}"
    loaded = _assemble(unit, name, module(cases, unit.device.target))
    for index, case in enumerate(cases):
        inputs = sample(case)
        threads = len(inputs[0]) if inputs else THREADS
        results = [
            np.zeros((threads, type_.elements) if type_.elements > 1 else threads, type_.dtype)
            for _, type_ in operands(case.results)
        ]
        before = [result.copy() for result in results]
        grid = (threads // THREADS, 1, 1)
        loaded.launch(f"k{index}", grid, [*inputs, *results])
        expected = [result.copy() for result in results]
        for result, old in zip(results, before, strict=True):
            result[...] = old
        unit.items.append(
            checked_item(
                unit,
                archive,
                Program(name, f"k{index}", (THREADS, 1, 1)),
                grid,
                [*inputs, *results],
                [Output(r, e, allowed=case.ulps) for r, e in zip(results, expected, strict=True)],
                id=f"b/operations/{first + index}",
                group="b",
                title=case.text,
                family="operations",
            )
        )


def _assemble(unit: Unit, name: str, ptx: str) -> emulator.Module:
    """Adds a module; what the emulator makes of it."""
    unit.ptx[name] = ptx
    unit.cubins[name] = assemble(ptx, unit.device.target).cubin
    return emulator.load(ptx)


# Forms.


@cache
def forms(device: PackDevice) -> tuple[str, ...]:
    """The listed forms that a device has."""
    return tuple(
        form
        for (gpu, version), all_ in LISTED.items()
        if version <= PTX_VERSION
        for form in all_
        if device.has(form, gpu)
    )


def printed(values: Sequence[Value], target: str) -> str:
    """The PTX of a kernel for each value."""
    return emit(parse(module_of(values)), target, PTX_VERSION)


@dataclass(frozen=True)
class Launch:
    """The arrays of a micro-kernel, in the order of its parameters."""

    arrays: Mapping[str, Array]
    maps: Mapping[str, TensorMap]

    @staticmethod
    def of(value: Value) -> Launch:
        """Copies of the arrays of a value."""
        arrays = {
            **{name: loaded.values.copy() for name, loaded in value.loads.items()},
            **{name: stored.before.copy() for name, stored in value.stores.items()},
            **{name: array.copy() for name, array in value.memory.items()},
        }
        maps = {
            name: TensorMap(
                m.array.copy(), m.box, m.swizzle, m.element_strides, m.fills_with_nan, m.corners
            )
            for name, m in value.maps.items()
        }
        return Launch(arrays, maps)

    @property
    def arguments(self) -> list[DeviceArgument]:
        """What the kernel takes."""
        return [*self.arrays.values(), *self.maps.values()]

    @property
    def every(self) -> dict[str, Array]:
        """All arrays by name."""
        return {**self.arrays, **{name: m.array for name, m in self.maps.items()}}

    def run(self, loaded: emulator.Module, kernel: str, value: Value) -> None:
        """Runs the kernel in the emulator."""
        with np.errstate(all="ignore"):
            loaded.launch(kernel, (value.blocks, 1, 1), self.arguments)


def make_forms(device: PackDevice, first: int) -> Unit:
    """Some of the listed forms from a number on, with the inputs of their tests."""
    numbers = range(len(forms(device)))[first : first + PER_UNIT]
    return _in_modules(Unit(device), f"forms_{first}", numbers, _add_forms)


def _add_forms(unit: Unit, archive: str, first: int) -> None:
    chosen, name = forms(unit.device)[first : first + AT_ONCE], f"forms_{first}"
    values = [instruction_values.values()[form] for form in chosen]
    loaded = _assemble(unit, name, printed(values, unit.device.target))
    for index, (form, value) in enumerate(zip(chosen, values, strict=True)):
        before, after = Launch.of(value), Launch.of(value)
        after.run(loaded, f"k{index}", value)
        outputs = [
            Output(array, after.every[key], allowed=value.ulps)
            for key, array in before.every.items()
            if key not in value.unchecked
        ]
        program = _program(name, index, value)
        _add(unit, archive, program, value, before, outputs, f"b/forms/{form}", form, "forms")


def _program(module: str, index: int, value: Value) -> Program:
    return Program(module, f"k{index}", (value.threads, 1, 1), 0, value.cluster)


def _add(
    unit: Unit,
    archive: str,
    program: Program,
    value: Value,
    launch: Launch,
    outputs: Sequence[Output],
    identifier: str,
    title: str,
    family: str,
) -> None:
    unit.items.append(
        checked_item(
            unit,
            archive,
            program,
            (value.blocks, 1, 1),
            launch.arguments,
            outputs,
            id=identifier,
            group="b",
            title=title,
            family=family,
        )
    )


# Products on operands at which sums go wrong.

BITS = {
    "f16": (16, 10), "bf16": (16, 7), "tf32": (32, 23), "f64": (64, 52),
    "e4m3": (8, 3), "e5m2": (8, 2), "f32": (32, 23),
}  # fmt: skip
"""The bits of an element of a float operand, and those of its mantissa."""

ADVERSARIAL_COLUMNS = ("n8k", "n16k", "n64k")
_OPCODE = re.compile(r"^(?:mma\.sync|wgmma\.mma_async)\.sync\.aligned|^mma\.sync\.aligned")
_TYPES = re.compile(r"\.(f16|f32|f64|s32)\.(\w+)\.(\w+?)(?:\.(?:f16|f32|f64|s32|and))?(?:\.popc)?$")

SUM_ERRORS = {"f32": 2.0**-19, "f16": 2.0**-9, "f64": 2.0**-48}
"""What an accumulator may lose of the sum of the magnitudes and still count as near: PTX leaves
order and precision of these sums open."""

PROFILES = ("wide", "special")


@cache
def mma_forms(device: PackDevice) -> tuple[str, ...]:
    """Dense products of a warp, and those of a warpgroup of a few widths."""
    dense = [f for f in forms(device) if _OPCODE.match(f) and ".sp" not in f and _TYPES.search(f)]
    return tuple(
        form
        for form in dense
        if form.startswith("mma") or any(width in form for width in ADVERSARIAL_COLUMNS)
    )


def types_of(form: str) -> tuple[str, str, str]:
    """The element types of the accumulator and both operands of a product."""
    found = _TYPES.search(form)
    assert found is not None, form
    return found[1], found[2], found[3]


def adversarial(type_: str, size: int, profile: str, random: np.random.Generator) -> Array:
    """So many bytes of elements of a type.

    `wide`: full mantissas of exponents far apart, so that terms cancel and sums lose bits.
    `special`: also subnormals, zeros of both signs, the largest numbers, infinities and NaN.
    Integers and bits are random in both.
    """
    if type_ not in BITS:
        return random.integers(0, 256, size, np.uint8)
    bits, mantissa = BITS[type_]
    count, exponents = size * 8 // bits, (1 << (bits - 1 - mantissa)) - 1
    middle = exponents // 2
    spread = min(middle - 1, 12)
    exponent = random.integers(middle - spread, middle + spread // 2 + 1, count).astype(np.uint64)
    if profile == "special":
        rare = random.random(count) < 0.15
        exponent[rare] = random.choice([0, 0, 1, exponents - 1, exponents], int(rare.sum()))
    element = exponent << np.uint64(mantissa)
    element |= random.integers(0, 1 << mantissa, count).astype(np.uint64)
    if profile == "special":
        element[random.random(count) < 0.05] = 0
    element |= random.integers(0, 2, count).astype(np.uint64) << np.uint64(bits - 1)
    return element.astype(f"u{bits // 8}").view(np.uint8)


def _operands_of(value: Value, form: str) -> Iterator[tuple[str, str]]:
    """The arrays of a product by name, with the type of their elements; `image` has both."""
    d, a, b = types_of(form)
    types = {"a": a, "b": b, "c": d, "image": a}
    for name in (*value.loads, *value.memory):
        if name in types:
            yield name, types[name]


def _sizes_only(array: Array, type_: str) -> None:
    """Clears the signs of floats."""
    if type_ in BITS:
        bits, _ = BITS[type_]
        raw = array.reshape(-1).view(f"u{bits // 8}")
        raw &= raw.dtype.type((1 << (bits - 1)) - 1)


def make_mmas(device: PackDevice, first: int) -> Unit:
    """Some products from a number on, on operands of both profiles."""
    unit = Unit(device)
    chosen, name = mma_forms(device)[first : first + AT_ONCE], f"products_{first}"
    values = [instruction_values.values()[form] for form in chosen]
    loaded = _assemble(unit, name, printed(values, device.target))
    for index, (form, value) in enumerate(zip(chosen, values, strict=True)):
        kinds, types = dict(_operands_of(value, form)), types_of(form)
        is_float = any(type_ in BITS for type_ in types[1:])
        for profile in PROFILES if is_float else PROFILES[:1]:
            before = Launch.of(value)
            random = np.random.default_rng(index + first)
            for key, type_ in kinds.items():
                array = before.arrays[key]
                raw = adversarial(type_, array.nbytes, profile, random)
                array.reshape(-1).view(np.uint8)[:] = raw
            after, sizes = (_with(value, before) for _ in range(2))
            after.run(loaded, f"k{index}", value)
            for key, type_ in kinds.items():
                _sizes_only(sizes.arrays[key], type_)
            sizes.run(loaded, f"k{index}", value)
            allowed = SUM_ERRORS.get(types[0], 0.0) if is_float else 0.0
            outputs = [
                Output(
                    before.arrays[key],
                    after.arrays[key],
                    allowed=allowed,
                    magnitude=sizes.arrays[key] if is_float else None,
                )
                for key in value.stores
            ]
            identifier, program = f"b/{profile}/{form}", _program(name, index, value)
            _add(unit, name, program, value, before, outputs, identifier, form, profile)
    return unit


def _with(value: Value, launch: Launch) -> Launch:
    """A launch with copies of the arrays of another one."""
    copy = Launch.of(value)
    for key, array in launch.arrays.items():
        copy.arrays[key][...] = array
    return copy


# Approximations.

POINTS = 1 << 22

_EVERY = {"low": -3.5e38, "high": 3.5e38}
_POSITIVE = {"low": 0.0, "high": 3.5e38}
_AROUND_ONE = {"low": 0.5, "high": 2.0}
_PERIOD = {"low": -3.1415927, "high": 3.1415927}

APPROXIMATIONS: Mapping[str, Sequence[Mapping[str, object]]] = {
    "ex2": [{**_EVERY, "measure": "ulp", "bound": 2.0}],
    "tanh": [{**_EVERY, "measure": "relative", "bound": 2.0**-11}],
    "rcp": [{**_EVERY, "measure": "ulp", "bound": 1.0}],
    "rsqrt": [{**_POSITIVE, "measure": "relative", "bound": 2.0**-22.9}],
    "sqrt": [{**_POSITIVE, "measure": "relative", "bound": 2.0**-23}],
    "lg2": [
        {**_AROUND_ONE, "measure": "absolute", "bound": 2.0**-22},
        {"low": 2.0, "high": 3.5e38, "measure": "relative", "bound": 2.0**-22},
    ],
    "sin": [{**_PERIOD, "measure": "absolute", "bound": 2.0**-20.5}],
    "cos": [{**_PERIOD, "measure": "absolute", "bound": 2.0**-20.5}],
}
"""The largest error that the PTX ISA states of each `.approx.f32`, by range."""


def make_approximations(device: PackDevice) -> Unit:
    """A kernel for each approximation, an element a thread."""
    cases = [Case(f"{f}.approx.f32 %r, %a;", "a:f32", "r:f32", np.abs) for f in APPROXIMATIONS]
    unit = Unit(device)
    _assemble(unit, "approximations", module(cases, device.target))
    for index, (function, ranges) in enumerate(APPROXIMATIONS.items()):
        program = Program("approximations", f"k{index}", (THREADS, 1, 1))
        unit.items.append(
            {
                "id": f"b/approximation/{function}",
                "group": "b",
                "kind": "approximation",
                "title": f"{function}.approx.f32",
                "seconds": 30,
                "function": function,
                "points": POINTS,
                "ranges": [dict(each) for each in ranges],
                "launch": program.launch((1, 1, 1), [{"array": 0}, {"array": 1}]),
            }
        )
    return unit


def units(device: PackDevice) -> list[UnitSpec]:
    """The units of this group, operations first."""
    made: list[UnitSpec] = [UnitSpec("b/approximations", make_approximations)]
    for name, make, count, each in (
        ("operations", make_operations, len(operation_cases(device)), PER_UNIT),
        ("products", make_mmas, len(mma_forms(device)), AT_ONCE),
        ("forms", make_forms, len(forms(device)), PER_UNIT),
    ):
        made += [UnitSpec(f"b/{name}/{i}", make, (i,)) for i in range(0, count, each)]
    return made
