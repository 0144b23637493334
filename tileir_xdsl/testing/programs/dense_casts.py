"""Casts in a row in dense programs: integers of both signs, and numbers near ties as floats.

A cast back, or one cast in place of two, is right for some types only. Bits are lost, the sign is
another, or the first rounding of two gives a tie.
"""

from __future__ import annotations

from tileir_xdsl.testing.programs.dense_draft import Draft

SIGNS = ("signed", "unsigned")
_NARROWING = ("", "", " rounding<zero>")
_NEAR_TIES = ("0.0", "1.0e-9", "-1.0e-9")
"""Added to whole numbers in f64: as f32 these are whole again, which may be ties of f16."""


def casts(d: Draft) -> None:
    """An integer of few bits as a float, by two more types of floats; and that as an integer."""
    narrow = d.random.choice(("i8", "i16", "i16"))
    cut = d.add(f"trunci {d.integers[0]} : {d.tile('i32')} -> {d.tile(narrow)}")
    wide = d.add(f"exti {cut} {d.random.choice(SIGNS)} : {d.tile(narrow)} -> {d.tile('i32')}")
    source, element = d.random.choice(((cut, narrow), (wide, "i32"), (wide, "i32")))
    sign = d.random.choice(SIGNS)
    value = d.add(f"itof {source} {sign} : {d.tile(element)} -> {d.tile('f64')}")
    near = d.constant(d.random.choice(_NEAR_TIES), "f64")
    value = d.add(f"addf {value}, {near} : {d.tile('f64')}")
    by = d.random.choice(("f32", "f32", "f16", "bf16"))
    value = _rounded(d, _rounded(d, value, "f64", by), by, d.random.choice(_OTHERS[by]))
    d.floats.append(value)
    whole = d.add(
        f"ftoi {d.random.choice(d.floats)} {d.random.choice(SIGNS)} saturating : "
        f"{d.tile('f32')} -> {d.tile(narrow)}"
    )
    last = d.add(f"exti {whole} {d.random.choice(SIGNS)} : {d.tile(narrow)} -> {d.tile('i32')}")
    d.integers.append(d.add(f"xori {d.integers[-1]}, {last} : {d.tile('i32')}"))


_OTHERS = {"f32": ("f16", "f16", "bf16"), "f16": ("f32", "bf16"), "bf16": ("f32", "f16")}
"""The types after the first one."""


def _rounded(d: Draft, value: str, source: str, element: str) -> str:
    """A float in another type; with one of 16 bits after that in f32, as other ops take it."""
    mode = "" if element == "f32" else d.random.choice(_NARROWING)
    rounded = d.add(f"ftof {value}{mode} : {d.tile(source)} -> {d.tile(element)}")
    if source == "f64" or element == "f32":
        return rounded
    return d.add(f"ftof {rounded} : {d.tile(element)} -> {d.tile('f32')}")
