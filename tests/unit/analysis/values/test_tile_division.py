"""Dimensions of tiles that are divided together, by a rule for each op."""

import re
from itertools import product

import pytest

from tileir_xdsl.analysis.values.tile_division import Site, TileDimensions, Use
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.testing import tools


def function(body: str) -> nv_tileaa.FuncOp:
    """A function of a body."""
    module = tools.parse(f"nv_tileaa.func @f() {{ {body} nv_tileaa.return }}")
    (found,) = (op for op in module.walk() if isinstance(op, nv_tileaa.FuncOp))
    return found


def name_of(site: Site) -> str | None:
    if isinstance(site, Use):
        return f"{site.op.name.rpartition('.')[2]}:{site.index}"
    return site.name_hint


def divided(body: str, dim: int, seed: str = "x") -> dict[str | None, int] | None:
    """What is divided with a dimension of the tile of a name."""
    made = function(body)
    values = (result for op in made.walk() for result in op.results)
    (start,) = (value for value in values if value.name_hint == seed)
    found = TileDimensions.of(made).divided_with([(start, dim)])
    return None if found is None else {name_of(site): dim for site, dim in found.items()}


@pytest.mark.parametrize(
    ("body", "dim", "expected"),
    [
        (
            "%c = arith.constant 1.0 : f32 %y = nv_tileaa.splat %c : f32 -> tensor<8x4xf32>"
            " %x = nv_tileaa.addf %y, %y : tensor<8x4xf32>",
            0,
            {"addf:0": 0, "addf:1": 0, "x": 0},
        ),
        (
            "%c = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>"
            " %x = arith.muli %c, %c : tensor<4xi32>",
            0,
            None,
        ),
        (
            "%c = arith.constant dense<2> : tensor<4xi32> %x = arith.muli %c, %c : tensor<4xi32>",
            0,
            {"muli:0": 0, "muli:1": 0, "x": 0},
        ),
    ],
)
def test_tiles_made_anew(body: str, dim: int, expected: dict[str, int] | None):
    assert divided(body, dim) == expected


SPLAT = "%c = arith.constant 1.0 : f32 "


def chain(op: str, shape: str = "8x4", element: str = "f32") -> str:
    """An op on a tile %x of this shape."""
    return f"{SPLAT}%s = nv_tileaa.splat %c : f32 -> tensor<{shape}x{element}>" + (
        f" %x = nv_tileaa.addf %s, %s : tensor<{shape}x{element}> {op}"
    )


BROADCAST = chain("%b = nv_tileaa.broadcast %x : tensor<8x1xf32> -> tensor<8x4xf32>", "8x1")
VIEW = chain("%v = nv_tileaa.view %x : tensor<8x4x2xf32> -> tensor<8x8xf32>", "8x4x2")
EXPANDED = chain(
    "%e = nv_tileaa.expand_dims %x {axis = 1 : i32} : tensor<8x4xf32> -> tensor<8x1x4xf32>"
)
PERMUTED = chain(
    "%p = nv_tileaa.permute %x {permutation = array<i32: 1, 0>} : tensor<8x4xf32> -> tensor<4x8xf32>"
)
REDUCED = chain(
    "%r = nv_tileaa.reduce %x {axis = 1 : i32} : tensor<8x4xf32> -> tensor<8xf32> {"
    "^bb0(%l: f32, %m: f32): %n = nv_tileaa.addf %l, %m : f32 nv_tileaa.yield %n : f32 }"
)
UNPACKED = (
    "%c = arith.constant 1 : i8 %s = nv_tileaa.splat %c : i8 -> tensor<8x4xi8>"
    " %x = nv_tileaa.addi %s, %s : tensor<8x4xi8>"
    " %f = nv_tileaa.view %x : tensor<8x4xi8> -> tensor<32xi8>"
    " %u = nv_tileaa.unpack %f : tensor<32xi8> -> tensor<64xf4E2M1FN>"
    " %v = nv_tileaa.view %u : tensor<64xf4E2M1FN> -> tensor<8x8xf4E2M1FN>"
)
PACKED = chain(
    "%p = nv_tileaa.pack %x : tensor<32xf32> -> tensor<128xi8>"
    " %v = nv_tileaa.view %p : tensor<128xi8> -> tensor<8x16xi8>",
    "32",
)
SCANNED = chain(
    "%r = nv_tileaa.scan %x {axis = 0 : i32, inclusive = true} : tensor<8x4xf32> -> tensor<8x4xf32> {"
    "^bb0(%l: f32, %m: f32): %n = nv_tileaa.addf %l, %m : f32 nv_tileaa.yield %n : f32 }"
)
DOT = (
    f"{SPLAT}%sa = nv_tileaa.splat %c : f32 -> tensor<8x4xf32>"
    " %sb = nv_tileaa.splat %c : f32 -> tensor<4x16xf32>"
    " %sc = nv_tileaa.splat %c : f32 -> tensor<8x16xf32>"
    " %a = nv_tileaa.addf %sa, %sa : tensor<8x4xf32>"
    " %b = nv_tileaa.addf %sb, %sb : tensor<4x16xf32>"
    " %x = nv_tileaa.dot %a, %b, %sc : tensor<8x4xf32>, tensor<4x16xf32>, tensor<8x16xf32>"
)
SQUARE = chain(
    "%t = nv_tileaa.permute %x {permutation = array<i32: 1, 0>} : tensor<8x4xf32> -> tensor<4x8xf32>"
    " %z = nv_tileaa.splat %c : f32 -> tensor<8x8xf32>"
    " %d = nv_tileaa.dot %x, %t, %z : tensor<8x4xf32>, tensor<4x8xf32>, tensor<8x8xf32>"
)


@pytest.mark.parametrize(
    ("body", "dim", "expected"),
    [
        (BROADCAST, 0, {"x": 0, "b": 0}),
        (BROADCAST, 1, None),
        (VIEW, 0, {"x": 0, "v": 0}),
        (VIEW, 1, {"x": 1, "v": 1}),
        (VIEW, 2, None),
        (EXPANDED, 0, {"x": 0, "e": 0}),
        (EXPANDED, 1, {"x": 1, "e": 2}),
        (PERMUTED, 0, {"x": 0, "p": 1}),
        (REDUCED, 0, {"x": 0, "r": 0}),
        (REDUCED, 1, None),
        (UNPACKED, 0, {"x": 0, "f": 0, "u": 0, "v": 0}),
        (UNPACKED, 1, None),
        (PACKED, 0, {"x": 0, "p": 0, "v": 0}),
        (SCANNED, 0, None),
        (SCANNED, 1, {"x": 1, "r": 1}),
        (DOT, 0, {"a": 0, "x": 0, "dot:2": 0}),
        (DOT, 1, {"b": 1, "x": 1, "dot:2": 1}),
        (SQUARE, 0, None),
    ],
)
def test_rules(body: str, dim: int, expected: dict[str, int] | None):
    found = divided(body, dim)
    if found is not None:
        found = {
            name: at for name, at in found.items() if name is None or not re.match("add[if]:", name)
        }
    assert found == expected


def test_what_a_product_sums_over_is_not_divided():
    assert divided(DOT, 1, "a") is None
    assert divided(DOT, 0, "b") is None


LOOP = chain(
    "%i0 = arith.constant 0 : i32 %i4 = arith.constant 4 : i32 %i1 = arith.constant 1 : i32"
    " %z = nv_tileaa.splat %c : f32 -> tensor<8x4xf32>"
    " %r:2 = scf.for %i = %i0 to %i4 step %i1 iter_args(%p = %z, %q = %z)"
    " -> (tensor<8x4xf32>, tensor<8x4xf32>) : i32 {"
    "   %n = nv_tileaa.addf %p, %x : tensor<8x4xf32>"
    "   scf.yield %n, %q : tensor<8x4xf32>, tensor<8x4xf32> }"
)


def test_loops_carry_parts():
    """A tile that is made anew for two carried values ties these not together."""
    found = divided(LOOP, 0)
    assert found is not None
    assert {"x", "n", "p", "for:3"} <= set(found) and not {"q", "for:4"} & set(found)


def test_an_op_without_a_rule_divides_nothing():
    assert (
        divided(
            chain(
                "%k = nv_tileaa.cat %x, %x {axis = 0 : i32} : tensor<8x4xf32>, tensor<8x4xf32> -> tensor<16x4xf32>"
            ),
            1,
        )
        is None
    )


OBJECT = "!nv_tileaa.memref<256x256xf32, strides = [256, 1]>"
TILES = f"!nv_tileaa.tiled_view<8x4xf32, {OBJECT}>"
NUMBERS = f"{SPLAT}%f = nv_tileaa.splat %c : f32 -> tensor<8x4xf32> %i = arith.constant 0 : i32"
ACCESSES = {
    "x": f"%x, %t = nv_tileaa.tiled_load weak %v[%i, %i] : {TILES}[i32, i32]"
    " -> tensor<8x4xf32>, !nv_tileaa.mem_token",
    "s": "%s = nv_tileaa.addf %f, %f : tensor<8x4xf32>"
    f" %t = nv_tileaa.tiled_store weak %s, %v[%i, %i] : tensor<8x4xf32>, {TILES}[i32, i32]"
    " -> !nv_tileaa.mem_token",
}
"""An access of a view `%v`, by the name of its tile."""


def elements(index: int, size: int, stride: int) -> set[int]:
    """The elements of one tile along one dimension."""
    return set(range(index * stride, index * stride + size))


@pytest.mark.parametrize("seed", ACCESSES)
def test_tiles_of_a_view_are_divided_where_halves_are_tiles_of_half_the_size(seed: str):
    """Not where tiles overlap or leave gaps, whatever the other dimension does."""
    size = (8, 4)
    for strides in product((1, 4, 7, 8, 9, 12, 16), (1, 2, 3, 4, 5, 8)):
        cut = (
            f'{NUMBERS} %m = "test.op"() : () -> {OBJECT}'
            " %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 8, 4>, tileStrides ="
            f" array<i64: {strides[0]}, {strides[1]}>, dimGroups = [[0 : i64], [1 : i64]]}}"
            f" : {OBJECT} -> {TILES}"
        )
        for dim in range(2):
            half = size[dim] // 2
            halves = all(
                elements(i, size[dim], strides[dim])
                == elements(2 * i, half, half) | elements(2 * i + 1, half, half)
                for i in range(3)
            )
            found = divided(f"{cut} {ACCESSES[seed]}", dim, seed)
            assert (found is not None) == halves, (strides, dim)


@pytest.mark.parametrize("seed", ACCESSES)
def test_tiles_of_an_unknown_view_are_whole(seed: str):
    view = f'%v = "test.op"() : () -> {TILES}'
    assert divided(f"{NUMBERS} {view} {ACCESSES[seed]}", 0, seed) is None


TILE = "tensor<8x4xf32>"
MADE = (
    SPLAT
    + "%s = nv_tileaa.splat %c : f32 -> tensor<8x4xf32> "
    + " ".join(f"%{name} = nv_tileaa.addf %s, %s : {TILE}" for name in ("x", "y", "z"))
)
CONTROL_FLOW = {
    "for": (
        f"%i0 = arith.constant 0 : i32 %r = scf.for %i = %i0 to %i0 step %i0 iter_args(%p = %x) -> ({TILE})"
        f" : i32 {{ scf.yield %y : {TILE} }}",
        [{"x", "y", "p", "r"}, {"z"}],
    ),
    "if": (
        f"%go = arith.constant true %r = scf.if %go -> ({TILE}) {{ scf.yield %x : {TILE} }}"
        f" else {{ scf.yield %y : {TILE} }}",
        [{"x", "y", "r"}, {"z"}],
    ),
    "while": (
        f"%go = arith.constant true %r = scf.while (%p = %x) : ({TILE}) -> {TILE} {{"
        f" scf.condition(%go) %y : {TILE} }} do {{ ^bb0(%q: {TILE}): scf.yield %z : {TILE} }}",
        [{"x", "z", "p"}, {"y", "q", "r"}],
    ),
}
"""Control flow over tiles that nothing else ties, and which it makes the same."""


@pytest.mark.parametrize("form", CONTROL_FLOW)
def test_what_control_flow_forwards_is_divided_alike(form: str):
    body, groups = CONTROL_FLOW[form]
    made = function(f"{MADE} {body}")
    arguments = (a for op in made.walk() for r in op.regions for b in r.blocks for a in b.args)
    values = [*(result for op in made.walk() for result in op.results), *arguments]
    known = {value.name_hint: value for value in values}
    dimensions = TileDimensions.of(made)
    for group in groups:
        for name in group:
            for dim in (0, 1):
                found = dimensions.divided_with([(known[name], dim)])
                assert found is not None
                tiles = {site: at for site, at in found.items() if not isinstance(site, Use)}
                assert tiles == {known[other]: dim for other in group}, (name, dim)


@pytest.mark.parametrize("divides", [False, True])
@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("kind", ["reduce", "scan"])
def test_collectives_along_every_dimension(kind: str, axis: int, divides: bool):
    """Numpy's axes: a reduction takes one out. Slices may divide what is combined, CTAs do not."""
    shape = (8, 4, 2)
    of_result = [d for d in range(3) if d != axis] if kind == "reduce" else list(range(3))
    result = "x".join(str(shape[dim]) for dim in of_result)
    more = ", inclusive = true" if kind == "scan" else ""
    made = function(
        chain(
            f"%r = nv_tileaa.{kind} %x {{axis = {axis} : i32{more}}} : tensor<8x4x2xf32> -> tensor<{result}xf32> {{"
            "^bb0(%l: f32, %m: f32): %n = nv_tileaa.addf %l, %m : f32 nv_tileaa.yield %n : f32 }",
            "8x4x2",
        )
    )
    known = {value.name_hint: value for op in made.walk() for value in op.results}
    dimensions = TileDimensions.of(made, divides_collectives=divides)
    for dim in range(3):
        found = dimensions.divided_with([(known["x"], dim)])
        if dim == axis and not divides:
            assert found is None
            continue
        assert found is not None
        assert found.get(known["r"]) == (of_result.index(dim) if dim in of_result else None)


OPERANDS = {
    "a": "2x16x64xf8E4M3FN",
    "b": "2x64x32xf8E4M3FN",
    "c": "2x16x32xf32",
    "s": "2x16x2xf8E8M0FNU",
    "t": "2x2x32xf8E8M0FNU",
}
ROLES = {"a": "bmk", "b": "bkn", "c": "bmn", "s": "bmk", "t": "bkn", "d": "bmn"}
"""Dimensions of the operands, scales and result of a dot: batch, rows, columns, what is summed over."""


def test_batched_dots_with_scales():
    """As in `einsum`: dimensions of one letter are divided together, the one summed over never."""
    taken = ", ".join(f"%{name}: tensor<{type}>" for name, type in OPERANDS.items())
    types = ", ".join(f"tensor<{type}>" for type in OPERANDS.values())
    module = tools.parse(
        f"nv_tileaa.func @f({taken}) {{ %d = nv_tileaa.dot %a, %b, %c scaled by %s, %t : {types}"
        " nv_tileaa.return }"
    )
    (made,) = (op for op in module.walk() if isinstance(op, nv_tileaa.FuncOp))
    (dot,) = (op for op in module.walk() if isinstance(op, nv_tileaa.DotOp))
    known = dict(zip(ROLES, [*dot.operands, dot.result], strict=True))
    dimensions = TileDimensions.of(made)
    for name, roles in ROLES.items():
        for dim, role in enumerate(roles):
            alike = {known[n]: r.index(role) for n, r in ROLES.items() if role in r}
            expected = None if role == "k" else alike
            assert dimensions.divided_with([(known[name], dim)]) == expected, (name, role)
