"""Random functions of LLVM IR without undefined behaviour: `generate(seed)` is the text of one.

A function takes an array of 64-bit integers, one of doubles, the place of its results and the
number of its thread. Nothing in it depends on what IEEE 754 leaves open: neither the sign nor the
payload of a NaN is looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

INTEGERS = ("i8", "i16", "i32", "i64")
FLOATS = ("float", "double")
INPUTS = 32
"""Elements of each input array: a power of two."""
RESULTS = 16
"""64-bit results of a thread, of which the last ones are doubles."""
INTEGER_RESULTS = 8
DEFAULT_SIZE = 25

_BINARY = ("add", "sub", "mul", "and", "or", "xor")
_PREDICATES = ("eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge")
_FLOAT_PREDICATES = (
    *("oeq", "ogt", "oge", "olt", "ole", "one", "ord"),
    *("ueq", "ugt", "uge", "ult", "ule", "une", "uno"),
)
_INTEGER_INTRINSICS = {
    **dict.fromkeys(("smin", "smax", "umin", "umax"), 2),
    **dict.fromkeys(("sadd.sat", "uadd.sat", "ssub.sat", "usub.sat"), 2),
    **dict.fromkeys(("fshl", "fshr"), 3),
    **dict.fromkeys(("ctpop", "bitreverse"), 1),
}
_FLOAT_INTRINSICS = {
    **dict.fromkeys(("sqrt", "fabs", "floor", "ceil", "trunc", "rint", "roundeven"), 1),
    **dict.fromkeys(("minimum", "maximum"), 2),
    "fma": 3,
}


@dataclass
class _Draft:
    rng: Random
    lines: list[str] = field(default_factory=lambda: list[str]())
    values: dict[str, list[str]] = field(default_factory=lambda: dict[str, list[str]]())
    intrinsics: set[str] = field(default_factory=lambda: set[str]())
    count: int = 0
    block: str = "entry"

    def name(self, kind: str = "v") -> str:
        self.count += 1
        return f"{kind}{self.count}"

    def put(self, type: str, text: str) -> str:
        """A new value, which later instructions may use."""
        value = f"%{self.name()}"
        self.lines.append(f"  {value} = {text}")
        self.values.setdefault(type, []).append(value)
        return value

    def any(self, type: str) -> str:
        """A value of a type: one there is, or a constant."""
        known = self.values.get(type, [])
        if known and self.rng.random() < 0.85:
            return self.rng.choice(known[-8:])
        if type in FLOATS:
            return self.rng.choice(("0.0", "-0.0", "1.0", "-2.5", "1.0e10", "0.125"))
        if type == "i1":
            return self.rng.choice(("true", "false"))
        bits = int(type[1:])
        value = self.rng.choice((0, 1, -1, 2, 7, self.rng.getrandbits(bits)))
        return str(value % (1 << bits) - (1 << bits if value % (1 << bits) >> (bits - 1) else 0))

    def call(self, name: str, result: str, *arguments: tuple[str, str]) -> str:
        types = ", ".join(type for type, _ in arguments)
        self.intrinsics.add(f"declare {result} @llvm.{name}({types})")
        operands = ", ".join(f"{type} {value}" for type, value in arguments)
        return self.put(result, f"call {result} @llvm.{name}({operands})")

    def label(self, name: str) -> None:
        self.lines.append(f"{name}:")
        self.block = name


def _integer(draft: _Draft) -> str:
    return draft.rng.choice(INTEGERS)


def _binary(draft: _Draft) -> None:
    type = _integer(draft)
    operation = draft.rng.choice(_BINARY)
    draft.put(type, f"{operation} {type} {draft.any(type)}, {draft.any(type)}")


def _division(draft: _Draft) -> None:
    """Divisors are from 1 to 127: neither zero nor -1."""
    type = _integer(draft)
    low = draft.put(type, f"and {type} {draft.any(type)}, 127")
    divisor = draft.put(type, f"or {type} {low}, 1")
    operation = draft.rng.choice(("udiv", "sdiv", "urem", "srem"))
    draft.put(type, f"{operation} {type} {draft.any(type)}, {divisor}")


def _shift(draft: _Draft) -> None:
    type = _integer(draft)
    amount = draft.put(type, f"and {type} {draft.any(type)}, {int(type[1:]) - 1}")
    draft.put(
        type, f"{draft.rng.choice(('shl', 'lshr', 'ashr'))} {type} {draft.any(type)}, {amount}"
    )


def _compare(draft: _Draft) -> None:
    if draft.rng.random() < 0.5:
        type = _integer(draft)
        predicate = f"icmp {draft.rng.choice(_PREDICATES)}"
    else:
        type = draft.rng.choice(FLOATS)
        predicate = f"fcmp {draft.rng.choice(_FLOAT_PREDICATES)}"
    draft.put("i1", f"{predicate} {type} {draft.any(type)}, {draft.any(type)}")


def _select(draft: _Draft) -> None:
    type = draft.rng.choice((*INTEGERS, *FLOATS))
    condition = draft.any("i1")
    draft.put(type, f"select i1 {condition}, {type} {draft.any(type)}, {type} {draft.any(type)}")


def _resize(draft: _Draft) -> None:
    source, target = draft.rng.sample(("i1", *INTEGERS), 2)
    narrows = int(source[1:]) > int(target[1:])
    operation = "trunc" if narrows else draft.rng.choice(("zext", "sext"))
    draft.put(target, f"{operation} {source} {draft.any(source)} to {target}")


def _integer_intrinsic(draft: _Draft) -> None:
    name, count = draft.rng.choice(list(_INTEGER_INTRINSICS.items()))
    type = _integer(draft)
    draft.call(f"{name}.{type}", type, *((type, draft.any(type)) for _ in range(count)))


def _counting(draft: _Draft) -> None:
    type = _integer(draft)
    name = draft.rng.choice(("ctlz", "cttz", "abs"))
    draft.call(f"{name}.{type}", type, (type, draft.any(type)), ("i1", "false"))


def _swap(draft: _Draft) -> None:
    type = draft.rng.choice(("i16", "i32", "i64"))
    draft.call(f"bswap.{type}", type, (type, draft.any(type)))


def _float_binary(draft: _Draft) -> None:
    type = draft.rng.choice(FLOATS)
    operation = draft.rng.choice(("fadd", "fsub", "fmul", "fdiv"))
    draft.put(type, f"{operation} {type} {draft.any(type)}, {draft.any(type)}")


def _float_unary(draft: _Draft) -> None:
    type = draft.rng.choice(FLOATS)
    draft.put(type, f"fneg {type} {draft.any(type)}")


def _float_intrinsic(draft: _Draft) -> None:
    name, count = draft.rng.choice(list(_FLOAT_INTRINSICS.items()))
    type = draft.rng.choice(FLOATS)
    suffix = "f32" if type == "float" else "f64"
    draft.call(f"{name}.{suffix}", type, *((type, draft.any(type)) for _ in range(count)))


def _from_integer(draft: _Draft) -> None:
    source, target = _integer(draft), draft.rng.choice(FLOATS)
    operation = draft.rng.choice(("sitofp", "uitofp"))
    draft.put(target, f"{operation} {source} {draft.any(source)} to {target}")


def _to_integer(draft: _Draft) -> None:
    source, target = draft.rng.choice(FLOATS), draft.rng.choice(("i32", "i64"))
    name = draft.rng.choice(("fptosi", "fptoui"))
    suffix = "f32" if source == "float" else "f64"
    draft.call(f"{name}.sat.{target}.{suffix}", target, (source, draft.any(source)))


def _float_resize(draft: _Draft) -> None:
    if draft.rng.random() < 0.5:
        draft.put("float", f"fptrunc double {draft.any('double')} to float")
    else:
        draft.put("double", f"fpext float {draft.any('float')} to double")


def _diamond(draft: _Draft) -> None:
    """A branch whose sides compute a value each."""
    type = draft.rng.choice((*INTEGERS, *FLOATS))
    then, other, end = (draft.name("b") for _ in range(3))
    draft.lines.append(f"  br i1 {draft.any('i1')}, label %{then}, label %{other}")
    sides: list[tuple[str, str]] = []
    before = {t: list(values) for t, values in draft.values.items()}
    for side in (then, other):
        draft.label(side)
        for _ in range(draft.rng.randrange(1, 4)):
            draft.rng.choice(_STRAIGHT)(draft)
        sides.append((draft.any(type), draft.block))
        draft.values = {t: list(values) for t, values in before.items()}
        draft.lines.append(f"  br label %{end}")
    draft.label(end)
    choices = ", ".join(f"[ {value}, %{block} ]" for value, block in sides)
    draft.put(type, f"phi {type} {choices}")


def _loop(draft: _Draft) -> None:
    """A loop of a few rounds that carries a value."""
    type = draft.rng.choice((*INTEGERS, *FLOATS))
    start, before = draft.any(type), draft.block
    low = draft.put("i32", f"and i32 {draft.any('i32')}, 7")
    body, end = draft.name("b"), draft.name("b")
    index, carried, following, value = (f"%{draft.name()}" for _ in range(4))
    draft.lines.append(f"  br label %{body}")
    draft.label(body)
    draft.lines.append(f"  {index} = phi i32 [ 0, %{before} ], [ {following}, %{body} ]")
    draft.lines.append(f"  {carried} = phi {type} [ {start}, %{before} ], [ {value}, %{body} ]")
    outside = {t: list(values) for t, values in draft.values.items()}
    draft.values.setdefault(type, []).append(carried)
    draft.values.setdefault("i32", []).append(index)
    for _ in range(draft.rng.randrange(1, 5)):
        draft.rng.choice(_STRAIGHT)(draft)
    last = draft.any(type)
    zero = "-0.0" if type in FLOATS else "0"
    draft.lines.append(f"  {value} = {'fadd' if type in FLOATS else 'or'} {type} {last}, {zero}")
    draft.lines.append(f"  {following} = add i32 {index}, 1")
    draft.lines.append(f"  %{body}c = icmp ult i32 {following}, {low}")
    draft.lines.append(f"  br i1 %{body}c, label %{body}, label %{end}")
    draft.values = outside
    draft.label(end)
    draft.values.setdefault(type, []).append(value)


_STRAIGHT: tuple[Callable[[_Draft], None], ...] = (
    *(_binary, _binary, _division, _shift, _compare, _select, _resize, _integer_intrinsic),
    *(_counting, _swap, _float_binary, _float_binary, _float_unary, _float_intrinsic),
    *(_from_integer, _to_integer, _float_resize),
)
_STEPS = (*_STRAIGHT, *_STRAIGHT, *_STRAIGHT, _diamond, _diamond, _loop, _loop)


@dataclass(frozen=True)
class Function:
    """The text of a function, named `f` and its seed, and the intrinsics it declares."""

    name: str
    text: str
    intrinsics: frozenset[str]


def generate(seed: int, size: int = DEFAULT_SIZE) -> Function:
    """A function of about `size` instructions, always the same for a seed."""
    draft = _Draft(Random(seed))
    for type, array in (("i64", "integers"), ("double", "floats")):
        for _ in range(3):
            offset = draft.rng.randrange(INPUTS)
            moved = draft.put("i32", f"add i32 %index, {offset}")
            inside = draft.put("i32", f"and i32 {moved}, {INPUTS - 1}")
            place = f"%{draft.name('p')}"
            draft.lines.append(f"  {place} = getelementptr {type}, ptr %{array}, i32 {inside}")
            draft.put(type, f"load {type}, ptr {place}")
    for type in ("i8", "i16", "i32"):
        draft.put(type, f"trunc i64 {draft.any('i64')} to {type}")
    draft.put("float", f"fptrunc double {draft.any('double')} to float")
    for _ in range(size):
        draft.rng.choice(_STEPS)(draft)
    for number in range(RESULTS):
        _store(draft, number)
    name = f"f{seed}"
    head = f"define void @{name}(ptr %integers, ptr %floats, ptr %results, i32 %index) {{"
    text = "\n".join((head, "entry:", *draft.lines, "  ret void", "}"))
    return Function(name, text, frozenset(draft.intrinsics))


def _store(draft: _Draft, number: int) -> None:
    if number < INTEGER_RESULTS:
        type, text = "i64", f"or i64 {draft.any('i64')}, 0"
        for narrow in draft.rng.sample(("i1", *INTEGERS[:3]), 2):
            wide = draft.put("i64", f"zext {narrow} {draft.any(narrow)} to i64")
            mixed = draft.put("i64", f"mul i64 {wide}, 6364136223846793005")
            text = f"xor i64 {draft.put('i64', text)}, {mixed}"
    elif draft.rng.random() < 0.5:
        type, text = "double", f"fpext float {draft.any('float')} to double"
    else:
        type, text = "double", f"select i1 true, double {draft.any('double')}, double 0.0"
    value = draft.put(type, text)
    place = f"%{draft.name('p')}"
    draft.lines.append(f"  {place} = getelementptr i64, ptr %results, i32 {number}")
    draft.lines.append(f"  store {type} {value}, ptr {place}")
