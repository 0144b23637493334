"""Random functions: `generate(seed, size)` is the text of a kernel of the `llvm` dialect."""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random

from tileir_xdsl.testing.llvm_programs.draft import (
    FLOATS,
    INTEGERS,
    MEMORY_TYPES,
    OUTPUTS_PER_THREAD,
    SCRATCH_TYPES,
    SHARED,
    SLOTS_PER_THREAD,
    Draft,
)
from tileir_xdsl.testing.llvm_programs.operations import COLLECTIVE_OP_WRITERS, OP_WRITERS, address

THREADS = 64
DEFAULT_SIZE = 12
MAX_DEPTH = 2
LOADED_TYPES = 4
"""The number of types, in addition to i32, whose values a function initially loads."""
CARRIED = (*INTEGERS, *FLOATS, "i1", "vector<4xf32>")
"""The types that block arguments may have."""

SHARED_ARRAY = (
    f"llvm.mlir.global internal @{SHARED}() {{addr_space = 3 : i32, alignment = 16 : i64}} "
    f": !llvm.array<{THREADS * SLOTS_PER_THREAD} x i32>"
)
"""The shared-memory array that all kernels of a module use."""

POINTERS = (
    *(f"in_{type}" for type in MEMORY_TYPES),
    *(f"out_{type}" for type in MEMORY_TYPES),
    *(f"scratch_{type}" for type in SCRATCH_TYPES),
)
SCALARS = {"scalar_i32": "i32", "scalar_i64": "i64", "scalar_f32": "f32"}
PARAMETERS = {**dict.fromkeys(POINTERS, "!llvm.ptr<1>"), **SCALARS}
"""All parameters that a function may have, with their types, in their order."""


def _draw_types(draft: Draft) -> tuple[str, ...]:
    return tuple(draft.rng.choice(CARRIED) for _ in range(draft.rng.randrange(1, 4)))


def _branch(draft: Draft, label: str, types: tuple[str, ...]) -> str:
    """A branch that forwards random values of the types."""
    if not types:
        return f"^{label}"
    values = ", ".join(draft.use(type) for type in types)
    return f"^{label}({values} : {', '.join(types)})"


def _begin(draft: Draft, label: str, types: tuple[str, ...]) -> None:
    """Adds the header of a block, and makes its arguments visible."""
    names = [f"%{draft.fresh()}" for _ in types]
    arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, types, strict=True))
    draft.line(f"^{label}({arguments}):" if names else f"^{label}:")
    for name, type in zip(names, types, strict=True):
        draft.show(type, name)


def _straight(draft: Draft, count: int) -> None:
    writers, weights = zip(*OP_WRITERS, strict=True)
    for write in draft.rng.choices(writers, weights, k=count):
        write(draft)


def _conditional(draft: Draft, size: int, depth: int) -> None:
    """Adds an `if` with or without `else`; block arguments merge the values of both branches."""
    then, otherwise, after = (draft.fresh() for _ in range(3))
    types = _draw_types(draft)
    has_else = draft.rng.random() < 0.6
    condition = draft.use("i1")
    target = f"^{otherwise}" if has_else else _branch(draft, after, types)
    draft.line(f"llvm.cond_br {condition}, ^{then}, {target}")
    for label in (then, otherwise)[: 1 + has_else]:
        with draft.scope():
            _begin(draft, label, ())
            _body(draft, size // 2, depth + 1)
            draft.line(f"llvm.br {_branch(draft, after, types)}")
    _begin(draft, after, types)


def _loop(draft: Draft, size: int, depth: int) -> None:
    """Adds a loop with carried values, of up to 7 iterations, whose number differs by thread."""
    head, body, after = (draft.fresh() for _ in range(3))
    types = _draw_types(draft)
    seven, one = draft.constant("i32", 7), draft.constant("i32", 1)
    rounds = draft.define("i32", f"llvm.and {draft.use('i32')}, {seven} : i32", visible=False)
    start = draft.constant("i32", 0)
    initial = [draft.use(type) for type in types]
    draft.line(f"llvm.br ^{head}({', '.join((start, *initial))} : {', '.join(('i32', *types))})")
    counter = f"%{draft.fresh()}"
    names = [f"%{draft.fresh()}" for _ in types]
    arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, types, strict=True))
    draft.line(f"^{head}({counter}: i32, {arguments}):")
    more = draft.define("i1", f'llvm.icmp "ult" {counter}, {rounds} : i32', visible=False)
    draft.line(f"llvm.cond_br {more}, ^{body}, ^{after}")
    with draft.scope():
        _begin(draft, body, ())
        for name, type in (*zip(names, types, strict=True), (counter, "i32")):
            draft.show(type, name)
        _body(draft, size // 2, depth + 1)
        following = draft.define("i32", f"llvm.add {counter}, {one} : i32", visible=False)
        values = [draft.use(type) for type in types]
        draft.line(
            f"llvm.br ^{head}({', '.join((following, *values))} : {', '.join(('i32', *types))})"
        )
    draft.line(f"^{after}:")
    for name, type in zip(names, types, strict=True):
        draft.show(type, name)


def _switch(draft: Draft, size: int, depth: int) -> None:
    """Adds a switch with two cases and a default."""
    labels = [draft.fresh() for _ in range(3)]
    after = draft.fresh()
    types = _draw_types(draft)
    three = draft.constant("i32", 3)
    flag = draft.define("i32", f"llvm.and {draft.use('i32')}, {three} : i32", visible=False)
    draft.line(f"llvm.switch {flag} : i32, ^{labels[0]} [0: ^{labels[1]}, 1: ^{labels[2]}]")
    for label in labels:
        with draft.scope():
            _begin(draft, label, ())
            _body(draft, size // 3, depth + 1)
            draft.line(f"llvm.br {_branch(draft, after, types)}")
    _begin(draft, after, types)


def _body(draft: Draft, size: int, depth: int) -> None:
    rng = draft.rng
    while size > 0:
        part = min(size, rng.randrange(1, 7))
        _straight(draft, part)
        size -= part
        if depth == 0 and rng.random() < 0.3:
            writers, weights = zip(*COLLECTIVE_OP_WRITERS, strict=True)
            rng.choices(writers, weights)[0](draft)
        if depth < MAX_DEPTH and rng.random() < 0.4:
            inner = min(size, 6)
            rng.choice((_conditional, _conditional, _loop, _switch))(draft, inner, depth)
            size -= inner


def _results(draft: Draft) -> None:
    """Stores the last values of every type, and an element of every vector."""
    for type in list(draft.visible):
        if type == "i1":
            draft.define("i32", f"llvm.zext {draft.visible[type][-1]} : i1 to i32")
        elif type.startswith("vector"):
            element = type[type.index("x") + 1 : -1]
            zero = draft.constant("i32", 0)
            value = draft.visible[type][-1]
            draft.define(element, f"llvm.extractelement {value}[{zero} : i32] : {type}")
    four = draft.constant("i32", OUTPUTS_PER_THREAD)
    first = draft.define("i32", f"llvm.mul %tid, {four} : i32", visible=False)
    for type in MEMORY_TYPES:
        values = [name for name in draft.visible.get(type, ()) if not name.startswith("%scalar")]
        for number, name in enumerate(values[-OUTPUTS_PER_THREAD:]):
            offset = draft.constant("i32", number)
            index = draft.define("i32", f"llvm.add {first}, {offset} : i32", visible=False)
            at = address(draft, f"%out_{type}", index, type)
            draft.line(f"llvm.store {name}, {at} : {type}, !llvm.ptr<1>")


@dataclass(frozen=True)
class Function:
    """A kernel for one block of 64 threads, and the names of its parameters.

    The module of the kernel must also define `SHARED_ARRAY`.
    """

    name: str
    text: str
    parameters: tuple[str, ...]


def generate(seed: int, size: int = DEFAULT_SIZE) -> Function:
    """The kernel `@k<seed>` of about `size` groups of ops."""
    draft = Draft(Random(f"{seed} {size}"))
    draft.line("%tid = nvvm.read.ptx.sreg.tid.x : i32")
    draft.show("i32", "%tid")
    for name in draft.rng.sample(list(SCALARS), 1):
        draft.show(SCALARS[name], f"%{name}")
    draft.line(f"%slots = llvm.mlir.constant({SLOTS_PER_THREAD} : i32) : i32")
    draft.line("%slot = llvm.mul %tid, %slots : i32")
    for type in draft.rng.sample(MEMORY_TYPES, LOADED_TYPES):
        at = address(draft, f"%in_{type}", "%tid", type)
        draft.define(type, f"llvm.load {at} : !llvm.ptr<1> -> {type}")
    _body(draft, size, 0)
    _results(draft)
    draft.line("llvm.return")
    body = "\n".join(f"  {line}" for line in draft.lines)
    used = set(re.findall(r"%((?:in|out|scratch|scalar)_\w+)", body))
    parameters = tuple(name for name in PARAMETERS if name in used)
    types = ", ".join(f"%{name}: {PARAMETERS[name]}" for name in parameters)
    name = f"k{seed}"
    text = (
        f"llvm.func @{name}({types}) attributes "
        f"{{nvvm.kernel, nvvm.reqntid = array<i32: {THREADS}>}} {{\n{body}\n}}\n"
    )
    return Function(name, text, parameters)
