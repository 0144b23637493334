"""Loads, stores, masks and addresses: values in the emulator, and the shape of the text."""

import itertools
import random
import re
from collections.abc import Callable

import numpy as np
import pytest

from tests.unit.backend.ptx.harness import DTYPES, GPUS, Array, assemble, kernel, ptx, run

SIZES = {"i8": 1, "i16": 2, "f16": 2, "bf16": 2, "i32": 4, "f32": 4, "i64": 8, "f64": 8}


def sequence(type: str, count: int) -> Array:
    return (np.arange(count) % 100 + 1).astype(DTYPES[type])


def constant(name: str, value: int, type: str = "i32") -> str:
    return f"%{name} = llvm.mlir.constant({value} : {type}) : {type}"


def copy(type: str, count: int, alignment: int) -> str:
    """Each thread copies a vector."""
    vector = f"vector<{count}x{type}>"
    body = f"""%tid = nvvm.read.ptx.sreg.tid.x : i32
    %from = llvm.getelementptr %a[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, {vector}
    %to = llvm.getelementptr %b[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, {vector}
    %v = llvm.load %from {{alignment = {alignment} : i64}} : !llvm.ptr<1> -> {vector}
    llvm.store %v, %to {{alignment = {alignment} : i64}} : {vector}, !llvm.ptr<1>
    llvm.return"""
    return kernel(body, "%a: !llvm.ptr<1>, %b: !llvm.ptr<1>")


@pytest.mark.one_in(3)
@pytest.mark.parametrize("count", (1, 2, 4, 8, 16))
@pytest.mark.parametrize("type", SIZES)
def test_vector_copy(type: str, count: int) -> None:
    size = SIZES[type]
    for alignment in {size, min(16, size * count), min(8, size * count)}:
        text = copy(type, count, alignment)
        a = sequence(type, 64 * count)
        b = np.zeros_like(a)
        run(text, [a, b])
        np.testing.assert_array_equal(b, a)
        assemble(ptx(text), "sm_90a")


def test_access_widths() -> None:
    for (type, count, alignment), expected in {
        ("f32", 4, 16): ["v4.f32"],
        ("f32", 4, 8): ["v2.f32", "v2.f32"],
        ("f32", 4, 4): ["f32"] * 4,
        ("f32", 8, 16): ["v4.f32", "v4.f32"],
        ("f16", 8, 16): ["v4.b32"],
        ("f16", 8, 2): ["b16"] * 8,
        ("i8", 16, 16): ["v4.b32"],
        ("f64", 2, 16): ["v2.f64"],
        ("f32", 3, 4): ["f32"] * 3,
    }.items():
        lines = ptx(copy(type, count, alignment)).splitlines()
        for opcode in ("ld.global.", "st.global."):
            found = [line.split()[0].removeprefix(opcode) for line in lines if opcode in line]
            assert found == expected, (type, count, alignment)


FIELDS = {"i8": "i1", "i16": "i2", "i32": "i4", "f32": "f4", "i64": "i8", "f64": "f8"}
"""Types of fields, and what numpy calls them."""


@pytest.mark.parametrize("seed", range(3))
def test_struct_copy(seed: int) -> None:
    """Fields are where C, and so numpy, has them; no access is less aligned than its size."""
    rng = random.Random(seed)
    for _ in range(6):
        # Runs of a type, which become vectors where they begin at a multiple of the vector's size.
        runs = [(rng.choice(list(FIELDS)), rng.randint(1, 4)) for _ in range(rng.randint(2, 4))]
        types = [type for type, count in runs for _ in range(count)]
        dtype = np.dtype([(f"f{n}", FIELDS[type]) for n, type in enumerate(types)], align=True)
        struct = f"!llvm.struct<({', '.join(types)})>"
        body = f"""%v = llvm.load %a {{alignment = 16 : i64}} : !llvm.ptr<1> -> {struct}
        llvm.store %v, %b {{alignment = 16 : i64}} : {struct}, !llvm.ptr<1>
        llvm.return"""
        a, b = (np.zeros(dtype.itemsize, np.uint8) for _ in range(2))
        for number, name in enumerate(dtype.names or ()):
            a.view(dtype)[name] = number + 1
        run(kernel(body, "%a: !llvm.ptr<1>, %b: !llvm.ptr<1>"), [a, b])
        assert b.view(dtype).tolist() == a.view(dtype).tolist(), struct


def masked(type: str, count: int, alignment: int, bits: list[str], other: str | None) -> str:
    """A masked copy; `bits` are the names of the mask's elements."""
    vector, mask = f"vector<{count}x{type}>", f"vector<{count}xi1>"
    lines = [
        "%tid = nvvm.read.ptx.sreg.tid.x : i32",
        "%true = llvm.mlir.constant(true) : i1",
        "%false = llvm.mlir.constant(false) : i1",
        f"%from = llvm.getelementptr %a[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, {vector}",
        f"%to = llvm.getelementptr %b[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, {vector}",
        "%base = llvm.getelementptr %m[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, "
        f"!llvm.array<{count} x i8>",
        f"%u = llvm.mlir.undef : {mask}",
    ]
    last = "%u"
    for n, bit in enumerate(bits):
        lines += [
            constant(f"i{n}", n),
            f"%n{n} = llvm.getelementptr %base[{n}] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8",
            f"%l{n} = llvm.load %n{n} : !llvm.ptr<1> -> i8",
            f"%m{n} = llvm.trunc %l{n} : i8 to i1",
            f"%w{n} = llvm.insertelement %{bit}, {last}[%i{n} : i32] : {mask}",
        ]
        last = f"%w{n}"
    pass_thru, types = "", f"!llvm.ptr<1>, {mask}"
    if other is not None:
        dense = f"dense<{other}> : {vector}"
        lines.append(f"%other = llvm.mlir.constant({dense}) : {vector}")
        pass_thru, types = ", %other", f"{types}, {vector}"
    lines += [
        f"%v = llvm.intr.masked.load %from, {last}{pass_thru} "
        f"{{alignment = {alignment} : i32}} : ({types}) -> {vector}",
        f"llvm.store %v, %to {{alignment = {alignment} : i64}} : {vector}, !llvm.ptr<1>",
        f"%from2 = llvm.getelementptr %c[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, {vector}",
        f"llvm.intr.masked.store %v, %from2, {last} {{alignment = {alignment} : i32}} "
        f": {vector}, {mask} into !llvm.ptr<1>",
        "llvm.return",
    ]
    arguments = "%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %c: !llvm.ptr<1>, %m: !llvm.ptr<1>"
    return kernel("\n".join(lines), arguments)


def mask_of(bits: list[str], masks: Array) -> Array:
    """What the mask elements named `bits` are, given the bytes loaded by each thread."""
    values = {"true": np.ones(64, bool), "false": np.zeros(64, bool)}
    values |= {f"m{n}": masks[:, n].astype(bool) for n in range(masks.shape[1])}
    return np.stack([values[bit] for bit in bits], 1)


def variants(count: int) -> list[list[str]]:
    """Masks all different, all the same, constant, and mixed."""
    own = [f"m{n}" for n in range(count)]
    return [
        own,
        ["m0"] * count,
        ["true"] * count,
        ["false"] * count,
        ["true", *own[1:]],
        [*own[:-1], "false"],
        [own[n // 2 * 2] for n in range(count)],
    ]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("alignment", (4, 16))
@pytest.mark.parametrize("shape", (("f32", 4), ("f32", 8), ("f16", 8), ("i8", 8), ("i64", 2)))
def test_masked_access(shape: tuple[str, int], alignment: int) -> None:
    type, count = shape
    alignment = max(alignment, SIZES[type])
    generator = np.random.default_rng(count)
    masks = (generator.random((64, count)) < 0.6).astype(np.int8)
    masks[:8] = 1
    masks[8:16] = 0
    for bits, other in itertools.product(variants(count), ("0", "7")):
        value = f"{other}.0" if type.startswith("f") else other
        text = masked(type, count, min(alignment, SIZES[type] * count), bits, value)
        a = sequence(type, 64 * count)
        b, c = np.zeros_like(a), np.full_like(a, 3)
        run(text, [a, b, c, masks.reshape(-1)])
        taken = mask_of(bits, masks).reshape(-1)
        np.testing.assert_array_equal(b, np.where(taken, a, a.dtype.type(int(other))))
        np.testing.assert_array_equal(c, np.where(taken, a, a.dtype.type(3)))


def test_masked_access_beside_the_end_of_memory() -> None:
    # Only the first half of the vectors is inside the arrays: the emulator reports any other access.
    bits = [f"m{n}" for n in range(4)]
    text = masked("f32", 4, 16, bits, "0.0")
    count = 130
    masks = (np.arange(256) < count).astype(np.int8)
    a = sequence("f32", count)
    b, c = np.zeros(256, np.float32), np.zeros(count, np.float32)
    run(text, [a, b, c, masks])
    np.testing.assert_array_equal(b[:count], a)
    np.testing.assert_array_equal(c, a)
    assert not b[count:].any()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("gpu", GPUS)
def test_ptxas_accepts_masked_access(gpu: str) -> None:
    for type, count in (("f32", 4), ("bf16", 8), ("i8", 16)):
        own = [f"m{n}" for n in range(count)]
        for bits in (own, ["m0"] * count):
            report = assemble(ptx(masked(type, count, 16, bits, None), gpu), gpu)
            assert "0 bytes spill stores, 0 bytes spill loads" in report


# Addresses.


def address_kernel(ops: str) -> str:
    """Loads an f32 from `%p` and stores it to `%b[tid]`."""
    return kernel(
        f"""%tid = nvvm.read.ptx.sreg.tid.x : i32
        {ops}
        %v = llvm.load %p {{alignment = 4 : i64}} : !llvm.ptr<1> -> f32
        %to = llvm.getelementptr %b[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
        llvm.store %v, %to : f32, !llvm.ptr<1>
        llvm.return""",
        "%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %n: i32",
    )


GEP = "(!llvm.ptr<1>, i32) -> !llvm.ptr<1>"
GEP64 = "(!llvm.ptr<1>, i64) -> !llvm.ptr<1>"
CONSTANT = "(!llvm.ptr<1>) -> !llvm.ptr<1>"

ADDRESSES: dict[str, tuple[str, str]] = {
    "constant": ("%p = llvm.getelementptr %a[5] : " + CONSTANT + ", f32", "[%rd0+20]"),
    "constant after dynamic": (
        f"%q = llvm.getelementptr %a[%tid] : {GEP}, f32\n"
        f"%p = llvm.getelementptr %q[3] : {CONSTANT}, f32",
        "+12]",
    ),
    "dynamic after constant": (
        f"%q = llvm.getelementptr %a[3] : {CONSTANT}, f32\n"
        f"%p = llvm.getelementptr %q[%tid] : {GEP}, f32",
        "+12]",
    ),
    "sum without wrap": (
        f"{constant('c', 3)}\n%i = llvm.add %tid, %c overflow<nsw> : i32\n"
        f"%p = llvm.getelementptr %a[%i] : {GEP}, f32",
        "+12]",
    ),
    "sum that may wrap": (
        f"{constant('c', 3)}\n%i = llvm.add %tid, %c : i32\n"
        f"%p = llvm.getelementptr %a[%i] : {GEP}, f32",
        "ld.global.f32",
    ),
    "widened sum": (
        f"{constant('c', 3)}\n%i = llvm.add %tid, %c overflow<nsw> : i32\n"
        f"%w = llvm.sext %i : i32 to i64\n%p = llvm.getelementptr %a[%w] : {GEP64}, f32",
        "+12]",
    ),
    "unsigned": (
        f"%w = llvm.zext %tid : i32 to i64\n%p = llvm.getelementptr %a[%w] : {GEP64}, f32",
        "mad.wide.u32 %rd2, %r0, 4, %rd0;",
    ),
    "product": (
        f"{constant('c', 2, 'i64')}\n%w = llvm.sext %tid : i32 to i64\n"
        "%x = llvm.mul %w, %c : i64\n"
        f"%p = llvm.getelementptr %a[%x] : {GEP64}, f32",
        "mad.wide.s32 %rd2, %r0, 8, %rd0;",
    ),
    "shift": (
        f"{constant('c', 1, 'i64')}\n%w = llvm.sext %tid : i32 to i64\n"
        "%x = llvm.shl %w, %c : i64\n"
        f"%p = llvm.getelementptr %a[%x] : {GEP64}, f32",
        "mad.wide.s32 %rd2, %r0, 8, %rd0;",
    ),
    "64-bit index": (
        "%w = llvm.sext %tid : i32 to i64\n%x = llvm.mul %w, %w : i64\n"
        f"%p = llvm.getelementptr %a[%x] : {GEP64}, f32",
        "mul.wide.s32",
    ),
    "structs and arrays": (
        f"%p = llvm.getelementptr %a[%tid, 1, 2] : {GEP}, !llvm.struct<(i8, !llvm.array<3 x f32>)>",
        "+12]",
    ),
    "negative": (
        f"%q = llvm.getelementptr %a[%tid] : {GEP}, f32\n"
        f"%r = llvm.getelementptr %q[4] : {CONSTANT}, f32\n"
        f"%p = llvm.getelementptr %r[-2] : {CONSTANT}, f32",
        "+8]",
    ),
    "pointer as integer": (
        f"%q = llvm.getelementptr %a[%tid] : {GEP}, f32\n"
        "%i = llvm.ptrtoint %q : !llvm.ptr<1> to i64\n"
        f"{constant('c', 8, 'i64')}\n%j = llvm.add %i, %c : i64\n"
        "%p = llvm.inttoptr %j : i64 to !llvm.ptr<1>",
        "add.s64",
    ),
    "generic": (
        f"%q = llvm.getelementptr %a[%tid] : {GEP}, f32\n"
        "%g = llvm.addrspacecast %q : !llvm.ptr<1> to !llvm.ptr\n"
        "%p = llvm.addrspacecast %g : !llvm.ptr to !llvm.ptr<1>",
        "cvta.to.global.u64",
    ),
}
ELEMENTS: dict[str, Callable[[Array], Array]] = {
    "constant": lambda t: 5 + 0 * t,
    "constant after dynamic": lambda t: t + 3,
    "dynamic after constant": lambda t: t + 3,
    "sum without wrap": lambda t: t + 3,
    "sum that may wrap": lambda t: t + 3,
    "widened sum": lambda t: t + 3,
    "unsigned": lambda t: t,
    "product": lambda t: 2 * t,
    "shift": lambda t: 2 * t,
    "64-bit index": lambda t: t * t,
    "structs and arrays": lambda t: 4 * t + 3,
    "negative": lambda t: t + 2,
    "pointer as integer": lambda t: t + 2,
    "generic": lambda t: t,
}
"""The element of the array that thread t reads."""


@pytest.mark.parametrize("name", ADDRESSES)
def test_address(name: str) -> None:
    ops, expected = ADDRESSES[name]
    text = address_kernel(ops)
    assert expected in ptx(text)
    assemble(ptx(text), "sm_90a")
    a, b = np.arange(4096, dtype=np.float32), np.zeros(64, np.float32)
    run(text, [a, b, 1])
    np.testing.assert_array_equal(b, a[ELEMENTS[name](np.arange(64))])


def test_addresses_share_a_product() -> None:
    ops = f"%w = llvm.sext %tid : i32 to i64\n%p = llvm.getelementptr %a[%w] : {GEP64}, f32"
    text = ptx(address_kernel(ops))
    assert text.count("mul.wide.s32 ") == text.count("add.s64 ") == 2
    assert "mad.wide" not in text
    assemble(text, "sm_90a")


def test_far_offsets_stay_in_registers() -> None:
    ops = f"%p = llvm.getelementptr %a[1073741824] : {CONSTANT}, f32"
    text = ptx(address_kernel(ops))
    assert "add.s64 %rd2, %rd0, 4294967296;" in text
    assemble(text, "sm_90a")


def test_address_of_a_symbol_is_in_one_register() -> None:
    body = """%tid = nvvm.read.ptx.sreg.tid.x : i32
%smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
%a = llvm.getelementptr %smem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
%further = llvm.getelementptr %smem[256] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
%b = llvm.getelementptr %further[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
llvm.store %tid, %a : i32, !llvm.ptr<3>
llvm.store %tid, %b : i32, !llvm.ptr<3>
llvm.return"""
    smem = "llvm.mlir.global internal @smem() {addr_space = 3 : i32} : !llvm.array<1024 x i8>\n"
    text = ptx(smem + kernel(body))
    (move,) = [line.strip() for line in text.splitlines() if ", smem" in line]
    register = move.removeprefix("mov.u32 ").partition(",")[0]
    assert f", 4, {register};" in text and f", 8, {register};" in text


def test_shared_memory_round_trip() -> None:
    body = """%tid = nvvm.read.ptx.sreg.tid.x : i32
    %g = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %c63 = llvm.mlir.constant(63 : i32) : i32
    %rev = llvm.sub %c63, %tid : i32
    %from = llvm.getelementptr %a[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %to = llvm.getelementptr %b[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %s0 = llvm.getelementptr %g[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    %s = llvm.getelementptr %s0[4] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32
    %r0 = llvm.getelementptr %g[%rev] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    %r = llvm.getelementptr %r0[4] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32
    %v = llvm.load %from : !llvm.ptr<1> -> f32
    llvm.store %v, %s : f32, !llvm.ptr<3>
    nvvm.barrier
    %w = llvm.load %r : !llvm.ptr<3> -> f32
    llvm.store %w, %to : f32, !llvm.ptr<1>
    llvm.return"""
    text = (
        "llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 16 : i64} "
        ": !llvm.array<68 x f32>\n" + kernel(body, "%a: !llvm.ptr<1>, %b: !llvm.ptr<1>")
    )
    a, b = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    run(text, [a, b])
    np.testing.assert_array_equal(b, a[::-1])
    printed = ptx(text)
    assert ".shared .align 16 .b8 tile[272];" in printed
    assert "mad.lo.s32" in printed and "[%r" in printed
    assemble(printed, "sm_90a")


ORDERINGS = {
    "": ("", ""),
    "unordered": (".relaxed", ".relaxed"),
    "monotonic": (".relaxed", ".relaxed"),
    "acquire": (".acquire", None),
    "release": (None, ".release"),
    "seq_cst": (".acquire", ".release"),
}
"""What a load and a store become (PTX ISA, `ld` and `st`), by LLVM's ordering; None where LLVM has none."""
SCOPES = {
    "": ".sys",
    ' syncscope("block")': ".cta",
    ' syncscope("cluster")': ".cluster",
    ' syncscope("device")': ".gpu",
}
SPACES = {"": "", "<1>": ".global", "<3>": ".shared", "<7>": ".shared::cluster"}


@pytest.mark.parametrize("ordering", ORDERINGS)
def test_atomic_accesses(ordering: str) -> None:
    """Ordering and scope of each access, after a fence where it is sequentially consistent."""
    lines, wanted = list[str](), list[str]()
    for (n, (scope, spelled)), (space, suffix) in itertools.product(
        enumerate(SCOPES.items()), SPACES.items()
    ):
        name = f"{n}_{space[1:-1]}"
        atomic = f" atomic{scope} {ordering}" if ordering else ""
        aligned = "{alignment = 4 : i64}"
        lines.append(f"%p{name} = llvm.inttoptr %a : i64 to !llvm.ptr{space}")
        for kind, semantics in zip(("ld", "st"), ORDERINGS[ordering], strict=True):
            if semantics is None:
                continue
            lines += {
                "ld": [
                    f"%x{name} = llvm.load %p{name}{atomic} {aligned} : !llvm.ptr{space} -> i32",
                    f"llvm.store volatile %x{name}, %out : i32, !llvm.ptr<1>",
                ],
                "st": [f"llvm.store %y, %p{name}{atomic} {aligned} : i32, !llvm.ptr{space}"],
            }[kind]
            wanted += [f"fence.sc{spelled};"] if ordering == "seq_cst" else []
            wanted.append(f"{kind}{semantics}{spelled if ordering else ''}{suffix}.b32")
    text = ptx(kernel("\n".join([*lines, "llvm.return"]), "%a: i64, %y: i32, %out: !llvm.ptr<1>"))
    found = [line.split()[0] for line in text.splitlines() if re.match(r"\t(ld|st|fence)\.", line)]
    kept = [opcode for opcode in found if ".param" not in opcode and ".volatile" not in opcode]
    assert kept == wanted
    assemble(text, "sm_90a")


@pytest.mark.parametrize("space", [*SPACES, "<4>", "<5>"])
def test_what_is_never_written_is_read_through_the_cache_of_global_memory(space: str) -> None:
    body = f"""%p = llvm.inttoptr %a : i64 to !llvm.ptr{space}
    %x = llvm.load %p invariant : !llvm.ptr{space} -> i32
    llvm.store %x, %out : i32, !llvm.ptr<1>
    llvm.return"""
    text = ptx(kernel(body, "%a: i64, %out: !llvm.ptr<1>"))
    assert (".nc." in text) is (space == "<1>")
    assemble(text, "sm_90a")


@pytest.mark.parametrize(
    "type", ["vector<4xf32>", "vector<8xf16>", "!llvm.struct<(i64, i32, i32)>"]
)
def test_accesses_of_one_type_have_their_own_alignment(type: str) -> None:
    """The strictest first or last: the bytes behind each pointer are aligned as its access says and no more."""
    least = 8 if "i64" in type else 2 if "f16" in type else 4
    alignments = [alignment for alignment in (16, 8, 4, 2) if alignment >= least]
    for order in (alignments, alignments[::-1]):
        lines = list[str]()
        for n, alignment in enumerate(order):
            given = f"{{alignment = {alignment} : i64}}"
            place = 32 * n + alignment % 16
            lines += [
                f"%p{n} = llvm.getelementptr %a[{place}] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8",
                f"%q{n} = llvm.getelementptr %b[{place}] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8",
                f"%x{n} = llvm.load %p{n} {given} : !llvm.ptr<1> -> !t",
                f"llvm.store %x{n}, %q{n} {given} : !t, !llvm.ptr<1>",
            ]
        a, b = np.arange(128, dtype=np.uint8), np.zeros(128, np.uint8)
        body = kernel("\n".join([*lines, "llvm.return"]), "%a: !llvm.ptr<1>, %b: !llvm.ptr<1>")
        # An alias: the type is one object, as in kernels that the compiler builds.
        run(f"!t = {type}\n{body}", [a, b])
        for n, alignment in enumerate(order):
            copied = slice(32 * n + alignment % 16, 32 * n + alignment % 16 + 16)
            np.testing.assert_array_equal(b[copied], a[copied])
