"""Video instructions on parts of words."""

import re
from collections.abc import Callable

import pytest

from tests.unit.emulator.instructions.cases import Case, check, each
from tests.unit.emulator.kernels import HEADER
from tileir_xdsl import emulator

OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "vadd": lambda a, b: a + b,
    "vsub": lambda a, b: a - b,
    "vabsdiff": lambda a, b: abs(a - b),
    "vmin": min,
    "vmax": max,
    "vavrg": lambda a, b: (a + b + 1) // 2 if a + b >= 0 else (a + b) // 2,
    "vshl.clamp": lambda a, b: a << min(b, 32),
    "vshl.wrap": lambda a, b: a << b % 32,
    "vshr.clamp": lambda a, b: a >> min(b, 32),
    "vshr.wrap": lambda a, b: a >> b % 32,
    "vset.eq": lambda a, b: int(a == b),
    "vset.ne": lambda a, b: int(a != b),
    "vset.lt": lambda a, b: int(a < b),
    "vset.le": lambda a, b: int(a <= b),
    "vset.gt": lambda a, b: int(a > b),
    "vset.ge": lambda a, b: int(a >= b),
}
SECOND: dict[str, Callable[[int, int], int]] = {"add": lambda a, b: a + b, "min": min, "max": max}


def part(word: int, selector: str, type_: str) -> int:
    """A byte, a half word or the whole of a word."""
    size = {"b": 1, "h": 2, "": 4}[selector[:1]]
    index = int(selector[1:] or 0)
    octets = word.to_bytes(4, "little")[size * index : size * (index + 1)]
    return int.from_bytes(octets, "little", signed=type_ == "s32")


def clamp(value: int, bits: int, type_: str) -> int:
    if type_ == "s32":
        return max(-(2 ** (bits - 1)), min(value, 2 ** (bits - 1) - 1))
    return max(0, min(value, 2**bits - 1))


def replaced(word: int, selector: str, value: int) -> int:
    """A word with one of its parts replaced."""
    size = {"b": 1, "h": 2}[selector[0]]
    octets = bytearray(word.to_bytes(4, "little"))
    start = size * int(selector[1:])
    octets[start : start + size] = (value % 2 ** (8 * size)).to_bytes(size, "little")
    return int.from_bytes(octets, "little")


def scalar(text: str, name: str, types: str, d: str, second: str) -> Case:
    """`types` are those of result and operands; `d` the selector of the result."""
    selectors = re.findall(r"%[ab](?:\.(\w+))?[,;]", text)
    result, left, right = types.split(".")

    def meaning(a: int, b: int, c: int) -> int:
        value = OPERATIONS[name](part(a, selectors[0], left), part(b, selectors[1], right))
        if ".sat" in text:
            value = clamp(value, {"": 32, "b": 8, "h": 16}[d[:1]], result)
        if second:
            return SECOND[second](value, part(c, "", result))
        return replaced(c, d, value) if d else value

    return Case(text, "a:u32 b:u32 c:u32", "d:u32", each(meaning), target="sm_80")


def scalars() -> list[Case]:
    found: list[Case] = []
    shapes = (
        ("s32.s32.s32", "", "", "", "", ""),
        ("u32.u32.u32", "", ".h1", ".b0", "", ".sat"),
        ("s32.u32.s32", "", ".b3", ".h0", "add", ".sat"),
        ("u32.s32.u32", "", ".h0", "", "min", ""),
        ("s32.s32.u32", "", ".b2", ".b1", "max", ""),
        ("u32.s32.s32", "b1", ".h1", ".b3", "", ".sat"),
        ("s32.u32.u32", "h1", "", ".b0", "", ".sat"),
        ("s32.s32.s32", "b3", ".h0", ".h1", "", ""),
    )
    for name in OPERATIONS:
        if name == "vavrg":
            continue
        opcode, _, mode = name.partition(".")
        for types, d, a, b, second, sat in shapes:
            result, left, right = types.split(".")
            if opcode in ("vshl", "vshr"):
                right = "u32"
                suffix = f".{result}.{left}.u32{sat}.{mode}"
            elif opcode == "vset":
                result, sat = "u32", ""
                suffix = f".{left}.{right}.{mode}"
            else:
                suffix = f".{types}{sat}"
            third = ", %c" if second or d else ""
            text = (
                f"{opcode}{suffix}{second and '.' + second} %d{d and '.' + d}, %a{a}, %b{b}{third};"
            )
            found.append(scalar(text, name, f"{result}.{left}.{right}", d, second))
    return found


def multiply_adds() -> list[Case]:
    """The combinations of signs that the manual lists."""

    def case(text: str, sign: int, third: int, c_type: str, result: str) -> Case:
        left, right = re.findall(r"vmad\.\w+\.(\w+)\.(\w+)", text)[0]
        selectors = re.findall(r"%[ab](?:\.(\w+))?[,;]", text)
        shift = int(re.findall(r"\.shr(\d+)", text + ".shr0")[0])

        def meaning(a: int, b: int, c: int) -> int:
            product = part(a, selectors[0], left) * part(b, selectors[1], right)
            value = (sign * product + third * part(c, "", c_type) + (".po" in text)) >> shift
            return clamp(value, 32, result) if ".sat" in text else value

        return Case(text, "a:u32 b:u32 c:u32", "d:u32", each(meaning), target="sm_80")

    return [
        case("vmad.u32.u32.u32 %d, %a, %b, %c;", 1, 1, "u32", "u32"),
        case("vmad.u32.u32.u32.sat.shr15 %d, %a, %b.h1, %c;", 1, 1, "u32", "u32"),
        case("vmad.u32.u32.u32.po.sat %d, %a.b1, %b, %c;", 1, 1, "u32", "u32"),
        case("vmad.s32.s32.s32.po.shr7 %d, %a, %b, %c;", 1, 1, "s32", "s32"),
        case("vmad.s32.u32.u32.sat %d, -%a, %b, %c;", -1, 1, "s32", "s32"),
        case("vmad.s32.u32.u32 %d, -%a, -%b, %c;", 1, 1, "u32", "u32"),
        case("vmad.s32.u32.s32.sat.shr7 %d, %a.h0, %b.b3, %c;", 1, 1, "s32", "s32"),
        case("vmad.s32.s32.u32.sat %d, %a.h1, -%b.h0, %c;", -1, 1, "s32", "s32"),
        case("vmad.s32.s32.s32.sat.shr15 %d, %a, %b, -%c;", 1, -1, "s32", "s32"),
        case("vmad.s32.u32.u32.shr7 %d, %a.b0, %b.b1, -%c;", 1, -1, "u32", "s32"),
    ]


def parallel(text: str, name: str, types: str) -> Case:
    count = int(re.findall(r"^v[a-z]+([24])", text)[0])
    letter, bits = {2: ("h", 16), 4: ("b", 8)}[count]
    digits = "3210"[-count:]
    found = dict(re.findall(r"%([dab])\.[bh](\d+)", text))
    a_lanes = found.get("a", digits)[::-1]
    b_lanes = found.get("b", "".join(str(int(x) + count) for x in digits))[::-1]
    mask = found.get("d", digits)
    result, left, right = types.split(".")

    def meaning(a: int, b: int, c: int) -> int:
        both = a.to_bytes(4, "little") + b.to_bytes(4, "little")

        def lane(index: str, type_: str) -> int:
            octets = both[int(index) * bits // 8 : (int(index) + 1) * bits // 8]
            return int.from_bytes(octets, "little", signed=type_ == "s32")

        value = c
        for i in range(count):
            if str(i) not in mask:
                continue
            t = OPERATIONS[name](lane(a_lanes[i], left), lane(b_lanes[i], right))
            t = clamp(t, bits, result) if ".sat" in text else t
            value = value + t if ".add" in text else replaced(value, f"{letter}{i}", t)
        return value

    return Case(text, "a:u32 b:u32 c:u32", "d:u32", each(meaning), target="sm_80")


def parallels() -> list[Case]:
    found: list[Case] = []
    operands = {
        2: ("%d, %a, %b, %c;", "%d.h1, %a.h32, %b.h01, %c;", "%d.h0, %a.h13, %b, %c;"),
        4: ("%d, %a, %b, %c;", "%d.b310, %a.b7160, %b.b0123, %c;", "%d.b2, %a, %b.b4444, %c;"),
    }
    shapes = (("s32.s32.s32", ".sat"), ("u32.s32.u32", ".add"), ("u32.u32.u32", ""))
    shapes += (("s32.u32.u32", ".sat"),)
    for name in OPERATIONS:
        opcode, _, mode = name.partition(".")
        if opcode in ("vshl", "vshr"):
            continue
        for count in (2, 4):
            for index, (types, end) in enumerate(shapes):
                _, left, right = types.split(".")
                if mode:
                    end = end.replace(".sat", "")
                    suffix = f".{left}.{right}.{mode}{end}"
                else:
                    suffix = f".{types}{end}"
                text = f"{opcode}{count}{suffix} {operands[count][index % 3]}"
                found.append(parallel(text, name, types))
    return found


CASES = [*scalars(), *multiply_adds(), *parallels()]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    check(case)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "vadd.s32.s32.s32 %a, %b.b10, %c;",
            "expected a selector of a byte or half word, not '.b10'",
        ),
        ("vadd.s32.s32.s32.add %a.b1, %b, %c, %a;", "the result of '.add' must be a whole word"),
        (
            "vadd.s32.s32.s32 %a, %b, %c, %a;",
            "expected a third operand if and only if there is a second operation or a selector of the result",
        ),
        ("vadd.s32.s32.s32 %a, -%b, %c;", "only the source operands of vmad can be negated"),
        (
            "vadd2.s32.s32.s32 %a, %b.b3210, %c, %a;",
            "expected a selector of 2 parts of the words a and b, not '.b3210'",
        ),
        (
            "vadd4.s32.s32.s32 %a, %b.b10, %c, %a;",
            "expected a selector of 4 parts of the words a and b, not '.b10'",
        ),
        (
            "vadd4.s32.s32.s32 %a.b01, %b, %c, %a;",
            "expected a mask that names some of the 4 parts of the result, not '.b01'",
        ),
        (
            "vadd2.s32.s32.s32 %a.h2, %b, %c, %a;",
            "expected a mask that names some of the 2 parts of the result, not '.h2'",
        ),
        ("vadd2.s32.s32.s32 %a, %b, %c, %a.h0;", "the third operand must be a whole word"),
        ("vmad.s32.s32.s32.po %a, -%b, %c, %a;", "with '.po', no operand can be negated"),
        (
            "vmad.s32.s32.s32 %a, -%b, %c, -%a;",
            "the product and the third operand cannot both be negated",
        ),
        ("add.s32 %a, %b.b0, %c;", "expected an operand of type .s32"),
        ("add.s32 %a.b0, %b, %c;", "a result operand must be a register or '_'"),
        ("add.s32 %a, -%b, %c;", "expected an operand of type .s32"),
    ],
)
def test_operands_that_do_not_fit(text: str, message: str):
    module = emulator.load(f"{HEADER}.entry k() {{ .reg .b32 %a, %b, %c; {text} ret; }}")
    with pytest.raises(emulator.EmulatorError) as caught:
        module.launch(None, (1, 1, 1), [], block=(32, 1, 1))
    assert caught.value.message == message
