"""Local memory: allocations hold what was stored, apart from each other and aligned as they say."""

from itertools import pairwise
from random import Random

import numpy as np
import pytest

from tests.unit.backend.ptx.harness import DTYPES, assemble, kernel, ptx, run

SIZES = {"i8": 1, "i16": 2, "f32": 4, "i64": 8}


@pytest.mark.parametrize("seed", range(4))
def test_allocations(seed: int) -> None:
    """Of one element or several, natural or stricter alignment, by local or generic pointers."""
    rng = Random(seed)
    lines, wanted, places = list[str](), list[int](), list[tuple[int, int]]()

    def put(value: str, type: str) -> None:
        lines.append(
            f"%o{len(lines)} = llvm.getelementptr %out[{len(wanted) + len(places)}] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i64"
        )
        lines.append(f"llvm.store {value}, %o{len(lines) - 1} : {type}, !llvm.ptr<1>")

    made = list[tuple[str, int, str]]()
    for n in range(8):
        type, count, space = rng.choice(list(SIZES)), rng.choice([1, 3, 4]), rng.choice(["<5>", ""])
        size = SIZES[type]
        alignment = rng.choice([None, size, 16, 32])
        given = "" if alignment is None else f" {{alignment = {alignment} : i64}}"
        lines += [
            f"%n{n} = llvm.mlir.constant({count} : i32) : i32",
            f"%a{n} = llvm.alloca %n{n} x {type}{given} : (i32) -> !llvm.ptr{space}",
        ]
        made.append((type, count, space))
        for m in range(count):
            at = f"llvm.getelementptr %a{n}[{m}] : (!llvm.ptr{space}) -> !llvm.ptr{space}, {type}"
            lines.append(f"%p{n}_{m} = {at}")
        address = f"%a{n}"
        if not space:
            address = f"%l{n}"
            lines.append(f"{address} = llvm.addrspacecast %a{n} : !llvm.ptr to !llvm.ptr<5>")
        lines.append(f"%w{n} = llvm.ptrtoint {address} : !llvm.ptr<5> to i64")
        put(f"%w{n}", "i64")
        places.append((alignment or size, count * size))
    number = 0
    for n, (type, count, space) in enumerate(made):
        for m in range(count):
            number += 1
            value = f"{number}.0" if type == "f32" else f"{number}"
            lines += [
                f"%v{n}_{m} = llvm.mlir.constant({value} : {type}) : {type}",
                f"llvm.store %v{n}_{m}, %p{n}_{m} : {type}, !llvm.ptr{space}",
            ]
    for n, (type, count, space) in enumerate(made):
        for m in range(count):
            lines.append(f"%r{n}_{m} = llvm.load %p{n}_{m} : !llvm.ptr{space} -> {type}")
            put(f"%r{n}_{m}", type)
            bits = np.array([len(wanted) + 1], DTYPES[type]).tobytes()
            wanted.append(int.from_bytes(bits, "little"))
    text = kernel(
        "\n".join([*lines, "llvm.return"]), "%out: !llvm.ptr<1>", "nvvm.reqntid = array<i32: 1>"
    )
    out = np.zeros(len(wanted) + len(places), np.int64)
    run(text, [out])
    assemble(ptx(text), "sm_90a")
    addresses = out[: len(places)].tolist()
    assert out[len(places) :].tolist() == wanted
    assert all(at % alignment == 0 for at, (alignment, _) in zip(addresses, places, strict=True))
    ranges = sorted((at, at + size) for at, (_, size) in zip(addresses, places, strict=True))
    assert all(end <= start for (_, end), (start, _) in pairwise(ranges))


CASTS = {
    "global": ("1", "0"),
    "shared": ("3", "0", "3"),
    "local": ("5", "0", "5"),
    "cluster": ("3", "7"),
    "cluster and back": ("3", "7", "3"),
    "cluster, generic": ("3", "7", "0", "7", "3"),
    "generic": ("1", "0", "1", "0"),
}
"""Address spaces that a pointer is cast to one after the other."""


@pytest.mark.parametrize("loaded", [True, False], ids=["address", "register"])
@pytest.mark.parametrize("cast", CASTS)
def test_casts_of_pointers(cast: str, loaded: bool) -> None:
    """What is stored by a pointer is read by the pointers that it is cast to, behind offsets too."""
    first, *others = CASTS[cast]
    made = {
        "1": ["%p0 = llvm.getelementptr %a[0] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32"],
        "3": ["%p0 = llvm.mlir.addressof @tile : !llvm.ptr<3>"],
        "5": [
            "%n = llvm.mlir.constant(8 : i32) : i32",
            "%p0 = llvm.alloca %n x i32 : (i32) -> !llvm.ptr<5>",
        ],
    }[first]
    # An offset of the thread is a sum in a register, a constant one may be part of the access.
    step = "%tid" if loaded else "1"
    types = "(!llvm.ptr<{0}>, i32)" if loaded else "(!llvm.ptr<{0}>)"
    lines = ["%tid = nvvm.read.ptx.sreg.tid.x : i32", *made]
    space = first
    lines.append(
        f"%q0 = llvm.getelementptr %p0[3] : (!llvm.ptr<{space}>) -> !llvm.ptr<{space}>, i32"
    )
    lines.append(f"llvm.store %x, %q0 : i32, !llvm.ptr<{space}>")
    for n, target in enumerate(others, 1):
        pointer = f"!llvm.ptr<{target}>" if target != "0" else "!llvm.ptr"
        source = f"!llvm.ptr<{space}>" if space != "0" else "!llvm.ptr"
        lines += [
            f"%p{n} = llvm.addrspacecast %p{n - 1} : {source} to {pointer}",
            f"%s{n} = llvm.getelementptr %p{n}[{step}] : {types.format(target)} -> {pointer}, i32".replace(
                "!llvm.ptr<0>", "!llvm.ptr"
            ),
            f"%q{n} = llvm.getelementptr %s{n}[{3 if loaded else 2}] : ({pointer}) -> {pointer}, i32",
            f"%y{n} = llvm.load %q{n} : {pointer} -> i32",
            f"%o{n} = llvm.getelementptr %out[{n}] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32",
            f"llvm.store %y{n}, %o{n} : i32, !llvm.ptr<1>",
        ]
        space = target
    body = kernel(
        "\n".join([*lines, "llvm.return"]),
        "%a: !llvm.ptr<1>, %x: i32, %out: !llvm.ptr<1>",
        "nvvm.reqntid = array<i32: 1>",
    )
    text = (
        f"llvm.mlir.global internal @tile() {{addr_space = 3 : i32}} : !llvm.array<8 x i32>\n{body}"
    )
    out = np.zeros(len(others) + 1, np.int32)
    run(text, [np.zeros(8, np.int32), 77, out])
    assert out.tolist() == [0] + [77] * len(others)
    if loaded:
        assemble(ptx(text), "sm_90a")
