"""Drafts of operations on tiles that are not elementwise: shapes, conversions, products, reductions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, StringAttr, i1, i32, i64
from xdsl.ir import Operation

from tests.tileiras_agreement.derived import properties_of
from tests.tileiras_agreement.draft import Body, Draft, Step
from tests.tileiras_agreement.words import (
    ELEMENTS,
    FLOATS,
    INTEGERS,
    NARROW,
    NUMBERS,
    Shape,
    constant,
    identities,
    index,
    tile,
)
from tileir_xdsl.dialects import cuda_tile as ct
from tileir_xdsl.dialects.cuda_tile.literals import DenseConstantAttr

Drafts = Iterator[tuple[str, Draft]]
S: Shape = (8, 16)
ALL_FLOATS = (*FLOATS, *NARROW)


def _constant() -> Drafts:
    for name in NUMBERS:
        value = constant(name, S)
        yield name, Draft(ct.ConstantOp, (), (value.type,), {"value": value})
    for name in ("f32", "i8", "i1", "f16"):
        value = DenseConstantAttr.from_values(tile(name, (4,)), [1, 0, 0, 1])
        yield f"{name} values", Draft(ct.ConstantOp, (), (value.type,), {"value": value})
    for name in ("f64", "i64"):
        value = constant(name)
        yield f"{name} scalar", Draft(ct.ConstantOp, (), (value.type,), {"value": value})


def _iota() -> Drafts:
    for name, size in (
        ("i32", 16),
        ("i8", 256),
        ("i8", 512),
        ("i1", 2),
        ("i1", 4),
        ("i16", 128),
        ("i64", 1),
        ("f32", 8),
        ("ptr", 8),
        ("i32", 4096),
    ):
        yield f"{name} {size}", Draft(ct.IotaOp, (), (tile(name, (size,)),))


def _three(operation: type[Operation]) -> Callable[[], Drafts]:
    def drafts() -> Drafts:
        yield "i32", Draft(operation, (), (tile("i32"),) * 3)

    return drafts


def _select() -> Drafts:
    for name in ELEMENTS:
        t = tile(name, S)
        yield name, Draft(ct.SelectOp, ((tile("i1", S),), (t,), (t,)), (t,))
    t = tile("f32")
    yield "scalar", Draft(ct.SelectOp, ((tile("i1"),), (t,), (t,)), (t,))


def _offset() -> Drafts:
    for name in (*INTEGERS, "i4", "f32"):
        p = tile("ptr", S)
        yield name, Draft(ct.OffsetOp, ((p,), (tile(name, S),)), (p,))
    for name in NUMBERS:
        if name != "f4E2M1FN":
            p = tile(f"ptr<{name}>", (16,))
            yield f"to {name}", Draft(ct.OffsetOp, ((p,), (tile("i32", (16,)),)), (p,))


def _moved(operation: type[Operation], source: Shape, result: Shape) -> Callable[[], Drafts]:
    def drafts() -> Drafts:
        for name in ELEMENTS:
            if name == "f4E2M1FN" and operation is ct.BroadcastOp:
                source_tile = tile(name, (1, 16))
            else:
                source_tile = tile(name, source)
            yield name, Draft(operation, ((source_tile,),), (tile(name, result),))
        yield from _other_shapes(operation)

    return drafts


def _other_shapes(operation: type[Operation]) -> Drafts:
    if operation is ct.BroadcastOp:
        pairs = [
            ((1,), (64,)),
            ((1, 1, 1), (2, 4, 8)),
            ((4, 1, 2), (4, 8, 2)),
            ((), ()),
            ((2,), (2, 2)),
        ]
    else:
        pairs = [((8,), (2, 2, 2)), ((1,), ()), ((), (1, 1)), ((64, 64), (4096,)), ((2, 8), (4, 8))]
    for source, result in pairs:
        draft = Draft(operation, ((tile("f32", source),),), (tile("f32", result),))
        yield f"{list(source)} to {list(result)}", draft


def _permute() -> Drafts:
    order = {"permutation": DenseArrayBase.from_list(i32, (1, 0))}
    for name in ELEMENTS:
        yield name, Draft(ct.PermuteOp, ((tile(name, S),),), (tile(name, S[::-1]),), order)
    for shape, permutation in (((2, 4, 8), (2, 0, 1)), ((2, 4, 8, 16), (3, 1, 0, 2)), ((8,), (0,))):
        result = tuple(shape[dim] for dim in permutation)
        order = {"permutation": DenseArrayBase.from_list(i32, permutation)}
        draft = Draft(ct.PermuteOp, ((tile("f16", shape),),), (tile("f16", result),), order)
        yield f"{list(permutation)}", draft


def _cat() -> Drafts:
    for name in ELEMENTS:
        t = tile(name, S)
        dim = {"dim": IntegerAttr(1, i64)}
        yield name, Draft(ct.CatOp, ((t,), (t,)), (tile(name, (8, 32)),), dim)
    t = tile("f32", S)
    dim = {"dim": IntegerAttr(0, i64)}
    yield "first", Draft(ct.CatOp, ((t,), (t,)), (tile("f32", (16, 16)),), dim)


def _extract() -> Drafts:
    indices = (tile("i32"),) * 2
    for name in ELEMENTS:
        yield name, Draft(ct.ExtractOp, ((tile(name, S),), indices), (tile(name, (4, 4)),))
    yield "all", Draft(ct.ExtractOp, ((tile("f32", S),), indices), (tile("f32", S),))
    one = Draft(ct.ExtractOp, ((tile("f32", S),), indices), (tile("f32", (1, 1)),))
    yield "one", one


def _insert() -> Drafts:
    indices = (tile("i32"),) * 2
    for name in ELEMENTS:
        part, whole = tile(name, (4, 4)), tile(name, S)
        yield name, Draft(ct.InsertOp, ((part,), (whole,), indices), (whole,))


_BITS = {
    **{"f32": 32, "i1": 1, "i4": 4, "f4E2M1FN": 4, "i8": 8, "i16": 16, "i32": 32, "i64": 64},
    **{"f16": 16, "bf16": 16, "f64": 64, "tf32": 32, "f8E4M3FN": 8, "f8E5M2": 8, "f8E8M0FNU": 8},
}


def _packs(operation: type[Operation]) -> Callable[[], Drafts]:
    def drafts() -> Drafts:
        for name, bits in _BITS.items():
            types = tile(name, (64,)), tile("i8", (8 * bits,))
            source, result = types if operation is ct.PackOp else types[::-1]
            yield name, Draft(operation, ((source,),), (result,))

    return drafts


def _converts(
    operation: type[Operation], sources: tuple[str, ...], results: tuple[str, ...]
) -> Callable[[], Drafts]:
    """Conversions between all pairs, the first ones of each first."""

    def drafts() -> Drafts:
        for source in sources:
            for result in results:
                draft = Draft(operation, ((tile(source, S),),), (tile(result, S),))
                yield f"{source} to {result}", replace(draft, properties=properties_of(operation))

    return drafts


_SAME_WIDTH = (
    *("i32 f32", "f32 i32", "i16 f16", "bf16 i16", "f16 bf16", "i8 f8E4M3FN", "f8E5M2 i8"),
    *("i64 f64", "f64 i64", "f8E4M3FN f8E5M2", "f8E8M0FNU i8", "tf32 i32", "i1 i1", "i32 i64"),
    *("i4 f4E2M1FN", "i32 i32", "ptr i64", "f32 tf32"),
)


def _bitcast() -> Drafts:
    for pair in _SAME_WIDTH:
        source, result = pair.split()
        draft = Draft(ct.BitcastOp, ((tile(source, S),),), (tile(result, S),))
        yield f"{source} to {result}", draft


def _pointers(operation: type[Operation], source: str, result: str) -> Callable[[], Drafts]:
    def drafts() -> Drafts:
        for shape in (S, (), (128,)):
            draft = Draft(operation, ((tile(source, shape),),), (tile(result, shape),))
            yield f"{list(shape)}", draft
        for name in NUMBERS:
            if name != "f4E2M1FN":
                types = [
                    tile(f"ptr<{name}>" if e.startswith("ptr") else e, S) for e in (source, result)
                ]
                if operation is ct.PtrToPtrOp:
                    types[0] = tile("ptr<i8>", S)
                yield name, Draft(operation, ((types[0],),), (types[1],))

    return drafts


def _mmaf() -> Drafts:
    for accumulator in ("f32", "f16", "f64", "bf16"):
        for name in ALL_FLOATS:
            draft = _product(ct.MmaFOp, name, accumulator, (16, 32), (32, 16), (16, 16))
            yield f"{name} to {accumulator}", draft
    for m, n, k in ((64, 64, 64), (1, 1, 1), (8, 2, 4), (128, 128, 32)):
        yield f"{m}x{n}x{k}", _product(ct.MmaFOp, "f16", "f32", (m, k), (k, n), (m, n))
    yield "batch", _product(ct.MmaFOp, "f16", "f32", (2, 16, 32), (2, 32, 16), (2, 16, 16))


def _product(
    operation: type[Operation], name: str, accumulator: str, lhs: Shape, rhs: Shape, acc: Shape
) -> Draft:
    types = (tile(name, lhs), tile(name, rhs), tile(accumulator, acc))
    operands = tuple((each,) for each in types)
    return Draft(operation, operands, types[2:], properties_of(operation))


def _mmai() -> Drafts:
    for name in ("i8", "i16", "i4", "i32", "i1"):
        yield name, _product(ct.MmaIOp, name, "i32", (16, 32), (32, 16), (16, 16))
    yield "batch", _product(ct.MmaIOp, "i8", "i32", (2, 16, 32), (2, 32, 16), (2, 16, 16))
    yield "odd", _product(ct.MmaIOp, "i8", "i32", (1, 2), (2, 4), (1, 4))


def _mmaf_scaled() -> Drafts:
    for name in ("f8E4M3FN", "f8E5M2", "f4E2M1FN", "f16"):
        for scale in ("f8E8M0FNU", "f8E4M3FN", "f32"):
            for block in (32, 16):
                types = (
                    tile(name, (128, 128)),
                    tile(name, (128, 128)),
                    tile("f32", (128, 128)),
                    tile(scale, (128, 128 // block)),
                    tile(scale, (128 // block, 128)),
                )
                operands = tuple((each,) for each in types)
                yield f"{name} {scale} {block}", Draft(ct.MmaFScaledOp, operands, types[2:3])


def combining(name: str) -> tuple[Step, ...]:
    """The steps of a body that adds two numbers."""
    operation: type[Operation] = ct.AddIOp if name in (*INTEGERS, "i4") else ct.AddFOp
    return (
        Step(operation, (0, 1), (tile(name),), properties_of(operation)),
        Step(ct.YieldOp, (2,)),
    )


def _reduction(operation: type[Operation], name: str, shape: Shape, dim: int) -> Draft:
    result = shape if operation is ct.ScanOp else (*shape[:dim], *shape[dim + 1 :])
    properties = {"dim": index(dim), "identities": identities(name)}
    if operation is ct.ScanOp:
        properties["reverse"] = IntegerAttr(0, i1)
    body = Body((tile(name), tile(name)), combining(name))
    operands = ((tile(name, shape),),)
    return Draft(operation, operands, (tile(name, result),), properties, (body,))


def _reduces(operation: type[Operation]) -> Callable[[], Drafts]:
    def drafts() -> Drafts:
        for name in ("f32", *INTEGERS, "f16", "bf16", "f64", *NARROW[:-1]):
            yield name, _reduction(operation, name, S, 1)
        for shape, dim in (((8,), 0), ((2, 4, 8), 1), ((64, 64), 0), ((1, 1), 0), ((512,), 0)):
            yield f"{list(shape)} {dim}", _reduction(operation, "f32", shape, dim)
        base = _reduction(operation, "f32", S, 1)
        yield (
            "other identity",
            replace(base, properties={**base.properties, "identities": identities("i32")}),
        )
        two = {**base.properties, "identities": identities("f32", "f32")}
        yield "two identities", replace(base, properties=two)
        yield from _bodies(base)

    return drafts


def _bodies(base: Draft) -> Drafts:
    """Reductions with other bodies."""
    t = tile("f32")
    add, _end = combining("f32")
    for label, body in {
        "no steps": Body((t, t), (Step(ct.YieldOp, (0,)),)),
        "no terminator": Body((t, t), (add,)),
        "empty": Body((t, t)),
        "one argument": Body((t,), (Step(ct.YieldOp, (0,)),)),
        "yields two": Body((t, t), (add, Step(ct.YieldOp, (2, 2)))),
        "yields none": Body((t, t), (Step(ct.YieldOp),)),
        "continues": Body((t, t), (add, Step(ct.ContinueOp, (2,)))),
        "tiles": Body((tile("f32", (8,)),) * 2, (Step(ct.YieldOp, (0,)),)),
        "other type": Body((tile("i32"),) * 2, combining("i32")),
        "token": Body(
            (t, t), (Step(ct.MakeTokenOp, (), (ct.TokenType(),)), Step(ct.YieldOp, (0,)))
        ),
        "asserts": Body((t, t), _asserting()),
        "block id": Body(
            (t, t), (Step(ct.GetTileBlockIdOp, (), (tile("i32"),) * 3), Step(ct.YieldOp, (0,)))
        ),
    }.items():
        yield label, replace(base, bodies=(body,))


def _asserting() -> tuple[Step, ...]:
    true = constant("i1")
    return (
        Step(ct.ConstantOp, (), (true.type,), {"value": true}),
        Step(ct.AssertOp, (2,), (), {"message": StringAttr("no")}),
        Step(ct.YieldOp, (0,)),
    )


TILES: Mapping[type[Operation], Callable[[], Drafts]] = {
    ct.ConstantOp: _constant,
    ct.IotaOp: _iota,
    ct.GetTileBlockIdOp: _three(ct.GetTileBlockIdOp),
    ct.GetNumTileBlocksOp: _three(ct.GetNumTileBlocksOp),
    ct.SelectOp: _select,
    ct.OffsetOp: _offset,
    ct.BroadcastOp: _moved(ct.BroadcastOp, (8, 1), S),
    ct.ReshapeOp: _moved(ct.ReshapeOp, S, (4, 32)),
    ct.PermuteOp: _permute,
    ct.CatOp: _cat,
    ct.ExtractOp: _extract,
    ct.InsertOp: _insert,
    ct.PackOp: _packs(ct.PackOp),
    ct.UnpackOp: _packs(ct.UnpackOp),
    ct.MmaFOp: _mmaf,
    ct.MmaIOp: _mmai,
    ct.MmaFScaledOp: _mmaf_scaled,
    ct.ReduceOp: _reduces(ct.ReduceOp),
    ct.ScanOp: _reduces(ct.ScanOp),
    ct.BitcastOp: _bitcast,
    ct.IntToPtrOp: _pointers(ct.IntToPtrOp, "i64", "ptr"),
    ct.PtrToIntOp: _pointers(ct.PtrToIntOp, "ptr", "i64"),
    ct.PtrToPtrOp: _pointers(ct.PtrToPtrOp, "ptr<i32>", "ptr"),
    ct.ExtIOp: _converts(ct.ExtIOp, ("i8", "i1", "i4", "i16", "i32"), ("i16", "i8", "i32", "i64")),
    ct.TruncIOp: _converts(
        ct.TruncIOp, ("i64", "i32", "i16", "i8"), ("i16", "i1", "i4", "i8", "i32")
    ),
    ct.FToFOp: _converts(ct.FToFOp, ALL_FLOATS, ALL_FLOATS[::-1]),
    ct.FToIOp: _converts(ct.FToIOp, ALL_FLOATS, INTEGERS),
    ct.IToFOp: _converts(ct.IToFOp, INTEGERS, ALL_FLOATS),
}
"""How each operation is drafted; the first draft is the one that is varied."""
