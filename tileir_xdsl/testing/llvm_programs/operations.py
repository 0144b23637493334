"""Tables of straight-line ops for random functions.

No op has undefined behaviour: shift amounts are masked, divisors are positive, and floats are
clamped before they are converted to integers. Bits of a NaN are not read.
"""

from __future__ import annotations

from tileir_xdsl.testing.llvm_programs.draft import (
    FLOATS,
    INPUT_ELEMENTS,
    INTEGERS,
    MEMORY_TYPES,
    SCRATCH_TYPES,
    SHARED,
    SLOTS_PER_THREAD,
    VECTORS,
    Draft,
    OpWriter,
    width,
)

INTEGER_BINARY = ("add", "sub", "mul", "and", "or", "xor")
DIVISIONS = ("udiv", "urem", "sdiv", "srem")
SHIFTS = ("shl", "lshr", "ashr")
EXTREMA = ("smax", "smin", "umax", "umin")
FUNNEL_SHIFTS = ("fshl", "fshr")
COUNTS = {
    "ctlz": " <{is_zero_poison = false}>",
    "cttz": " <{is_zero_poison = false}>",
    "abs": " <{is_int_min_poison = false}>",
}
"""Intrinsics of one integer that have no custom syntax, with their properties."""
INTEGER_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")

FLOAT_BINARY = ("fadd", "fsub", "fmul", "fdiv")
FLOAT_EXTREMA = ("maxnum", "minnum", "maximum", "minimum")
ROUNDINGS = ("floor", "ceil", "trunc", "rint", "roundeven", "fabs")
FLOAT_PREDICATES = (
    *("oeq", "ogt", "oge", "olt", "ole", "one", "ord"),
    *("ueq", "ugt", "uge", "ult", "ule", "une", "uno"),
)
ATOMICS = ("add", "sub", "_and", "_or", "_xor", "max", "min", "umax", "umin", "xchg")
REDUCTIONS = ("add", "umax", "umin", "max", "min", "and", "or", "xor")


def _integer_binary(draft: Draft) -> None:
    type = draft.present(INTEGERS)
    name = draft.rng.choice(INTEGER_BINARY)
    draft.define(type, f"llvm.{name} {draft.use(type)}, {draft.use(type)} : {type}")


def _division(draft: Draft) -> None:
    type = draft.present(INTEGERS)
    mask, one = draft.constant(type, 63), draft.constant(type, 1)
    small = draft.define(type, f"llvm.and {draft.use(type)}, {mask} : {type}", visible=False)
    divisor = draft.define(type, f"llvm.or {small}, {one} : {type}", visible=False)
    name = draft.rng.choice(DIVISIONS)
    draft.define(type, f"llvm.{name} {draft.use(type)}, {divisor} : {type}")


def _shift(draft: Draft) -> None:
    type = draft.present(INTEGERS)
    mask = draft.constant(type, width(type) - 1)
    amount = draft.define(type, f"llvm.and {draft.use(type)}, {mask} : {type}", visible=False)
    draft.define(type, f"llvm.{draft.rng.choice(SHIFTS)} {draft.use(type)}, {amount} : {type}")


def _integer_intrinsic(draft: Draft) -> None:
    type = draft.present(INTEGERS)
    a, b, c = (draft.use(type) for _ in range(3))
    name = draft.rng.choice((*EXTREMA, *FUNNEL_SHIFTS, *COUNTS, "ctpop", "bitreverse", "bswap"))
    if name in EXTREMA:
        draft.define(type, f"llvm.intr.{name}({a}, {b}) : ({type}, {type}) -> {type}")
    elif name in FUNNEL_SHIFTS:
        draft.define(type, f"llvm.intr.{name}({a}, {b}, {c}) : ({type}, {type}, {type}) -> {type}")
    elif name in COUNTS:
        draft.define(type, f'"llvm.intr.{name}"({a}){COUNTS[name]} : ({type}) -> {type}')
    elif name != "bswap" or type != "i8":
        draft.define(type, f"llvm.intr.{name}({a}) : ({type}) -> {type}")


def _integer_cast(draft: Draft) -> None:
    source = draft.present(INTEGERS)
    target = draft.rng.choice([type for type in INTEGERS if type != source])
    name = "trunc" if width(target) < width(source) else draft.rng.choice(("sext", "zext"))
    draft.define(target, f"llvm.{name} {draft.use(source)} : {source} to {target}")


def _integer_comparison(draft: Draft) -> None:
    type = draft.present(INTEGERS)
    predicate = draft.rng.choice(INTEGER_PREDICATES)
    draft.define("i1", f'llvm.icmp "{predicate}" {draft.use(type)}, {draft.use(type)} : {type}')


def _truth(draft: Draft) -> None:
    name = draft.rng.choice(("and", "or", "xor"))
    draft.define("i1", f"llvm.{name} {draft.use('i1')}, {draft.use('i1')} : i1")


def _truth_cast(draft: Draft) -> None:
    target = draft.rng.choice(INTEGERS)
    name = draft.rng.choice(("sext", "zext"))
    draft.define(target, f"llvm.{name} {draft.use('i1')} : i1 to {target}")


def _select(draft: Draft) -> None:
    type = draft.present((*INTEGERS, *FLOATS, *VECTORS))
    draft.define(
        type,
        f"llvm.select {draft.use('i1')}, {draft.use(type)}, {draft.use(type)} : i1, {type}",
    )


def _float_binary(draft: Draft) -> None:
    type = draft.present(FLOATS)
    name = draft.rng.choice(FLOAT_BINARY)
    draft.define(type, f"llvm.{name} {draft.use(type)}, {draft.use(type)} : {type}")


def _float_unary(draft: Draft) -> None:
    type = draft.present(FLOATS)
    name = draft.rng.choice((*ROUNDINGS, "sqrt"))
    draft.define(type, f"llvm.intr.{name}({draft.use(type)}) : ({type}) -> {type}")


def _negation(draft: Draft) -> None:
    type = draft.present(FLOATS)
    draft.define(type, f"llvm.fneg {draft.use(type)} : {type}")


def _float_extremum(draft: Draft) -> None:
    type = draft.present(FLOATS)
    name = draft.rng.choice((*FLOAT_EXTREMA, "copysign"))
    a, b = draft.use(type), draft.use(type)
    draft.define(type, f"llvm.intr.{name}({a}, {b}) : ({type}, {type}) -> {type}")


def _fused(draft: Draft) -> None:
    type = draft.present(FLOATS)
    a, b, c = (draft.use(type) for _ in range(3))
    draft.define(type, f"llvm.intr.fma({a}, {b}, {c}) : ({type}, {type}, {type}) -> {type}")


def _float_comparison(draft: Draft) -> None:
    type = draft.present(FLOATS)
    predicate = draft.rng.choice(FLOAT_PREDICATES)
    draft.define("i1", f'llvm.fcmp "{predicate}" {draft.use(type)}, {draft.use(type)} : {type}')


def _float_cast(draft: Draft) -> None:
    source, target = draft.rng.choice(
        (
            *(("f16", "f32"), ("bf16", "f32"), ("f32", "f64"), ("f16", "f64"), ("bf16", "f64")),
            *(("f32", "f16"), ("f32", "bf16"), ("f64", "f32"), ("f64", "f16"), ("f64", "bf16")),
        )
    )
    name = "fpext" if width(source) < width(target) else "fptrunc"
    draft.define(target, f"llvm.{name} {draft.use(source)} : {source} to {target}")


def _to_float(draft: Draft) -> None:
    source, target = draft.present(INTEGERS), draft.rng.choice(FLOATS)
    name = draft.rng.choice(("sitofp", "uitofp"))
    value = draft.use(source)
    if target == "bf16" and source in ("i32", "i64"):
        # Where the target lacks this conversion, LLVM rounds twice, which ours does not.
        value = draft.define("f32", f"llvm.{name} {value} : {source} to f32")
        draft.define(target, f"llvm.fptrunc {value} : f32 to {target}")
        return
    draft.define(target, f"llvm.{name} {value} : {source} to {target}")


def _to_integer(draft: Draft) -> None:
    source, target = draft.present(FLOATS), draft.rng.choice(INTEGERS)
    name, low = draft.rng.choice((("fptosi", "-100.0"), ("fptoui", "0.0")))
    value = draft.use(source)
    for bound, limit in (("maxnum", low), ("minnum", "100.0")):
        constant = draft.constant(source, limit)
        value = draft.define(
            source,
            f"llvm.intr.{bound}({value}, {constant}) : ({source}, {source}) -> {source}",
            visible=False,
        )
    draft.define(target, f"llvm.{name} {value} : {source} to {target}")


BITCASTS = (("i16", "f16"), ("i16", "bf16"), ("i32", "f32"), ("i64", "f64"))


def _bitcast(draft: Draft) -> None:
    """Casts bits to a float without signalling NaN, or a float other than NaN to bits."""
    integer, float_type = draft.rng.choice(BITCASTS)
    if draft.rng.random() < 0.5:
        exponent = {"f16": 0x3BFF, "bf16": 0x3F7F, "f32": 0x3F7FFFFF, "f64": 0x3FEFFFFFFFFFFFFF}
        mask = draft.constant(integer, exponent[float_type])
        bits = draft.define(
            integer, f"llvm.and {draft.use(integer)}, {mask} : {integer}", visible=False
        )
        draft.define(float_type, f"llvm.bitcast {bits} : {integer} to {float_type}")
        return
    value, zero = draft.use(float_type), draft.constant(float_type, "0.0")
    ordered = draft.define("i1", f'llvm.fcmp "ord" {value}, {zero} : {float_type}', visible=False)
    number = draft.define(
        float_type, f"llvm.select {ordered}, {value}, {zero} : i1, {float_type}", visible=False
    )
    draft.define(integer, f"llvm.bitcast {number} : {float_type} to {integer}")


def _element(vector: str) -> tuple[int, str]:
    count, _, element = vector.removeprefix("vector<").removesuffix(">").partition("x")
    return int(count), element


def _insert(draft: Draft) -> None:
    vector = draft.rng.choice(VECTORS)
    count, element = _element(vector)
    at = draft.constant("i32", draft.rng.randrange(count))
    draft.define(
        vector,
        f"llvm.insertelement {draft.use(element)}, {draft.use(vector)}[{at} : i32] : {vector}",
    )


def _extract(draft: Draft) -> None:
    vector = draft.present(VECTORS)
    count, element = _element(vector)
    at = draft.constant("i32", draft.rng.randrange(count))
    draft.define(element, f"llvm.extractelement {draft.use(vector)}[{at} : i32] : {vector}")


def _vector_binary(draft: Draft) -> None:
    vector = draft.present(VECTORS)
    _, element = _element(vector)
    name = draft.rng.choice(INTEGER_BINARY if element in INTEGERS else ("fadd", "fsub", "fmul"))
    draft.define(vector, f"llvm.{name} {draft.use(vector)}, {draft.use(vector)} : {vector}")


def _pair(draft: Draft) -> None:
    a, b = draft.present(INTEGERS), draft.present(FLOATS)
    struct = f"!llvm.struct<({a}, {b})>"
    empty = draft.define(struct, f"llvm.mlir.undef : {struct}", visible=False)
    one = draft.define(
        struct, f"llvm.insertvalue {draft.use(a)}, {empty}[0] : {struct}", visible=False
    )
    both = draft.define(
        struct, f"llvm.insertvalue {draft.use(b)}, {one}[1] : {struct}", visible=False
    )
    draft.define(a, f"llvm.extractvalue {both}[0] : {struct}")
    draft.define(b, f"llvm.extractvalue {both}[1] : {struct}")


def address(draft: Draft, base: str, index: str, element: str, space: int = 1) -> str:
    """Adds a pointer to an element of an array, whose index is an i32."""
    pointer = f"!llvm.ptr<{space}>"
    return draft.define(
        pointer,
        f"llvm.getelementptr {base}[{index}] : ({pointer}, i32) -> {pointer}, {element}",
        visible=False,
    )


def _masked_index(draft: Draft, mask: int) -> str:
    limit = draft.constant("i32", mask)
    return draft.define("i32", f"llvm.and {draft.use('i32')}, {limit} : i32", visible=False)


def _load(draft: Draft) -> None:
    type = draft.rng.choice(MEMORY_TYPES)
    at = address(draft, f"%in_{type}", _masked_index(draft, INPUT_ELEMENTS - 1), type)
    draft.define(type, f"llvm.load {at} : !llvm.ptr<1> -> {type}")


def _load_vector(draft: Draft) -> None:
    vector = draft.rng.choice(VECTORS)
    count, element = _element(vector)
    scale = draft.constant("i32", count)
    index = draft.define("i32", f"llvm.mul %tid, {scale} : i32", visible=False)
    at = address(draft, f"%in_{element}", index, element)
    size = count * width(element) // 8
    draft.define(vector, f"llvm.load {at} {{alignment = {size} : i64}} : !llvm.ptr<1> -> {vector}")


def _slot(draft: Draft) -> str:
    """Adds the index of a random scratch word of this thread."""
    return draft.define(
        "i32",
        f"llvm.add %slot, {_masked_index(draft, SLOTS_PER_THREAD - 1)} : i32",
        visible=False,
    )


def _scratch(draft: Draft) -> None:
    type = draft.rng.choice(SCRATCH_TYPES)
    at = address(draft, f"%scratch_{type}", _slot(draft), type)
    if draft.rng.random() < 0.5:
        draft.line(f"llvm.store {draft.use(type)}, {at} : {type}, !llvm.ptr<1>")
    else:
        draft.define(type, f"llvm.load {at} : !llvm.ptr<1> -> {type}")


def _shared(draft: Draft) -> None:
    base = draft.define("p", f"llvm.mlir.addressof @{SHARED} : !llvm.ptr<3>", visible=False)
    at = address(draft, base, _slot(draft), "i32", 3)
    if draft.rng.random() < 0.5:
        draft.line(f"llvm.store {draft.use('i32')}, {at} : i32, !llvm.ptr<3>")
    else:
        draft.define("i32", f"llvm.load {at} : !llvm.ptr<3> -> i32")


def _atomic(draft: Draft) -> None:
    type = draft.rng.choice(("i32", "i64"))
    at = address(draft, f"%scratch_{type}", _slot(draft), type)
    name = draft.rng.choice(ATOMICS)
    draft.define(
        type,
        f'llvm.atomicrmw {name} {at}, {draft.use(type)} syncscope("device") monotonic '
        f": !llvm.ptr<1>, {type}",
    )


def _compare_exchange(draft: Draft) -> None:
    type = draft.rng.choice(("i32", "i64"))
    at = address(draft, f"%scratch_{type}", _slot(draft), type)
    struct = f"!llvm.struct<({type}, i1)>"
    both = draft.define(
        struct,
        f"llvm.cmpxchg {at}, {draft.use(type)}, {draft.use(type)} acq_rel monotonic "
        f": !llvm.ptr<1>, {type}",
        visible=False,
    )
    draft.define(type, f"llvm.extractvalue {both}[0] : {struct}")
    draft.define("i1", f"llvm.extractvalue {both}[1] : {struct}")


OP_WRITERS: tuple[tuple[OpWriter, int], ...] = (
    (_integer_binary, 8),
    (_division, 2),
    (_shift, 3),
    (_integer_intrinsic, 3),
    (_integer_cast, 4),
    (_integer_comparison, 4),
    (_truth, 1),
    (_truth_cast, 1),
    (_select, 4),
    (_float_binary, 6),
    (_float_unary, 3),
    (_negation, 1),
    (_float_extremum, 3),
    (_fused, 3),
    (_float_comparison, 3),
    (_float_cast, 3),
    (_to_float, 2),
    (_to_integer, 2),
    (_bitcast, 2),
    (_insert, 1),
    (_extract, 2),
    (_vector_binary, 2),
    (_pair, 1),
    (_load, 8),
    (_load_vector, 2),
    (_scratch, 4),
    (_shared, 2),
    (_atomic, 2),
    (_compare_exchange, 1),
)
"""Functions that write ops allowed anywhere, with their frequencies."""


def _shuffle(draft: Draft) -> None:
    type = draft.rng.choice(("i32", "f32"))
    mask, lane, clamp = (draft.constant("i32", n) for n in (-1, draft.rng.randrange(32), 31))
    kind = draft.rng.choice(("bfly", "idx"))
    draft.define(
        type, f"nvvm.shfl.sync {kind} {mask}, {draft.use(type)}, {lane}, {clamp} : {type} -> {type}"
    )


def _vote(draft: Draft) -> None:
    mask = draft.constant("i32", -1)
    kind, type = draft.rng.choice((("ballot", "i32"), ("any", "i1"), ("all", "i1"), ("uni", "i1")))
    draft.define(type, f"nvvm.vote.sync {kind} {mask}, {draft.use('i1')} -> {type}")


def _redux(draft: Draft) -> None:
    mask = draft.constant("i32", -1)
    kind = draft.rng.choice(REDUCTIONS)
    draft.define("i32", f"nvvm.redux.sync {kind} {draft.use('i32')}, {mask} : i32 -> i32")


def _exchange(draft: Draft) -> None:
    """Exchanges a word with the mirrored thread of the block, through shared memory."""
    base = draft.define("p", f"llvm.mlir.addressof @{SHARED} : !llvm.ptr<3>", visible=False)
    own = address(draft, base, "%slot", "i32", 3)
    draft.line(f"llvm.store {draft.use('i32')}, {own} : i32, !llvm.ptr<3>")
    draft.line("nvvm.barrier")
    last = draft.constant("i32", 63 * SLOTS_PER_THREAD)
    mirrored = draft.define("i32", f"llvm.sub {last}, %slot : i32", visible=False)
    other = address(draft, base, mirrored, "i32", 3)
    draft.define("i32", f"llvm.load {other} : !llvm.ptr<3> -> i32")
    draft.line("nvvm.barrier")


COLLECTIVE_OP_WRITERS: tuple[tuple[OpWriter, int], ...] = (
    (_shuffle, 2),
    (_vote, 1),
    (_redux, 1),
    (_exchange, 1),
)
"""Functions that write ops that all threads of a block must execute together."""
