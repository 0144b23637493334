"""Single instructions against an independent statement of their meaning.

A `Case` is one instruction with typed operands; `run` builds a kernel around it that gives each
thread its own operands from memory and stores the results.
"""

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

from tests.unit.interpreters.oracle import rounded
from tileir_xdsl import emulator
from tileir_xdsl.interpreters.numerics import RoundingMode
from tileir_xdsl.testing.kernels.agreement import Expected, agreeing

Array = npt.NDArray[Any]
# Functions by their number of operands, so that the parameters of a lambda have a type.
IntegerFunction = (
    Callable[[int], int]
    | Callable[[int, int], int]
    | Callable[[int, int, int], int]
    | Callable[[int, int, int, int], int]
)
Meaning = (
    Callable[[], Any]
    | Callable[[Array], Any]
    | Callable[[Array, Array], Any]
    | Callable[[Array, Array, Array], Any]
    | Callable[[Array, Array, Array, Array], Any]
)
THREADS = 128


@dataclass(frozen=True)
class OperandType:
    """A type of a test operand: how PTX declares and moves it, and its numpy elements."""

    register: str
    bits: int
    dtype: np.dtype[Any]
    elements: int = 1


def _types() -> dict[str, OperandType]:
    found: dict[str, OperandType] = {"pred": OperandType("pred", 8, np.dtype(np.uint8))}
    for bits in (8, 16, 32, 64):
        for letter, kind in (("b", "u"), ("u", "u"), ("s", "i")):
            register = f"b{max(bits, 16)}"
            found[f"{letter}{bits}"] = OperandType(register, bits, np.dtype(f"{kind}{bits // 8}"))
    bfloat16 = np.dtype(ml_dtypes.bfloat16)
    found["f16"] = OperandType("b16", 16, np.dtype(np.float16))
    found["bf16"] = OperandType("b16", 16, bfloat16)
    found["f32"] = OperandType("f32", 32, np.dtype(np.float32))
    found["tf32"] = OperandType("b32", 32, np.dtype(np.float32))
    found["f64"] = OperandType("f64", 64, np.dtype(np.float64))
    found["f16x2"] = OperandType("b32", 32, np.dtype(np.float16), 2)
    found["bf16x2"] = OperandType("b32", 32, bfloat16, 2)
    found["f32x2"] = OperandType("b64", 64, np.dtype(np.float32), 2)
    found["u16x2"] = OperandType("b32", 32, np.dtype(np.uint16), 2)
    found["s16x2"] = OperandType("b32", 32, np.dtype(np.int16), 2)
    found["e4m3x2"] = OperandType("b16", 16, np.dtype(ml_dtypes.float8_e4m3fn), 2)
    found["e5m2x2"] = OperandType("b16", 16, np.dtype(ml_dtypes.float8_e5m2), 2)
    found["ue8m0x2"] = OperandType("b16", 16, np.dtype(ml_dtypes.float8_e8m0fnu), 2)
    return found


TYPES = _types()


@dataclass(frozen=True)
class Case:
    """`text` is the instruction with registers `%name` for the operands in `inputs` and `results`,
    each a list like `a:s32 b:f16x2`.

    `meaning` maps the input arrays (`[threads]`, packed types `[threads, 2]`) to the result array
    or a tuple of them. `ulps` is the relative error allowed, in units of the result type's epsilon.
    """

    text: str
    inputs: str
    results: str
    meaning: Meaning
    target: str = "sm_90a"
    ulps: int = 0
    values: Mapping[str, Array] = field(default_factory=lambda: dict[str, Array]())

    def expected(self, *inputs: Array) -> tuple[Any, ...]:
        """What the meaning gives for some inputs, one array per result."""
        meaning: Callable[..., Any] = self.meaning
        found = meaning(*inputs)
        return found if isinstance(found, tuple) else (found,)

    def __str__(self) -> str:
        return self.text


def operands(text: str) -> list[tuple[str, OperandType]]:
    pairs = [item.split(":") for item in text.split()]
    return [(name, TYPES[type_]) for name, type_ in pairs]


def kernel(case: Case, name: str = "k") -> str:
    """A kernel that applies the instruction of a case to one element per thread."""
    inputs, results = operands(case.inputs), operands(case.results)
    parameters = ", ".join(f".param .u64 p_{n}" for n, _ in [*inputs, *results])
    lines = [f".visible .entry {name}({parameters})", f".reqntid {THREADS}", "{"]
    lines += [".reg .b32 %i, %n, %t;", ".reg .b64 %base, %address;", ".reg .b16 %byte;"]
    for operand, type_ in [*inputs, *results]:
        lines.append(f".reg .{type_.register} %{operand};")
    lines += [
        "mov.u32 %i, %ctaid.x;",
        "mov.u32 %n, %ntid.x;",
        "mov.u32 %t, %tid.x;",
        "mad.lo.u32 %i, %i, %n, %t;",
    ]

    def address(operand: str, type_: OperandType) -> list[str]:
        return [
            f"ld.param.u64 %base, [p_{operand}];",
            f"mad.wide.u32 %address, %i, {type_.bits // 8}, %base;",
        ]

    for operand, type_ in inputs:
        lines += address(operand, type_)
        if type_.register == "pred":
            lines.append("ld.global.u8 %byte, [%address];")
            lines.append(f"setp.ne.u16 %{operand}, %byte, 0;")
        else:
            letter = "s" if type_.dtype.kind == "i" else "b"
            lines.append(f"ld.global.{letter}{type_.bits} %{operand}, [%address];")
    lines.append(case.text)
    for operand, type_ in results:
        lines += address(operand, type_)
        if type_.register == "pred":
            lines.append(f"selp.u16 %byte, 1, 0, %{operand};")
            lines.append("st.global.u8 [%address], %byte;")
        else:
            lines.append(f"st.global.b{type_.bits} [%address], %{operand};")
    return "\n".join([*lines, "ret;", "}"])


_PTX_VERSION = {
    "sm_80": "8.0",
    "sm_89": "8.1",
    "sm_90a": "8.6",
    "sm_100a": "8.8",
    "sm_107a": "9.4",
    "sm_120a": "8.8",
}


def module(cases: Sequence[Case], target: str | None = None) -> str:
    """One module with a kernel `k0`, `k1`, ... for each of some cases of one target.

    `target` is a later one that can run them, of whatever targets they are.
    """
    target = target or cases[0].target
    header = f".version {_PTX_VERSION[target]}\n.target {target}\n.address_size 64\n"
    return header + "\n".join(kernel(case, f"k{index}") for index, case in enumerate(cases))


def corner_values(type_: OperandType) -> Array:
    """Values of a type at which arithmetic goes wrong first."""
    dtype = type_.dtype
    if dtype.kind in "iu":
        bits = dtype.itemsize * 8
        raw = [0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 100, 0xFF, 0x1F05, 0x808]
        raw += [-1, -2, -3, -100, 1 << (bits - 1), (1 << (bits - 1)) - 1, (1 << (bits - 1)) + 1]
        raw += [1 << (bits // 2), (1 << (bits // 2)) - 1, 0x123456789ABCDEF0, 0xAAAAAAAAAAAAAAAA]
        wrapped = [value % (1 << bits) for value in raw]
        return np.array(wrapped, f"u{dtype.itemsize}").view(dtype)
    info = ml_dtypes.finfo(dtype)
    tiny, largest, epsilon = (float(x) for x in (info.tiny, info.max, info.eps))
    subnormal = float(info.smallest_subnormal)
    values = [0.0, 1.0, 1.5, 2.0, 3.0, 0.1, 0.5, 1 + epsilon, 1 - epsilon / 2, 7.5, 2.5, 100.3]
    values += [tiny, tiny * 1.5, subnormal, tiny - subnormal, largest, largest / 2, 1 / 3]
    values += [float(2 ** min(31, info.maxexp - 1)), 255.5, 128.0, 448.0]
    with np.errstate(all="ignore"):
        signed = np.array([*values, *(-v for v in values), np.inf, -np.inf, np.nan]).astype(dtype)
    return signed


def sample(case: Case) -> list[Array]:
    """Inputs for every thread: pairs of corner values, then random bits and corner values."""
    generator = np.random.default_rng(len(case.text))
    types = operands(case.inputs)
    threads = 6 * THREADS
    corners = [np.resize(corner_values(type_), 40) for _, type_ in types]
    dot = np.array(list(itertools.product(range(40), repeat=2))).T
    arrays: list[Array] = []
    for index, (name, type_) in enumerate(types):
        shape = (threads, type_.elements)
        if name in case.values:
            picked = np.resize(case.values[name], shape)
        elif type_.register == "pred":
            picked = generator.integers(0, 2, shape, np.uint8)
        else:
            raw = generator.integers(0, 256, threads * type_.bits // 8, np.uint8)
            picked = raw.view(type_.dtype).reshape(shape).copy()
            chosen = generator.random(shape) < 0.3
            picked[chosen] = generator.choice(corners[index], shape)[chosen]
            if index < 2:
                pairs = corners[index][generator.permutation(dot, axis=1)[index]]
                picked[: threads // 2, 0] = np.resize(pairs, threads // 2)
        arrays.append(picked if type_.elements > 1 else picked[:, 0])
    return [np.ascontiguousarray(array) for array in arrays]


def run(case: Case, inputs: list[Array]) -> list[Array]:
    """The results the emulator gives for a case."""
    threads = len(inputs[0]) if inputs else THREADS
    results = [
        np.zeros((threads, type_.elements) if type_.elements > 1 else threads, type_.dtype)
        for _, type_ in operands(case.results)
    ]
    loaded = emulator.load(module([case]))
    loaded.launch("k0", (threads // THREADS, 1, 1), [*inputs, *results])
    return results


def check(case: Case) -> None:
    """Run a case on its sample and compare with its meaning."""
    with np.errstate(all="ignore"):
        _check(case)


def _check(case: Case) -> None:
    inputs = sample(case)
    found = run(case, inputs)
    expected = case.expected(*(array.copy() for array in inputs))
    for (name, type_), value, wanted in zip(operands(case.results), found, expected, strict=True):
        wanted = np.asarray(wanted).astype(type_.dtype)
        wrong = ~same(value, wanted, case.ulps)
        if wrong.any():
            at = tuple(int(i) for i in np.argwhere(wrong)[0])
            arguments = {
                n: array[at[0]] for (n, _), array in zip(operands(case.inputs), inputs, strict=True)
            }
            raise AssertionError(
                f"{case.text} with {arguments}: %{name} is {value[at]!r}, not {wanted[at]!r} "
                f"({int(wrong.sum())} of {wrong.size} differ)"
            )


def same(found: Array, wanted: Array, ulps: int) -> Array:
    """Equal bits, any NaN for any NaN, or a relative error of some units in the last place."""
    if not ulps:
        return agreeing(found, Expected(wanted))
    info = ml_dtypes.finfo(found.dtype)
    size = np.abs(wanted.astype(np.float64))
    allowed = ulps * np.maximum(size * float(info.eps), float(info.smallest_subnormal))
    return agreeing(found, Expected(wanted, allowed))


# Statements of meaning


def each(function: IntegerFunction) -> Callable[..., Array]:
    """Apply a function of Python integers thread by thread; the result wraps to its type."""
    of_integers: Callable[..., int] = function

    def apply(*arrays: Array) -> Array:
        values = [of_integers(*lane) for lane in zip(*(a.tolist() for a in arrays), strict=True)]
        return np.array([value % (1 << 64) for value in values], np.uint64)

    return apply


def each_element(function: Callable[..., Any]) -> Callable[..., Array]:
    """Apply a function of Python numbers to every element of packed or plain arrays."""

    def apply(*arrays: Array) -> Array:
        flat = [a.astype(object).ravel().tolist() for a in np.broadcast_arrays(*arrays)]
        return np.array([function(*lane) for lane in zip(*flat, strict=True)]).reshape(
            arrays[0].shape
        )

    return apply


_ROUNDING = {
    "rn": RoundingMode.NEAREST_EVEN,
    "rna": RoundingMode.NEAREST_AWAY,
    "rz": RoundingMode.ZERO,
    "rm": RoundingMode.NEGATIVE_INF,
    "rp": RoundingMode.POSITIVE_INF,
}


def round_exact(exact: Fraction, dtype: np.dtype[Any], mode: str) -> float:
    """A non-zero fraction rounded to a floating-point type, by integer arithmetic."""
    info = ml_dtypes.finfo(dtype)
    digits = int(info.nmant) + 1
    return rounded(exact, int(info.minexp), digits, float(info.max), _ROUNDING[mode])


def exactly(
    function: Callable[..., Any],
    dtype: np.dtype[Any],
    mode: str = "rn",
    cancels: Callable[..., bool] | None = None,
) -> Callable[..., Array]:
    """A function evaluated on fractions and rounded once; numpy decides on special values.

    `function` takes fractions or numpy doubles. Operands for which `cancels` holds give -0 where
    the exact result is zero.
    """

    def element(*values: float) -> float:
        doubles = [np.float64(value) for value in values]
        with np.errstate(all="ignore"):
            double = float(function(*doubles))
        if not all(np.isfinite(doubles)):
            return double
        try:
            exact = function(*(Fraction(value) for value in values))
        except ZeroDivisionError:
            return double
        if exact == 0:
            return -0.0 if cancels is not None and cancels(*values) else double
        return round_exact(exact, dtype, mode)

    def apply(*arrays: Array) -> Array:
        flat = [a.astype(np.float64).ravel().tolist() for a in arrays]
        rounded = [element(*lane) for lane in zip(*flat, strict=True)]
        with np.errstate(all="ignore"):
            return np.array(rounded, np.float64).astype(dtype).reshape(arrays[0].shape)

    return apply


def opcode_and_operands(text: str) -> tuple[str, int]:
    """The mnemonic of an instruction text and its number of operands."""
    stripped = re.sub(r"^@!?%\w+\s+", "", text.strip().rstrip(";"))
    mnemonic, _, rest = stripped.partition(" ")
    rest = re.sub(r"[{\[(][^}\])]*[}\])]", "x", rest)
    return mnemonic, len([part for part in rest.split(",") if part.strip()])
