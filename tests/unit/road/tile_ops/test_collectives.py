"""Reductions and scans at the last level compute what they compute at the first, without races."""

from collections.abc import Sequence

import numpy as np
import pytest

from tests.unit.road.agreement import DTYPES, Array, evaluate, shaped

KEEP_SET = """
  %none = constant <i32: 0> : tile<i32>
  %set = cmpi not_equal %e0, %none, signed : tile<i32> -> tile<i1>
  %r0 = select %set, %e0, %a0 : tile<i1>, tile<i32>
"""
"""The last element that is not zero: associative, does not commute."""

AFFINE = """
  %r0 = muli %a0, %e0 : tile<i32>
  %scaled = muli %a1, %e0 : tile<i32>
  %r1 = addi %scaled, %e1 : tile<i32>
"""
"""First one affine map, then another: of two operands, does not commute."""

BRANCHES = """
  %more = cmpi greater_than %e0, %a0, signed : tile<i32> -> tile<i1>
  %r0 = if %more -> (tile<i32>) {
    yield %e0 : tile<i32>
  } else {
    yield %a0 : tile<i32>
  }
"""
"""The largest element, by a branch."""

INTEGER_BODIES = {
    "add": ("%r0 = addi %a0, %e0 : tile<i32>", 0),
    "max": ("%r0 = maxi %a0, %e0 signed : tile<i32>", -(2**31)),
    "keep": (KEEP_SET, 0),
    "branch": (BRANCHES, -(2**31)),
}
"""Bodies on i32, and what they have no effect on."""

SHAPES = [(1,), (2,), (64,), (512,), (4, 8), (32, 64), (2, 1, 16)]
"""Smaller than a warp, between, and larger than a block."""

AXES = [(shape, axis) for shape in SHAPES for axis in range(len(shape))]
ALONG = [(shape, axis, reverse) for shape, axis in AXES for reverse in (False, True)]


def integers(shape: Sequence[int], seed: int = 1) -> Array:
    """Numbers of which a third are zero."""
    rng = np.random.default_rng(seed)
    return np.where(rng.random(shape) < 0.3, 0, rng.integers(-99, 99, shape)).astype(np.int32)


def collective(
    kind: str,
    inputs: Sequence[Array],
    elements: Sequence[str],
    axis: int,
    body: str,
    identities: Sequence[str],
    reverse: bool | None = None,
) -> list[Array]:
    """A reduction or scan of all the inputs, by a body on %a0, %e0... that makes %r0...

    %a is the running value of the specification, %e the element; the first level decides.
    """
    shape = inputs[0].shape
    result = shape if kind == "scan" else (*shape[:axis], *shape[axis + 1 :])
    names = ", ".join(f"%x{n}" for n in range(len(inputs)))
    results = ", ".join(f"%y{n}" for n in range(len(inputs)))
    known = ", ".join(
        i if e == "i1" else f"{i} : {e}" for i, e in zip(identities, elements, strict=True)
    )
    arguments = ", ".join(f"%e{n}: tile<{e}>, %a{n}: tile<{e}>" for n, e in enumerate(elements))
    order = "" if reverse is None else f"reverse={str(reverse).lower()} "
    yielded = ", ".join(f"%r{n}" for n in range(len(inputs)))
    text = f"""
    {results} = {kind} {names} dim={axis} {order}identities=[{known}]
      : {", ".join(shaped(shape, e) for e in elements)}
      -> {", ".join(shaped(result, e) for e in elements)}
    ({arguments}) {{
      {body}
      yield {yielded} : {", ".join(f"tile<{e}>" for e in elements)}
    }}
    """
    return evaluate(text, inputs, [(e, result) for e in elements])


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("shape", "axis"), AXES, ids=str)
@pytest.mark.parametrize("body", ["add", "keep"])
def test_reduce_along_each_axis(shape: tuple[int, ...], axis: int, body: str):
    text, identity = INTEGER_BODIES[body]
    values = integers(shape)
    (result,) = collective("reduce", [values], ["i32"], axis, text, [str(identity)])
    if body == "add":
        np.testing.assert_array_equal(result, values.sum(axis, dtype=np.int32))


@pytest.mark.parametrize("shape", [(4, 64, 16), (2, 128, 8)], ids=str)
@pytest.mark.parametrize("body", ["add", "keep"])
def test_reduce_along_registers_between_others(shape: tuple[int, ...], body: str):
    """The registers of a thread hold elements before and after the axis, too."""
    text, identity = INTEGER_BODIES[body]
    values = integers(shape)
    (result,) = collective("reduce", [values], ["i32"], 1, text, [str(identity)])
    if body == "add":
        np.testing.assert_array_equal(result, values.sum(1, dtype=np.int32))


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("shape", "axis", "reverse"), ALONG, ids=str)
def test_scan_along_each_axis(shape: tuple[int, ...], axis: int, reverse: bool):
    text, identity = INTEGER_BODIES["keep"]
    collective("scan", [integers(shape)], ["i32"], axis, text, [str(identity)], reverse)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("body", INTEGER_BODIES)
@pytest.mark.parametrize(("kind", "reverse"), [("reduce", None), ("scan", False), ("scan", True)])
def test_bodies(body: str, kind: str, reverse: bool | None):
    text, identity = INTEGER_BODIES[body]
    for shape, axis in (((256,), 0), ((8, 32), 0)):
        collective(kind, [integers(shape)], ["i32"], axis, text, [str(identity)], reverse)


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("kind", "reverse"), [("reduce", None), ("scan", False), ("scan", True)])
@pytest.mark.parametrize(("shape", "axis"), [((512,), 0), ((4, 64), 1), ((64, 4), 0)], ids=str)
def test_several_operands_that_do_not_commute(
    kind: str, reverse: bool | None, shape: tuple[int, ...], axis: int
):
    inputs = [integers(shape, 1), integers(shape, 2)]
    collective(kind, inputs, ["i32", "i32"], axis, AFFINE, ["1", "0"], reverse)


@pytest.mark.parametrize("kind", ["reduce", "scan"])
def test_operands_of_different_types(kind: str):
    body = """
    %more = cmpf greater_than ordered %e0, %a0 : tile<f64> -> tile<i1>
    %r0 = select %more, %e0, %a0 : tile<i1>, tile<f64>
    %r1 = select %more, %e1, %a1 : tile<i1>, tile<i8>
    """
    values = np.random.default_rng(4).permutation(128).astype(np.float64).reshape(2, 64)
    places = np.arange(128, dtype=np.int8).reshape(2, 64)
    reverse = False if kind == "scan" else None
    found = collective(
        kind, [values, places], ["f64", "i8"], 1, body, ["0xFFF0000000000000", "0"], reverse
    )
    if kind == "reduce":
        np.testing.assert_array_equal(found[0], values.max(1))
        np.testing.assert_array_equal(found[1], places[[0, 1], values.argmax(1)])


def _sum(element: str) -> tuple[str, str]:
    """The body of a sum, or of an exclusive or of i1, and its identity."""
    if element == "i1":
        return "%r0 = xori %a0, %e0 : tile<i1>", "false"
    if element.startswith("i"):
        return f"%r0 = addi %a0, %e0 : tile<{element}>", "0"
    return f"%r0 = addf %a0, %e0 : tile<{element}>", "0.0"


@pytest.mark.one_in(4)
@pytest.mark.parametrize("element", [name for name in DTYPES if not name.startswith("f8")])
@pytest.mark.parametrize(("kind", "reverse"), [("reduce", None), ("scan", True)])
def test_element_types(element: str, kind: str, reverse: bool | None):
    body, identity = _sum(element)
    # Small whole numbers: their sums are exact in every type, in any order.
    values = np.random.default_rng(3).integers(-1, 2, (16, 16)).astype(DTYPES[element])
    for axis in (0, 1):
        collective(kind, [values], [element], axis, body, [identity], reverse)


@pytest.mark.parametrize("shape", [(64,), (2, 4, 8)], ids=str)
def test_reduce_along_all_axes(shape: tuple[int, ...]):
    lines: list[str] = []
    source, extents = "%x0", list(shape)
    while extents:
        rest = extents[1:]
        result = "%y0" if not rest else f"%part{len(rest)}"
        lines.append(f"""
        {result} = reduce {source} dim=0 identities=[0 : i32]
          : {shaped(extents, "i32")} -> {shaped(rest, "i32")}
        (%a: tile<i32>, %e: tile<i32>) {{
          %r = addi %a, %e : tile<i32>
          yield %r : tile<i32>
        }}""")
        source, extents = result, rest
    values = integers(shape)
    (total,) = evaluate("".join(lines), [values], [("i32", ())])
    assert total == values.sum()
