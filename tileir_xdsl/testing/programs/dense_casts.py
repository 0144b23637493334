"""Sequences of casts in dense programs: signed and unsigned integers, and floats near ties.

Only for some types may a rewrite drop a cast and its inverse, or merge two casts. For other types
bits are lost, the sign changes, or the first of two roundings makes a tie.
"""

from __future__ import annotations

from tileir_xdsl.testing.programs.dense_draft import Draft

SIGNS = ("signed", "unsigned")
_NARROWING = ("", "", " rounding<zero>")
_NEAR_TIES = ("0.0", "1.0e-9", "-1.0e-9")
"""Offsets added to integers in f64: rounding to f32 drops them, and may leave a tie of f16."""


def casts(d: Draft) -> None:
    """Casts a narrow integer to f64 and on to two narrower floats; casts a float to an integer."""
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
"""The possible second float types, by the first."""


def _rounded(d: Draft, value: str, source: str, element: str) -> str:
    """Casts a float to another type; casts a 16-bit result on to f32, the type of other ops."""
    mode = "" if element == "f32" else d.random.choice(_NARROWING)
    rounded = d.add(f"ftof {value}{mode} : {d.tile(source)} -> {d.tile(element)}")
    if source == "f64" or element == "f32":
        return rounded
    return d.add(f"ftof {rounded} : {d.tile(element)} -> {d.tile('f32')}")
