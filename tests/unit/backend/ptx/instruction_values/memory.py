"""Loads, stores and atomic updates by threads."""

from collections.abc import Iterator, Mapping

import numpy as np

from tests.unit.backend.ptx.instruction_values.value import Arrays, Loaded, Stored, Value
from tests.unit.emulator.instructions.cases import Array
from tests.unit.emulator.instructions.test_atomics import sequentially, values_of

_THREADS = 64

# Types of loads and stores as they are printed, and in the `llvm` dialect, with their bytes.
_ACCESSES: Mapping[str, tuple[str, int]] = {
    "u8": ("i8", 1),
    "b16": ("i16", 2),
    "b32": ("i32", 4),
    "b64": ("i64", 8),
    "f32": ("f32", 4),
    "f64": ("f64", 8),
    "v2.b32": ("vector<2xi32>", 8),
    "v4.b32": ("vector<4xi32>", 16),
    "v2.b64": ("vector<2xi64>", 16),
    "v2.f32": ("vector<2xf32>", 8),
    "v4.f32": ("vector<4xf32>", 16),
}


def _bytes(size: int, seed: int) -> Array:
    """Bytes that are no NaN in any type."""
    return np.random.default_rng(seed).integers(0, 100, (_THREADS, size)).astype(np.uint8)


def _access(type_: str, size: int, *, shared: bool) -> Value:
    """Each thread copies an element from its place, and has it in shared memory meanwhile."""
    space, pointer = ("shared", "!llvm.ptr<3>") if shared else ("global", "!llvm.ptr<1>")
    base = "smem" if space == "shared" else "g"
    store = f"llvm.store %a, %mine : {type_}, {pointer}\n"
    ops = (
        f"%mine = llvm.getelementptr %{base}[%tid] : ({pointer}, i32) -> {pointer}, {type_}\n"
        f"{store}nvvm.barrier\n%last = llvm.sub %c{_THREADS - 1}_i32, %tid : i32\n"
        f"%theirs = llvm.getelementptr %{base}[%last] : ({pointer}, i32) -> {pointer}, {type_}\n"
        f"%d = llvm.load %theirs : {pointer} -> {type_}"
    )

    def meaning(before: Arrays) -> Arrays:
        changed = {} if shared else {"g": before["a"]}
        return {"d": before["a"][::-1], **changed}

    zeros = np.zeros((_THREADS, size), np.uint8)
    return Value(
        ops,
        meaning,
        loads={"a": Loaded(type_, _bytes(size, size))},
        stores={"d": Stored(type_, zeros)},
        memory={} if shared else {"g": zeros},
        threads=_THREADS,
    )


def _accesses() -> Iterator[tuple[str, Value]]:
    for name, (type_, size) in _ACCESSES.items():
        for space in ("global", "shared"):
            value = _access(type_, size, shared=space == "shared")
            yield f"ld.{space}.{name}", value
            yield f"st.{space}.{name}", value


# Updates of a few cells by all threads, with and without use of the old value.

_CELLS = 5
_CELL: Array = np.random.default_rng(5).integers(0, _CELLS, _THREADS).astype(np.int32)
_UPDATES: tuple[tuple[str, str, str, str], ...] = (
    *(
        (op, f"{op}", bits, f"{sign}{bits[1:]}")
        for op, sign in (("max", "s"), ("min", "s"))
        for bits in ("i32", "i64")
    ),
    *((f"u{op}", op, bits, f"u{bits[1:]}") for op in ("max", "min") for bits in ("i32", "i64")),
    *(
        (f"_{op}", op, bits, f"b{bits[1:]}")
        for op in ("and", "or", "xor")
        for bits in ("i32", "i64")
    ),
    *(("add", "add", bits, f"u{bits[1:]}") for bits in ("i32", "i64")),
    ("fadd", "add", "f32", "f32"),
    ("fadd", "add", "f64", "f64"),
    ("fadd", "add.noftz", "f16", "f16"),
    ("fadd", "add.noftz", "bf16", "bf16"),
    ("fadd", "add.noftz", "vector<2xf16>", "f16x2"),
    ("fadd", "add.noftz", "vector<2xbf16>", "bf16x2"),
    ("uinc_wrap", "inc", "i32", "u32"),
    ("udec_wrap", "dec", "i32", "u32"),
    ("xchg", "exch", "i32", "b32"),
    ("xchg", "exch", "i64", "b64"),
)
"""The operation in the `llvm` dialect and in PTX, and the type in both."""


def _cell(type_: str) -> str:
    return f"%at = llvm.getelementptr %g[%cell] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, {type_}\n"


def _update(op: str, name: str, type_: str, operand: str, *, returns: bool) -> Value:
    # Extremes are of numbers from the whole range, other updates begin with small ones.
    memory = values_of(operand, 4 if name in ("min", "max") else 1, _CELLS)
    b = values_of(operand, 2, _THREADS)
    # The old value is given back by `%d`, or nobody asks for it.
    update = (
        f'%{"d" if returns else "unused"} = llvm.atomicrmw {op} %at, %b syncscope("device") '
        f"monotonic : !llvm.ptr<1>, {type_}"
    )

    def meaning(before: Arrays) -> Arrays:
        after, old = sequentially(
            name.partition(".")[0], before["g"], before["cell"], [before["b"]]
        )
        return {"g": after, **({"d": old} if returns else {})}

    return Value(
        _cell(type_) + update,
        meaning,
        loads={"cell": Loaded("i32", _CELL), "b": Loaded(type_, b)},
        stores={"d": Stored(type_, np.zeros_like(b))} if returns else {},
        memory={"g": memory},
        threads=_THREADS,
    )


def _updates() -> Iterator[tuple[str, Value]]:
    for op, name, type_, operand in _UPDATES:
        for kind in ("atom", "red"):
            if (kind, name) != ("red", "exch"):
                yield (
                    f"{kind}.relaxed.gpu.global.{name}.{operand}",
                    _update(op, name, type_, operand, returns=kind == "atom"),
                )


def _compare_and_swap(type_: str, operand: str) -> Value:
    memory, b = values_of(operand, 1, _CELLS), values_of(operand, 3, _THREADS)
    c = values_of(operand, 5, _THREADS)
    # Some threads find what they compare with.
    b[::3] = memory[_CELL[::3]]
    pair = f"!llvm.struct<({type_}, i1)>"

    def meaning(before: Arrays) -> Arrays:
        after, old = sequentially("cas", before["g"], before["cell"], [before["b"], before["c"]])
        return {"g": after, "d": old}

    return Value(
        f"""{_cell(type_)}%pair = llvm.cmpxchg %at, %b, %c syncscope("device") monotonic monotonic
  : !llvm.ptr<1>, {type_}
%d = llvm.extractvalue %pair[0] : {pair}""",
        meaning,
        loads={"cell": Loaded("i32", _CELL), "b": Loaded(type_, b), "c": Loaded(type_, c)},
        stores={"d": Stored(type_, np.zeros_like(b))},
        memory={"g": memory},
        threads=_THREADS,
    )


# What only `inline_ptx` prints.


def _reduce_pairs() -> Value:
    memory, b = values_of("bf16x2", 1, _CELLS), values_of("bf16x2", 2, _THREADS)
    return Value(
        f'{_cell("i32")}nvvm.inline_ptx "red.global.add.noftz.bf16x2 [{{$r0}}], {{$r1}};" '
        "ro(%at, %b : !llvm.ptr<1>, i32)",
        lambda before: {"g": sequentially("add", before["g"], before["cell"], [before["b"]])[0]},
        loads={"cell": Loaded("i32", _CELL), "b": Loaded("i32", b)},
        memory={"g": memory},
        threads=_THREADS,
    )


def _reduce_vectors() -> Value:
    rng = np.random.default_rng(6)
    memory, b = (rng.integers(-64, 64, (n, 4)).astype(np.float32) for n in (_CELLS, _THREADS))

    def meaning(before: Arrays) -> Arrays:
        after = before["g"].copy()
        np.add.at(after, before["cell"], before["b"])
        return {"g": after}

    return Value(
        _cell("!llvm.array<4 x f32>")
        + 'nvvm.inline_ptx "red.global.add.v4.f32 [{$r0}], {{$r1}, {$r2}, {$r3}, {$r4}};" '
        "ro(%at, %b0, %b1, %b2, %b3 : !llvm.ptr<1>, f32, f32, f32, f32)",
        meaning,
        loads={"cell": Loaded("i32", _CELL), "b": Loaded("f32", b, 4)},
        memory={"g": memory},
        threads=_THREADS,
    )


def _swap_128_bits() -> Value:
    """Every second thread finds what it compares with."""
    rng = np.random.default_rng(7)
    memory, b, c = (rng.integers(0, 2**62, (_THREADS, 2)).astype(np.uint64) for _ in range(3))
    b[::2] = memory[::2]
    b[1, 0] = memory[1, 0]
    text = (
        "{ .reg .b128 %old, %b, %c; mov.b128 %b, {{$r1}, {$r2}}; mov.b128 %c, {{$r3}, {$r4}}; "
        "atom.global.cas.b128 %old, [{$r0}], %b, %c; mov.b128 {{$w0}, {$w1}}, %old; }"
    )

    def meaning(before: Arrays) -> Arrays:
        equal = (before["g"] == before["b"]).all(axis=1, keepdims=True)
        return {"d": before["g"], "g": np.where(equal, before["c"], before["g"])}

    return Value(
        "%at = llvm.getelementptr %g[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, "
        f'!llvm.array<2 x i64>\n%d:2 = nvvm.inline_ptx "{text}" '
        "ro(%at, %b0, %b1, %c0, %c1 : !llvm.ptr<1>, i64, i64, i64, i64) -> i64, i64",
        meaning,
        loads={"b": Loaded("i64", b, 2), "c": Loaded("i64", c, 2)},
        stores={"d": Stored("i64", np.zeros_like(b), 2)},
        memory={"g": memory},
        threads=_THREADS,
    )


def _move_256_bits(type_: str) -> Value:
    rows = np.random.default_rng(8).standard_normal((_THREADS, 8)).astype(np.float32)
    element = "f32" if type_ == "f32" else "i32"
    types = ", ".join([element] * 8)
    written = ", ".join(f"{{$w{i}}}" for i in range(8))
    read = ", ".join(f"{{$r{i + 1}}}" for i in range(8))
    values = ", ".join(f"%v#{i}" for i in range(8))
    return Value(
        "".join(
            f"%{name}_at = llvm.getelementptr %{name}[%tid] : (!llvm.ptr<1>, i32) -> "
            "!llvm.ptr<1>, !llvm.array<8 x f32>\n"
            for name in ("g", "out")
        )
        + f'%v:8 = nvvm.inline_ptx "ld.global.v8.{type_} {{{written}}}, [{{$r0}}];"'
        f" ro(%g_at : !llvm.ptr<1>) -> {types}\n"
        f'nvvm.inline_ptx "st.global.v8.{type_} [{{$r0}}], {{{read}}};" '
        f"ro(%out_at, {values} : !llvm.ptr<1>, {types})",
        lambda before: {"out": before["g"]},
        memory={"g": rows, "out": np.zeros_like(rows)},
        threads=_THREADS,
    )


VALUES: Mapping[str, Value] = {
    **dict(_accesses()),
    **dict(_updates()),
    **{
        f"atom.relaxed.gpu.global.cas.{operand}": _compare_and_swap(type_, operand)
        for type_, operand in (("i32", "b32"), ("i64", "b64"))
    },
    "red.global.add.noftz.bf16x2": _reduce_pairs(),
    "red.global.add.v4.f32": _reduce_vectors(),
    "atom.global.cas.b128": _swap_128_bits(),
    **{
        f"{kind}.global.v8.{type_}": _move_256_bits(type_)
        for kind in ("ld", "st")
        for type_ in ("b32", "f32")
    },
}
