"""Random declarations in a scope of their own, most with an instruction that uses what is declared.

Spaces, alignments, vectors, types, names, extents and initial values are drawn; so are elements of
vectors and arrays, and constants that are added to registers.
"""

from __future__ import annotations

from random import Random

from tests.ptx_grammar.operands import PER_TYPE

_SPACES = ("reg", "reg", "reg", "shared", "local", "global", "const")
_TYPES = (
    "b8",
    "b16",
    "b32",
    "b64",
    "u32",
    "s32",
    "u64",
    "f32",
    "f64",
    "f16",
    "f16x2",
    "pred",
    "b128",
)
_RARE_TYPES = ("bf16", "tf32", "bf16x2", "s16x2", "f32x2")
_ALIGNMENTS = (1, 2, 4, 8, 16, 16, 128, 3, 0)
_NAMES = ("a", "v", "temp", "$a", "_a", "%a", "a$", "tid", "_", "a.b", "%tid")
_COMPONENTS = "xyzwrgba"
_CONSTANTS = (
    "1",
    "-1",
    "3U",
    "1 + 2",
    "0x7fffffffffffffff",
    "18446744073709551615",
    "18446744073709551616",
    "20000000000000000000",
    "36893488147419103231",
    "99999999999999999999",
    "0x1ffffffffffffffff",
    "0xfffffffffffffffff",
    "0b11",
    "01777777777777777777777",
)


def declaration(rng: Random) -> str:
    """A scope with a declaration, without a semicolon after it."""
    space = rng.choice(_SPACES)
    type_ = rng.choice(_TYPES if rng.random() < 0.95 else _RARE_TYPES)
    width = rng.choice((0, 0, 2, 4, 4, 8 if rng.random() < 0.1 else 2))
    name = rng.choice(_NAMES[:7] if rng.random() < 0.9 else _NAMES)
    number = rng.choice(("", "", "<4>", "<0>"))
    extent = (
        rng.choice(("", "[4]", "[2][3]", "[]")) if space != "reg" or rng.random() < 0.05 else ""
    )
    initial = " = " + rng.choice(_CONSTANTS[:3]) if rng.random() < 0.15 else ""
    parts = [f".{space}"]
    if rng.random() < 0.15:
        parts.append(f".align {rng.choice(_ALIGNMENTS)}")
    if width:
        parts.append(f".v{width}")
    parts += [f".{type_}", f"{name}{number if not extent else ''}{extent}{initial}"]
    declared = f"{' '.join(parts)}; "
    used = f"{name}{rng.randrange(5)}" if number and not extent else name
    return f"{{ {declared}{_use(rng, space, type_, width, used)}}}"


def _use(rng: Random, space: str, type_: str, width: int, name: str) -> str:
    """An instruction with what is declared, or nothing."""
    if rng.random() < 0.2:
        return ""
    bits = type_.lstrip("bfsut").split("x")[0]
    long, word = (f"%{letter}{rng.randrange(PER_TYPE)}" for letter in "dr")
    if space != "reg":
        element = rng.choice((f"[{name}]", f"{name}[1]", f"{name}[{word}]", f"{name}[{word} + 1]"))
        return rng.choice((f"mov.u64 {long}, {name}; ", f"ld.{space}.b32 {word}, {element}; "))
    plain = f"b{bits}"
    if width:
        component = f"{name}.{rng.choice(_COMPONENTS)}"
        return rng.choice(
            (
                f"ld.global.v{width}.{plain} {name}, [{long}]; ",
                f"st.v{width}.global.{plain} [{long}], {name}; ",
                f"mov.v{width}.{plain} {name}, {name}; ",
                f"mov.{plain} {component}, {component}; ",
                f"mov.b64 {long}, {name}; ",
            )
        )
    added = f"{name} + {rng.choice(_CONSTANTS)}"
    return rng.choice(
        (
            f"st.global.{plain} [{long}], {added}; ",
            f"mov.{plain} {name}, {rng.choice(_CONSTANTS)}; ",
            f"add.s32 {word}, {word}, {added}; ",
        )
    )
