"""Drafts of operations on memory, tokens and views, and of control flow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from xdsl.dialects.builtin import (
    DictionaryAttr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation

from tests.tileiras_agreement.draft import Draft, Group, Step
from tests.tileiras_agreement.words import (
    DEVICE,
    ELEMENTS,
    INTEGERS,
    NUMBERS,
    RELAXED,
    TOKEN,
    WEAK,
    constant,
    element,
    partition,
    tensor,
    tile,
)
from tileir_xdsl.dialects import cuda_tile as ct
from tileir_xdsl.dialects.cuda_tile.enums import PointerKindAttr, enum_to_integer_attr
from tileir_xdsl.dialects.cuda_tile.types import DYNAMIC
from tileir_xdsl.dialects.cuda_tile.view_types import TileView
from tileir_xdsl.dialects.enumerations import PointerKind, RMWMode

Drafts = Iterator[tuple[str, Draft]]
S = (8, 16)
IN_MEMORY = tuple(name for name in NUMBERS if name != "f4E2M1FN")
_MODES = {mode: enum_to_integer_attr(mode) for mode in RMWMode}


def _hints(key: str, value: Attribute, arch: str = "sm_100") -> Attribute:
    return ct.OptimizationHintsAttr({arch: DictionaryAttr({key: value})})


def _hinted(base: Draft) -> Drafts:
    """An access with hints, of which some are wrong."""
    for label, hints in {
        "latency 4": _hints("latency", IntegerAttr(4, i32)),
        "latency 0": _hints("latency", IntegerAttr(0, i32)),
        "allow_tma": _hints("allow_tma", IntegerAttr(0, 1)),
        "unknown key": _hints("speed", IntegerAttr(4, i32)),
        "unknown arch": _hints("latency", IntegerAttr(4, i32), "sm_75"),
        "default": _hints("latency", IntegerAttr(4, i32), "default"),
        "no dictionary": _unchecked_hints(),
    }.items():
        yield (
            f"hints {label}",
            replace(base, properties={**base.properties, "optimization_hints": hints}),
        )


def _unchecked_hints() -> Attribute:
    attribute = object.__new__(ct.OptimizationHintsAttr)
    object.__setattr__(attribute, "value", DictionaryAttr({"sm_100": IntegerAttr(1, i32)}))
    return attribute


def _load_ptr() -> Drafts:
    weak = {"memory_ordering_semantics": WEAK}
    for name in IN_MEMORY:
        operands: tuple[Group, ...] = ((tile(f"ptr<{name}>", S),), (), (), ())
        yield name, Draft(ct.LoadPtrTkoOp, operands, (tile(name, S), TOKEN), weak)
    relaxed = {"memory_ordering_semantics": RELAXED, "memory_scope": DEVICE}
    for name in ("f32", "i8", "i64", "f8E4M3FN", "i1"):
        operands = ((tile(f"ptr<{name}>", S),), (), (), ())
        yield f"relaxed {name}", Draft(ct.LoadPtrTkoOp, operands, (tile(name, S), TOKEN), relaxed)
    for shape in ((), (1,), (2, 2, 2, 2), (4096,)):
        operands = ((tile("ptr", shape),), (), (), ())
        draft = Draft(ct.LoadPtrTkoOp, operands, (tile("f32", shape), TOKEN), weak)
        yield f"{list(shape)}", draft
    base = Draft(ct.LoadPtrTkoOp, ((tile("ptr", S),), (), (), ()), (tile("f32", S), TOKEN), weak)
    yield from _hinted(base)


def _store_ptr() -> Drafts:
    weak = {"memory_ordering_semantics": WEAK}
    for name in IN_MEMORY:
        operands: tuple[Group, ...] = ((tile(f"ptr<{name}>", S),), (tile(name, S),), (), ())
        yield name, Draft(ct.StorePtrTkoOp, operands, (TOKEN,), weak)
    relaxed = {"memory_ordering_semantics": RELAXED, "memory_scope": DEVICE}
    for name in ("f32", "i8", "i64", "f8E4M3FN", "i1"):
        operands = ((tile(f"ptr<{name}>", S),), (tile(name, S),), (), ())
        yield f"relaxed {name}", Draft(ct.StorePtrTkoOp, operands, (TOKEN,), relaxed)
    operands = ((tile("ptr", S),), (tile("f32", S),), (), ())
    yield from _hinted(Draft(ct.StorePtrTkoOp, operands, (TOKEN,), weak))


def _atomic_rmw() -> Drafts:
    for name in ("i32", "i64", "f32", "f16", "bf16", "f64", "i8", "i16", "i1", "tf32", "f8E4M3FN"):
        for mode in RMWMode:
            operands: tuple[Group, ...] = ((tile(f"ptr<{name}>", S),), (tile(name, S),), (), ())
            properties = {
                "memory_ordering_semantics": RELAXED,
                "memory_scope": DEVICE,
                "mode": _MODES[mode],
            }
            draft = Draft(ct.AtomicRMWTkoOp, operands, (tile(name, S), TOKEN), properties)
            yield f"{name} {mode}", draft


def _atomic_cas() -> Drafts:
    properties = {"memory_ordering_semantics": RELAXED, "memory_scope": DEVICE}
    for name in ("i32", *(name for name in IN_MEMORY if name != "i32")):
        pointers, t = tile(f"ptr<{name}>", S), tile(name, S)
        operands: tuple[Group, ...] = ((pointers,), (t,), (t,), (), ())
        yield name, Draft(ct.AtomicCASTkoOp, operands, (t, TOKEN), properties)


def _views() -> Iterator[tuple[str, str, Attribute]]:
    """Views by label, with their element types; the first one is a plain partition."""
    for name in ("f32", *(n for n in NUMBERS if n != "f32")):
        yield name, name, partition(name)
    t = tensor("f32", (64, 128))
    nan, zero = ct.PaddingValue.NAN, ct.PaddingValue.ZERO
    dynamic = tensor("f32", (DYNAMIC, DYNAMIC), (DYNAMIC, 1))
    any_stride = tensor("f32", (DYNAMIC, 64), (1, DYNAMIC))
    yield "zero padding", "f32", ct.PartitionViewType(S, t, None, zero)
    yield "nan padding", "f32", ct.PartitionViewType(S, t, None, nan)
    yield "transposed", "f32", ct.PartitionViewType(S, t, (1, 0))
    yield "dynamic", "f32", ct.PartitionViewType(S, dynamic)
    yield "any stride", "f32", ct.PartitionViewType(S, any_stride)
    yield "odd sizes", "f32", ct.PartitionViewType(S, tensor("f32", (63, 127)), None, zero)
    yield "strided", "f32", ct.StridedViewType(S, (4, 3), t)
    yield "strided transposed", "f32", ct.StridedViewType(S, (8, 16), t, (1, 0), zero)
    yield "gathered", "f32", ct.GatherScatterViewType(S, t, 0)
    yield "gathered last", "f32", ct.GatherScatterViewType(S, t, 1, zero)
    yield "rank 1", "f32", ct.PartitionViewType((128,), tensor("f32", (1000,)))
    shape = (2, 4, 8)
    yield "rank 3", "f16", ct.PartitionViewType(shape, tensor("f16", (8, 16, 32)))
    shape = (1, 2, 1, 2, 4, 2)
    yield "rank 6", "f32", ct.PartitionViewType(shape, tensor("f32", (4,) * 6))
    yield "large", "f16", ct.PartitionViewType((128, 64), tensor("f16", (1024, 1024)))


def _indices(view: Attribute) -> Group:
    assert isinstance(view, ct.PartitionViewType | ct.StridedViewType | ct.GatherScatterViewType)
    shape = view.get_tile_shape()
    sparse = view.sparse_dim.data if isinstance(view, ct.GatherScatterViewType) else None
    return tuple(tile("i32", (n,) if dim == sparse else ()) for dim, n in enumerate(shape))


def _shape(view: Attribute) -> tuple[int, ...]:
    assert isinstance(view, ct.PartitionViewType | ct.StridedViewType | ct.GatherScatterViewType)
    return view.get_tile_shape()


def _load_view() -> Drafts:
    weak = {"memory_ordering_semantics": WEAK}
    for label, name, view in _views():
        operands: tuple[Group, ...] = ((view,), _indices(view), ())
        results = (tile(name, _shape(view)), TOKEN)
        yield label, Draft(ct.LoadViewTkoOp, operands, results, weak)
    relaxed = {"memory_ordering_semantics": RELAXED, "memory_scope": DEVICE}
    view = partition("f32")
    base = Draft(ct.LoadViewTkoOp, ((view,), _indices(view), ()), (tile("f32", S), TOKEN), relaxed)
    yield "relaxed", base
    yield from _index_types(base, 1)
    yield from _hinted(replace(base, properties=weak))


def _store_view() -> Drafts:
    weak = {"memory_ordering_semantics": WEAK}
    for label, name, view in _views():
        operands: tuple[Group, ...] = ((tile(name, _shape(view)),), (view,), _indices(view), ())
        yield label, Draft(ct.StoreViewTkoOp, operands, (TOKEN,), weak)
    view = partition("f32")
    relaxed = {"memory_ordering_semantics": RELAXED, "memory_scope": DEVICE}
    operands = ((tile("f32", S),), (view,), _indices(view), ())
    base = Draft(ct.StoreViewTkoOp, operands, (TOKEN,), relaxed)
    yield "relaxed", base
    yield from _index_types(base, 2)
    yield from _hinted(replace(base, properties=weak))


def _index_types(base: Draft, group: int) -> Drafts:
    gathered = ct.GatherScatterViewType(S, tensor("f32", (64, 128)), 0)
    for name in (*INTEGERS, "f32", "ptr"):
        indices = (tile(name),) * 2
        operands = (*base.operands[:group], indices, *base.operands[group + 1 :])
        yield f"{name} indices", replace(base, operands=operands)
        indices = (tile(name, S[:1]), tile("i32"))
        operands = (*base.operands[: group - 1], (gathered,), indices, *base.operands[group + 1 :])
        yield f"gathered, {name} indices", replace(base, operands=operands)


def _red_view() -> Drafts:
    for name in ("f32", "i32", "i64", "f16", "bf16", "f64", "i8"):
        for mode in RMWMode:
            view = partition(name)
            properties = {
                "memory_ordering_semantics": RELAXED,
                "memory_scope": DEVICE,
                "mode": _MODES[RMWMode.ADDF if (name, mode) == ("f32", RMWMode.AND) else mode],
            }
            operands: tuple[Group, ...] = ((view,), _indices(view), (tile(name, S),), ())
            yield f"{name} {mode}", Draft(ct.AtomicRedViewTkoOp, operands, (TOKEN,), properties)
    for label, name, view in _views():
        if name == "f32":
            properties = {
                "memory_ordering_semantics": RELAXED,
                "memory_scope": DEVICE,
                "mode": _MODES[RMWMode.ADDF],
            }
            operands = ((view,), _indices(view), (tile(name, _shape(view)),), ())
            yield label, Draft(ct.AtomicRedViewTkoOp, operands, (TOKEN,), properties)


def _multicast(name: str, kind: PointerKind = PointerKind.MULTICAST) -> Attribute:
    view = ct.TensorViewType((64, 128), element(name), (128, 1), PointerKindAttr(kind))
    return ct.PartitionViewType(S, view)


_MULTIMEM_ELEMENTS = ("f32", "i32", "i64", "f16", "bf16", "f64", "i8", "f8E4M3FN")


def _multimem_load() -> Drafts:
    for name in _MULTIMEM_ELEMENTS:
        for reduction in ct.MultimemReduction:
            view = _multicast(name)
            properties = {
                "memory_ordering_semantics": WEAK,
                "reduction": ct.MultimemReductionAttr(reduction),
            }
            operands: tuple[Group, ...] = ((view,), _indices(view), ())
            results = (tile(name, S), TOKEN)
            draft = Draft(ct.MultimemLoadReduceViewTkoOp, operands, results, properties)
            yield f"{name} {reduction}", draft
    view = partition("f32")
    properties = {
        "memory_ordering_semantics": WEAK,
        "reduction": ct.MultimemReductionAttr(ct.MultimemReduction.ADD),
    }
    operands = ((view,), _indices(view), ())
    results = (tile("f32", S), TOKEN)
    yield "no multicast", Draft(ct.MultimemLoadReduceViewTkoOp, operands, results, properties)


def _multimem_reduce() -> Drafts:
    for name in _MULTIMEM_ELEMENTS:
        for reduction in ct.MultimemReduction:
            view = _multicast(name)
            properties = {
                "memory_ordering_semantics": RELAXED,
                "memory_scope": DEVICE,
                "reduction": ct.MultimemReductionAttr(reduction),
            }
            operands: tuple[Group, ...] = ((view,), (tile(name, S),), _indices(view), ())
            draft = Draft(ct.MultimemReduceViewTkoOp, operands, (TOKEN,), properties)
            yield f"{name} {reduction}", draft


def _multimem_store() -> Drafts:
    for name in _MULTIMEM_ELEMENTS:
        view = _multicast(name)
        operands: tuple[Group, ...] = ((view,), (tile(name, S),), _indices(view), ())
        properties = {"memory_ordering_semantics": WEAK}
        yield name, Draft(ct.MultimemStoreViewTkoOp, operands, (TOKEN,), properties)
    view = _multicast("f32", PointerKind.UNICAST)
    operands = ((view,), (tile("f32", S),), _indices(view), ())
    draft = Draft(
        ct.MultimemStoreViewTkoOp, operands, (TOKEN,), {"memory_ordering_semantics": WEAK}
    )
    yield "unicast", draft


def _make_tensor_view() -> Drafts:
    for name in NUMBERS:
        t = tensor(name, (64, 128))
        base = ct.TileType((), ct.PointerType(t.element_type))
        yield name, Draft(ct.MakeTensorViewOp, ((base,), (), ()), (t,))
    pointer = tile("ptr")
    for name in INTEGERS:
        t = tensor("f32", (DYNAMIC, 64), (DYNAMIC, 1))
        n = tile(name)
        yield f"{name} sizes", Draft(ct.MakeTensorViewOp, ((pointer,), (n,), (n,)), (t,))
    yield "scalar", Draft(ct.MakeTensorViewOp, ((pointer,), (), ()), (tensor("f32", ()),))
    t = tensor("f32", (DYNAMIC, 64), (DYNAMIC, 1))
    mixed = ((pointer,), (tile("i32"),), (tile("i64"),))
    yield "mixed sizes", Draft(ct.MakeTensorViewOp, mixed, (t,))
    yield "missing sizes", Draft(ct.MakeTensorViewOp, ((pointer,), (), (tile("i32"),)), (t,))
    for kind in PointerKind:
        view = ct.TensorViewType((64,), element("f32"), (1,), PointerKindAttr(kind))
        base = ct.TileType((), ct.PointerType(element("f32"), PointerKindAttr(kind)))
        yield f"{kind}", Draft(ct.MakeTensorViewOp, ((base,), (), ()), (view,))


def _makes(operation: type[Operation], cls: type[TileView]) -> Callable[[], Drafts]:
    def drafts() -> Drafts:
        t = tensor("f32", (64, 128))
        first: dict[type[TileView], TileView] = {
            ct.PartitionViewType: partition("f32"),
            ct.StridedViewType: ct.StridedViewType(S, (4, 3), t),
            ct.GatherScatterViewType: ct.GatherScatterViewType(S, t, 0),
        }
        yield "f32", Draft(operation, ((t,),), (first[cls],))
        for label, _, view in _views():
            if isinstance(view, cls):
                yield f"view {label}", Draft(operation, ((view.get_tensor_view(),),), (view,))
        for other, view in first.items():
            if other is not cls:
                yield f"{other.__name__}", Draft(operation, ((t,),), (view,))

    return drafts


def _get_shape(operation: type[Operation], source: Attribute) -> Callable[[], Drafts]:
    def drafts() -> Drafts:
        for name in ("i32", "i64", "i16", "i8", "i1", "f32"):
            yield name, Draft(operation, ((source,),), (tile(name),) * 2)
        other = tensor("f32", (DYNAMIC, DYNAMIC), (DYNAMIC, 1))
        if isinstance(source, ct.TensorViewType):
            yield "dynamic", Draft(operation, ((other,),), (tile("i32"),) * 2)
            yield "scalar", Draft(operation, ((tensor("f32", ()),),), ())
            return
        for label, _, view in _views():
            results = (tile("i32"),) * len(_shape(view))
            yield f"view {label}", Draft(operation, ((view,),), results)

    return drafts


def _tokens(operation: type[Operation], *counts: int) -> Callable[[], Drafts]:
    def drafts() -> Drafts:
        for count in counts:
            groups: tuple[Group, ...] = ((TOKEN,) * count,)
            yield f"{count} tokens", Draft(operation, groups, (TOKEN,))

    return drafts


def _make_token() -> Drafts:
    yield "token", Draft(ct.MakeTokenOp, (), (TOKEN,))


def _alloca() -> Drafts:
    for name, alignment in (
        *(("f32", 4), ("f32", 64), ("f32", 2), ("f32", 3), ("i1", 1), ("i8", 1), ("i64", 8)),
        *(("f64", 128), ("f16", 2), ("tf32", 4), ("f8E4M3FN", 1), ("f4E2M1FN", 1), ("f32", 0)),
    ):
        for place in ({"global": UnitAttr()}, {}):
            properties = {
                "num_elem": IntegerAttr(16, i64),
                "alignment": IntegerAttr(alignment, i64),
                **place,
            }
            result = tile(f"ptr<{name}>")
            label = f"{name} {alignment}{' global' if place else ''}"
            yield label, Draft(ct.AllocaOp, (), (result,), properties)


def _assume() -> Drafts:
    tiles = {"i32": tile("i32"), "ptr": tile("ptr"), "tile": tile("i32", S), "f32": tile("f32")}
    tiles |= {"i64": tile("i64", (64,)), "tensor": tensor("f32", (64, 128)), "i1": tile("i1")}
    tiles |= {"view": partition("f32"), "token": TOKEN, "i8": tile("i8"), "ptrs": tile("ptr", S)}
    predicates: dict[str, Attribute] = {
        "div_by 16": ct.DivByAttr(16),
        "div_by 3": ct.DivByAttr(3),
        "div_by 0": ct.DivByAttr(0),
        "div_by 4 every 4 along 1": ct.DivByAttr(4, 4, 1),
        "div_by 4 every 4 along 2": ct.DivByAttr(4, 4, 2),
        "div_by 4 every 64 along 1": ct.DivByAttr(4, 64, 1),
        "same [1, 16]": ct.SameElementsAttr((1, 16)),
        "same [16]": ct.SameElementsAttr((16,)),
        "same [3, 3]": ct.SameElementsAttr((3, 3)),
        "bounded 0 ?": ct.BoundedAttr(0, None),
        "bounded 5 3": ct.BoundedAttr(5, 3),
        "bounded -200 200": ct.BoundedAttr(-200, 200),
        "bounded ? ?": ct.BoundedAttr(None, None),
    }
    for text, predicate in predicates.items():
        for name, type_ in tiles.items():
            draft = Draft(ct.AssumeOp, ((type_,),), (type_,), {"predicate": predicate})
            yield f"{text} of {name}", draft


def _assert() -> Drafts:
    for shape in (S, (), (1,), (64, 64)):
        properties = {"message": StringAttr("no")}
        yield f"{list(shape)}", Draft(ct.AssertOp, ((tile("i1", shape),),), (), properties)
    for text in ("", "100 %", 'a "quote"', "two\nlines", "\u00e9"):
        properties = {"message": StringAttr(text)}
        yield f"text {text!r}", Draft(ct.AssertOp, ((tile("i1"),),), (), properties)


def _print() -> Drafts:
    for name in ELEMENTS:
        arguments = (tile(name, S),)
        properties = {"str": StringAttr("%d\n" if name[0] == "i" else "%f\n")}
        yield name, Draft(ct.PrintTkoOp, (arguments, ()), (TOKEN,), properties)
    texts = ("plain", "%", "%d", "%d %f", "%%", "%s", "%llu", "%5.2f %x", "%q", "%n")
    for text in texts:
        for count in (0, 1, 2):
            arguments = (tile("i32"), tile("f32"))[:count]
            properties = {"str": StringAttr(text)}
            draft = Draft(ct.PrintTkoOp, (arguments, ()), (TOKEN,), properties)
            yield f"{text!r} with {count}", draft


def _get_global() -> Drafts:
    for name in ("f32", *(n for n in NUMBERS if n != "f32")):
        value = constant(name, (4,))
        global_ = Step(ct.GlobalOp, (), (), _global_properties(value))
        result = (tile(f"ptr<{name}>"),)
        properties = {"name": SymbolRefAttr("g")}
        yield name, Draft(ct.GetGlobalOp, (), result, properties, globals=(global_,))
    global_ = Step(ct.GlobalOp, (), (), _global_properties(constant("f32", (4,))))
    other = {"name": SymbolRefAttr("other")}
    yield "other name", Draft(ct.GetGlobalOp, (), (tile("ptr"),), other, globals=(global_,))
    kernel = {"name": SymbolRefAttr("kernel")}
    yield "a kernel", Draft(ct.GetGlobalOp, (), (tile("ptr"),), kernel, globals=(global_,))


def _global_properties(value: ct.DenseConstantAttr, **others: Attribute) -> dict[str, Attribute]:
    public = ct.SymbolVisibilityAttr(ct.SymbolVisibility.PUBLIC)
    properties: dict[str, Attribute] = {
        "sym_name": StringAttr("g"),
        "value": value,
        "alignment": IntegerAttr(0, i64),
        "visibility": public,
    }
    return properties | others


def globals_() -> Drafts:
    """A kernel that reads a global variable of many kinds."""
    private = ct.SymbolVisibilityAttr(ct.SymbolVisibility.PRIVATE)
    values = ct.DenseConstantAttr.from_values(tile("i32", (8,)), list(range(8)))
    for label, properties in {
        "splat": _global_properties(constant("f32", (4,))),
        "values": _global_properties(values),
        "rank 2": _global_properties(constant("f32", S)),
        "scalar": _global_properties(constant("f32")),
        "one element": _global_properties(constant("f64", (1,))),
        "aligned 256": _global_properties(constant("f32", (4,)), alignment=IntegerAttr(256, i64)),
        "aligned 3": _global_properties(constant("f32", (4,)), alignment=IntegerAttr(3, i64)),
        "aligned 1": _global_properties(constant("f32", (4,)), alignment=IntegerAttr(1, i64)),
        "private": _global_properties(constant("f32", (4,)), visibility=private),
        "constant": _global_properties(constant("f32", (4,)), constant=UnitAttr()),
        "large": _global_properties(constant("i8", (4096,))),
        "same name as the kernel": _global_properties(
            constant("f32", (4,)), sym_name=StringAttr("kernel")
        ),
        "odd name": _global_properties(constant("f32", (4,)), sym_name=StringAttr("a-b c")),
    }.items():
        global_ = Step(ct.GlobalOp, (), (), properties)
        value = properties["value"]
        assert isinstance(value, ct.DenseConstantAttr)
        result = ct.TileType((), ct.PointerType(value.type.element_type))
        symbol = properties["sym_name"]
        assert isinstance(symbol, StringAttr)
        name = {"name": SymbolRefAttr(symbol.data)}
        yield label, Draft(ct.GetGlobalOp, (), (result,), name, globals=(global_,))
    twice = Step(ct.GlobalOp, (), (), _global_properties(constant("f32", (4,))))
    name = {"name": SymbolRefAttr("g")}
    yield "twice", Draft(ct.GetGlobalOp, (), (tile("ptr"),), name, globals=(twice, twice))


MEMORY: Mapping[type[Operation], Callable[[], Drafts]] = {
    ct.LoadPtrTkoOp: _load_ptr,
    ct.StorePtrTkoOp: _store_ptr,
    ct.AtomicRMWTkoOp: _atomic_rmw,
    ct.AtomicCASTkoOp: _atomic_cas,
    ct.AtomicRedViewTkoOp: _red_view,
    ct.LoadViewTkoOp: _load_view,
    ct.StoreViewTkoOp: _store_view,
    ct.MultimemLoadReduceViewTkoOp: _multimem_load,
    ct.MultimemReduceViewTkoOp: _multimem_reduce,
    ct.MultimemStoreViewTkoOp: _multimem_store,
    ct.MakeTensorViewOp: _make_tensor_view,
    ct.MakePartitionViewOp: _makes(ct.MakePartitionViewOp, ct.PartitionViewType),
    ct.MakeStridedViewOp: _makes(ct.MakeStridedViewOp, ct.StridedViewType),
    ct.MakeGatherScatterViewOp: _makes(ct.MakeGatherScatterViewOp, ct.GatherScatterViewType),
    ct.GetTensorShapeOp: _get_shape(ct.GetTensorShapeOp, tensor("f32", (64, 128))),
    ct.GetIndexSpaceShapeOp: _get_shape(ct.GetIndexSpaceShapeOp, partition("f32")),
    ct.MakeTokenOp: _make_token,
    ct.JoinTokensOp: _tokens(ct.JoinTokensOp, 2, 1, 0, 5),
    ct.GdcWaitTkoOp: _tokens(ct.GdcWaitTkoOp, 0, 1),
    ct.GdcLaunchDependentsTkoOp: _tokens(ct.GdcLaunchDependentsTkoOp, 0, 1),
    ct.MemoryFenceAliasTkoOp: _tokens(ct.MemoryFenceAliasTkoOp, 1),
    ct.AllocaOp: _alloca,
    ct.AssumeOp: _assume,
    ct.AssertOp: _assert,
    ct.PrintTkoOp: _print,
    ct.GetGlobalOp: _get_global,
    ct.GlobalOp: globals_,
}
"""How each operation is drafted; the first draft is the one that is varied."""
