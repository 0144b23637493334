"""Group r, disputed readings: where the text of an op leaves room, what ours and `tileiras` do.

`readings.toml` has them. Each form is a kernel of that op, by both compilers on the same operands;
the bits of both are recorded, and neither counts as wrong.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from bench.pack.compiling import add_ours, add_tileiras, bound, with_maps
from bench.pack.devices import PackDevice
from bench.pack.items import KERNEL_SECONDS, HostArrays, Unit, UnitSpec
from tests.unit.road.agreement import DTYPES, whole_tiles
from tileir_xdsl.runtime.arrays import Array
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.gpu_launching import host_bytes

DATA = Path(__file__).with_suffix(".toml")
DOT = 64
"""Rows, columns and terms of a dot."""
KERNEL = "k"


@dataclass(frozen=True)
class Form:
    """One form of an op: its kernel, and operands of which each row is a question."""

    name: str
    title: str
    says: str
    text: str
    inputs: tuple[Array, ...]
    output: Array
    questions: tuple[str, ...]
    stride: int = 1
    """How many elements of the output are one question's."""


@cache
def data() -> Mapping[str, Any]:
    """The readings, by kind and name."""
    return tomllib.loads(DATA.read_text(encoding="utf-8"))


def forms(kind: str, name: str) -> Iterator[Form]:
    """The forms of a reading."""
    return _FORMS[kind](name, data()[kind][name])


def number(word: str, dtype: np.dtype[Any]) -> Any:
    """A number of a type as the data has it: in words, in decimal, or as bits."""
    if word.startswith("0x"):
        return np.array(int(word, 16), f"u{dtype.itemsize}").view(dtype)[()]
    if word.startswith("-") and word[1:].isalpha():
        return -number(word[1:], dtype)
    is_integer = dtype.kind in "iu"
    limits = np.iinfo(dtype) if is_integer else ml_dtypes.finfo(dtype)
    named = {"max": "max", "min": "min", "tiny": "smallest_subnormal", "normal": "smallest_normal"}
    if word in named:
        return dtype.type(getattr(limits, named[word]))
    return dtype.type(int(word) if is_integer else float(word))


def _array(words: Sequence[str], dtype: np.dtype[Any], size: int) -> Array:
    """So many numbers; the first one fills the rest."""
    with np.errstate(all="ignore"):
        found = [number(word, dtype) for word in words]
    return np.array(found + found[:1] * (size - len(found)), dtype)


# Elementwise ops.


def _power_of_two(least: int) -> int:
    return 1 << (least - 1).bit_length()


def _elementwise(name: str, reading: Mapping[str, Any]) -> Iterator[Form]:
    for modifier in reading["modifiers"]:
        for types in reading["types"]:
            for op in reading.get("names", [""]):
                yield _form(name, reading, types.split(), op, modifier)


def _form(
    name: str, reading: Mapping[str, Any], types: Sequence[str], op: str, modifier: str
) -> Form:
    *operands, result = types
    words = reading["values"]
    rows = [words[i : i + len(operands)] for i in range(0, len(words), len(operands))]
    size = _power_of_two(len(rows))
    inputs = tuple(
        _array(column, np.dtype(DTYPES[element]), size)
        for column, element in zip(zip(*rows, strict=True), operands, strict=True)
    )
    text = reading["op"].replace("OP", op).replace("MODIFIER", modifier)
    for letter, element in (("A", operands[0]), ("R", result)):
        text = re.sub(rf"\b{letter}$|\b{letter}(?= ->)", f"tile<{size}x{element}>", text)
    # A bit has no place in memory: it becomes a byte.
    stored = "i8" if result == "i1" else result
    widened = f"%y0 = exti %r unsigned : tile<{size}xi1> -> tile<{size}xi8>"
    body = f"%r = {text}\n{widened}\n" if result == "i1" else f"%y0 = {text}\n"
    title = " ".join(filter(None, (text.split()[0], modifier, *types)))
    return Form(
        f"{name}/{title.replace(' ', '_')}",
        title,
        f"{reading['says']} ({reading['section']})",
        whole_tiles(body, inputs, [(stored, (size,))]),
        inputs,
        np.zeros(size, DTYPES[stored]),
        tuple(", ".join(row) for row in rows),
    )


# Dots.


def _dot(name: str, reading: Mapping[str, Any]) -> Iterator[Form]:
    for types in reading["types"]:
        element, result = types.split()
        dtype = np.dtype(DTYPES[element])
        lhs, rhs = np.zeros((DOT, DOT), dtype), np.ones((DOT, DOT), dtype)
        for row, words in zip(lhs, reading["rows"], strict=False):
            row[: len(words)] = _array(words, dtype, len(words))
        tile = f"tile<{DOT}x{DOT}x{{}}>".format
        body = f"""
          %x2 = constant <{result}: {reading["begin"]}> : {tile(result)}
          %y0 = {reading["op"]} : {tile(element)}, {tile(element)}, {tile(result)}
        """
        yield Form(
            f"{name}/{element}_{result}",
            f"{reading['op'].split()[0]} {types}",
            f"{reading['says']} ({reading['section']})",
            whole_tiles(body, (lhs, rhs), [(result, (DOT, DOT))]),
            (lhs.ravel(), rhs.ravel()),
            np.zeros(DOT * DOT, DTYPES[result]),
            tuple(" + ".join(row) for row in reading["rows"]),
            # All columns of a row are the same.
            stride=DOT,
        )


_FORMS = {"elementwise": _elementwise, "dot": _dot}


# Units.


def make(device: PackDevice, kind: str, name: str) -> Unit:
    """The forms of a reading, by both compilers."""
    unit = Unit(device)
    for index, form in enumerate(forms(kind, name)):
        _add(unit, f"reading_{name}", index, form)
    return unit


def _add(unit: Unit, archive: str, index: int, form: Form) -> None:
    module = f"{archive}_{index}"
    values = bound(form.text, KERNEL, [*form.inputs, form.output])
    try:
        ours, recipes = add_ours(unit, f"{module}_ours", form.text, KERNEL)
    except InputError as error:
        unit.notes.append(f"{form.name}: ours: {error}")
        return
    host = HostArrays(with_maps(recipes, values))
    launches = {"ours": ours.launch((1, 1, 1), host.described_arguments())}
    theirs = add_tileiras(unit, f"{module}_tileiras", form.text, KERNEL)
    if theirs is not None:
        launches["tileiras"] = theirs.launch((1, 1, 1), [host.described(v) for v in values])
    arrays = host.described_arrays()
    output = arrays[host.like(form.output)]
    count, stride = len(form.questions), form.stride * form.output.itemsize
    unit.items.append(
        {
            "id": f"r/{form.name}",
            "group": "r",
            "kind": "reading",
            "title": form.title,
            "note": form.says,
            "seconds": KERNEL_SECONDS,
            "launches": launches,
            "regions": [
                {"bytes": high - low, "data": unit.store(archive, host_bytes(low, high))}
                for low, high in host.regions
            ],
            "arrays": [*arrays, {**output, "shape": [count], "strides": [stride]}],
            "output": len(arrays),
            "questions": list(form.questions),
        }
    )


def units(_device: PackDevice) -> list[UnitSpec]:
    """A unit for each reading."""
    return [
        UnitSpec(f"r/{name}", make, (kind, name))
        for kind, named in data().items()
        for name in named
    ]
