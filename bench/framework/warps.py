"""Which instructions of a listing each warp of a thread block reaches.

Warps of one kernel do different things, and only the code tells which: branches on the number of
the thread. Here the registers that depend on this number and on constants alone are followed from
the entry, lane by lane; all others are unknown, and a branch on one of these goes both ways.
Source of the instructions' meanings: CUDA binary utilities, "Instruction Set Reference".
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bench.framework.machine_code import Instruction

LANES = 32
_MASK = 0xFFFFFFFF
_SIGN = 1 << 31
_ALL_LANES = (1 << LANES) - 1

Lanes = tuple[int | None, ...]
"""A value of each lane: a word of 32 bits, or 0 and 1 of a predicate; `None` is not known."""

_EVERY: Lanes = (1,) * LANES
_NONE: Lanes = (0,) * LANES
_UNKNOWN: Lanes = (None,) * LANES

_OPERAND = re.compile(
    r"^(?P<sign>[-~!]?)(?P<name>U?R\d+|U?RZ|U?P\d+|U?PT|0x[0-9a-f]+|SR_[\w.]+)(?:\.reuse)?$"
)
_REGISTER = re.compile(r"^(U?[RP])(\d+)")
_WIDE = {"64": 2, "WIDE": 2, "128": 4}
_TIMES = re.compile(r"\.x(\d+)")
_OF_WARPGROUP = re.compile(r"GMMA\.64x(\d+)x")
_TESTS = re.compile(r"SETP$|PLOP3$")
"""Instructions that write predicates alone."""
_BRANCHES = ("BRA", "JMP", "EXIT", "RET")
_OF_MMA = 4
"""Registers that an MMA of a warp writes at most."""

_COMPARISONS: Mapping[str, Callable[[int, int], bool]] = {
    "EQ": operator.eq,
    "NE": operator.ne,
    "LT": operator.lt,
    "LE": operator.le,
    "GT": operator.gt,
    "GE": operator.ge,
}
_NEGATED: Mapping[str, Callable[[int], int]] = {
    "!": lambda x: 1 - x,
    "-": operator.neg,
    "~": operator.invert,
}
_JOINED: Mapping[str, Callable[[int, int], int]] = {
    "AND": operator.and_,
    "OR": operator.or_,
    "XOR": operator.xor,
}


@dataclass
class State:
    """The active lanes at a place as bits, and what is known of registers there."""

    active: int
    known: dict[str, Lanes]

    def join(self, other: State) -> bool:
        """Keeps what both know of the lanes that each has; whether anything has changed."""
        added = other.active & ~self.active
        changed = bool(added)
        for name, value in list(self.known.items()):
            if (new := other.known.get(name, _UNKNOWN)) == value:
                continue
            joined = tuple(
                n if added >> lane & 1 else v if v == n or not other.active >> lane & 1 else None
                for lane, (v, n) in enumerate(zip(value, new, strict=True))
            )
            if joined != value:
                changed = True
                self.known[name] = joined
        self.active |= other.active
        return changed


def reached_by(code: Sequence[Instruction], edges: Sequence[Sequence[int]], warp: int) -> set[int]:
    """The places of a listing that some lane of a warp of a block reaches, by `edges`."""
    states: dict[int, State] = {0: State(_ALL_LANES, {})}
    entries = {0} | {place for following in edges for place in following[1:]}
    entries |= {f for place, following in enumerate(edges) for f in following if f != place + 1}
    pending, reached = [0], set[int]()
    while pending:
        place = pending.pop()
        entered = states[place]
        state = State(entered.active, dict(entered.known))
        while True:
            reached.add(place)
            instruction = code[place]
            apply(instruction, warp, state)
            leaving = [
                (following, lanes)
                for following, lanes in _leaving(code, edges, place, state)
                if lanes
            ]
            if len(leaving) == 1 and leaving[0][0] not in entries:
                place, state.active = leaving[0]
                continue
            for following, lanes in leaving:
                arriving = State(lanes, dict(state.known))
                if following not in states:
                    states[following] = arriving
                    pending.append(following)
                elif states[following].join(arriving):
                    pending.append(following)
            break
    return reached


def _leaving(
    code: Sequence[Instruction], edges: Sequence[Sequence[int]], place: int, state: State
) -> list[tuple[int, int]]:
    """The next places, each with the lanes that may go there."""
    instruction, following = code[place], edges[place]
    if instruction.family not in _BRANCHES:
        return [(each, state.active) for each in following]
    taken, passed = _taken(instruction, state)
    if instruction.family in ("EXIT", "RET") or instruction.target is None:
        return [(each, passed) for each in following]
    return [(each, passed if each == place + 1 else taken) for each in following]


def _taken(instruction: Instruction, state: State) -> tuple[int, int]:
    """The active lanes that may take a branch, and those that may pass it, as bits."""
    conditions = [instruction.guard] if instruction.guard else []
    operands = [part.strip() for part in instruction.operands.split(",")]
    conditions += [part for part in operands[:-1] if _is_predicate(part.lstrip("!"))]
    taken, passed = state.active, 0
    for condition in conditions:
        value = _value(condition, state.known)
        taken &= sum((bit != 0) << lane for lane, bit in enumerate(value))
        passed |= state.active & sum((bit != 1) << lane for lane, bit in enumerate(value))
    return taken, passed


def _value(operand: str, known: Mapping[str, Lanes]) -> Lanes:
    found = _OPERAND.match(operand)
    if found is None:
        return _UNKNOWN
    name, sign = found["name"], found["sign"]
    if name in ("PT", "UPT"):
        value: Lanes = _EVERY
    elif name in ("RZ", "URZ"):
        value = _NONE
    elif name.startswith("0x"):
        value = (int(name, 16) & _MASK,) * LANES
    else:
        value = known.get(name, _UNKNOWN)
    if not sign or value is _UNKNOWN:
        return value
    negate = _NEGATED[sign]
    return tuple(None if x is None else negate(x) & _MASK for x in value)


def apply(instruction: Instruction, warp: int, state: State) -> None:
    """What an instruction leaves known."""
    operands = [part.strip() for part in instruction.operands.split(",")]
    results = _results(instruction, operands, warp, state)
    guard = _value(instruction.guard, state.known) if instruction.guard else _EVERY
    for name in _written(instruction, operands):
        new = results.get(name, _UNKNOWN)
        if guard is not _EVERY:
            old = state.known.get(name, _UNKNOWN)
            lanes = zip(guard, new, old, strict=True)
            new = tuple((n if g else o) if g is not None or n == o else None for g, n, o in lanes)
        if new == _UNKNOWN:
            state.known.pop(name, None)
        else:
            state.known[name] = new


def _written(instruction: Instruction, operands: Sequence[str]) -> list[str]:
    """The registers and predicates that an instruction may write: those that it names first."""
    if instruction.family == "R2P":
        return [f"P{number}" for number in range(7)]
    if instruction.family in _BRANCHES:
        return []
    names: list[str] = []
    for position, operand in enumerate(operands):
        found = _REGISTER.match(operand)
        if found is not None and found[1].endswith("R") and _TESTS.search(instruction.family):
            break
        if found is not None and found[1].endswith("R"):
            first = int(found[2])
            names += [f"{found[1]}{first + i}" for i in range(_count(instruction.opcode))]
        if found is not None and found[1].endswith("P"):
            names.append(found[0])
        elif operand not in ("PT", "UPT"):
            # Carries come after the register, and before its operands.
            names += [name for name in operands[position + 1 : position + 3] if _is_predicate(name)]
            break
    return names


def _is_predicate(operand: str) -> bool:
    return operand.lstrip("U")[:1] == "P" and operand.lstrip("UP").isdigit()


def _count(opcode: str) -> int:
    """How many registers in a row it may write."""
    if (group := _OF_WARPGROUP.search(opcode)) is not None:
        return int(group[1]) // 2
    if (times := _TIMES.search(opcode)) is not None and opcode.startswith("LDT"):
        return int(times[1])
    family, *parts = opcode.split(".")
    if family.endswith("MMA") or family == "LDSM":
        return _OF_MMA
    return max((_WIDE[part] for part in parts if part in _WIDE), default=1)


def _results(
    instruction: Instruction, operands: Sequence[str], warp: int, state: State
) -> dict[str, Lanes]:
    """The results that are known, by their registers."""
    family, *parts = instruction.opcode.split(".")
    name, *rest = operands
    match family:
        case "S2R" | "S2UR":
            value = _special(rest[0], warp)
        case "ELECT":
            first = state.active & -state.active
            value = tuple(first >> lane & 1 for lane in range(LANES))
        case "ISETP" | "UISETP":
            value = _compared(parts, [_value(each, state.known) for each in rest[1:]])
        case "PLOP3" | "UPLOP3":
            value = _looked_up([_value(each, state.known) for each in rest[1:5]])
            value = tuple(None if x is None else x & 1 for x in value)
        case "R2UR" | "SHFL":
            source = _value(rest[-1 if family == "R2UR" else 1], state.known)
            name = rest[0] if family == "SHFL" else name
            is_first = family == "R2UR" or (parts == ["IDX"] and rest[2] in ("RZ", "0x0"))
            value = (source[0],) * LANES if is_first else _UNKNOWN
        case _:
            if _is_predicate(name):
                return _tested(family, operands, state)
            value = _computed(family, parts, [_value(o, state.known) for o in _sources(rest)])
    return {name: value}


def _tested(family: str, operands: Sequence[str], state: State) -> dict[str, Lanes]:
    """The predicate that a logical operation writes: whether its result is not zero."""
    values = [_value(each, state.known) for each in operands[2:6]]
    if family not in ("LOP3", "ULOP3"):
        return {}
    result = _looked_up(values)
    is_set = tuple(None if x is None else int(x != 0) for x in result)
    return {operands[0]: is_set, operands[1]: result}


def _sources(operands: Sequence[str]) -> list[str]:
    """Operands without the predicates of carries."""
    return [o for o in operands if o.lstrip("!U") != "PT" and not _is_predicate(o)]


def _special(register: str, warp: int) -> Lanes:
    """A register of the hardware, where it depends on the thread alone."""
    match register:
        case "SR_TID.X":
            return tuple(range(warp * LANES, (warp + 1) * LANES))
        case "SR_TID.Y" | "SR_TID.Z":
            return _NONE
        case "SR_LANEID":
            return tuple(range(LANES))
        case _:
            return _UNKNOWN


def _compared(parts: Sequence[str], values: Sequence[Lanes]) -> Lanes:
    """`ISETP`: a comparison, joined with a predicate."""
    lhs, rhs, other, *_ = values
    if "EX" in parts:
        return _UNKNOWN
    compare, join = _COMPARISONS[parts[0]], _JOINED[parts[-1]]
    sign = 0 if "U32" in parts else _SIGN

    def lane(a: int | None, b: int | None, c: int | None) -> int | None:
        known = None
        if a is not None and b is not None:
            known = int(compare(a ^ sign, b ^ sign))
        # One of both decides where it is 0 of a conjunction, or 1 of a disjunction.
        for decisive in (known, c):
            if decisive is not None and _DECISIVE.get(parts[-1]) == decisive:
                return decisive
        return None if known is None or c is None else join(known, c)

    return tuple(map(lane, lhs, rhs, other))


def _looked_up(values: Sequence[Lanes]) -> Lanes:
    """`LOP3`: each bit of three operands selects a bit of a table of eight."""
    return tuple(
        None if a is None or b is None or c is None or t is None else _lookup(a, b, c, t)
        for a, b, c, t in zip(*values, strict=True)
    )


def _lookup(a: int, b: int, c: int, table: int) -> int:
    total = 0
    for row in range(8):
        if table >> row & 1:
            total |= (
                (a if row & 4 else ~a) & (b if row & 2 else ~b) & (c if row & 1 else ~c) & _MASK
            )
    return total


def _computed(family: str, parts: Sequence[str], values: Sequence[Lanes]) -> Lanes:
    """The result of an instruction of words."""
    count, compute = _WORDS.get((family.removeprefix("U"), *parts), (0, None))
    used = values[:count]
    if compute is None or len(used) < count or _UNKNOWN in used:
        return _UNKNOWN
    lanes = zip(*used, strict=True)
    return tuple(None if None in each else compute(*each) & _MASK for each in lanes)


def _multiply_add(a: int, b: int, c: int) -> int:
    return a * b + c


def _sum(a: int, b: int, c: int) -> int:
    return a + b + c


def _same(a: int) -> int:
    return a


def _shift_right(_low: int, by: int, high: int) -> int:
    return high >> (by & 31)


def _shift_left(low: int, by: int) -> int:
    return low << (by & 31)


def _scaled_sum(a: int, b: int, by: int) -> int:
    return (a << by) + b


_DECISIVE = {"AND": 0, "OR": 1}
_WORDS: Mapping[tuple[str, ...], tuple[int, Callable[..., int]]] = {
    ("MOV",): (1, _same),
    ("IMAD",): (3, _multiply_add),
    ("IMAD", "MOV", "U32"): (3, _multiply_add),
    ("IMAD", "SHL", "U32"): (3, _multiply_add),
    ("IMAD", "IADD"): (3, _multiply_add),
    ("IADD3",): (3, _sum),
    ("IADD",): (2, operator.add),
    ("VIADD",): (2, operator.add),
    ("SHF", "R", "U32", "HI"): (3, _shift_right),
    ("SHF", "L", "U32"): (2, _shift_left),
    ("LOP3", "LUT"): (4, _lookup),
    ("LEA",): (3, _scaled_sum),
}
"""By the opcode: how many operands count, and what is computed of them."""
