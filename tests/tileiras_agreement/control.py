"""Drafts of control flow, and modules with kernels of many signatures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, Region

from tests.tileiras_agreement.derived import properties_of
from tests.tileiras_agreement.draft import Body, Draft, Step
from tests.tileiras_agreement.words import (
    ELEMENTS,
    INTEGERS,
    TOKEN,
    constant,
    partition,
    tensor,
    tile,
)
from tileir_xdsl.dialects import cuda_tile as ct

Drafts = Iterator[tuple[str, Draft]]
Modules = Iterator[tuple[str, Callable[[], ModuleOp]]]
S = (8, 16)
F, I32, B = tile("f32"), tile("i32"), tile("i1")


def _constant(name: str, shape: tuple[int, ...] = (), value: float = 1) -> Step:
    literal = constant(name, shape, value)
    return Step(ct.ConstantOp, (), (literal.type,), {"value": literal})


def _end(operation: type[Operation], *values: int) -> Step:
    return Step(operation, values)


def _add(name: str, lhs: int, rhs: int, shape: tuple[int, ...] = ()) -> Step:
    operation: type[Operation] = ct.AddIOp if name.startswith("i") else ct.AddFOp
    return Step(operation, (lhs, rhs), (tile(name, shape),), properties_of(operation))


def _if(then: Body, otherwise: Body | None, *results: Attribute) -> Draft:
    bodies = (then, otherwise or Body())
    return Draft(ct.IfOp, ((B,),), results, {}, bodies)


_NOTHING = Body((), (_end(ct.YieldOp),))


def _value(name: str, shape: tuple[int, ...] = ()) -> Body:
    return Body((), (_constant(name, shape), _end(ct.YieldOp, 0)))


def _ifs() -> Drafts:
    yield "f32", _if(_value("f32"), _value("f32"), F)
    for name in ("i1", "i8", "i64", "f16", "bf16", "f64", "tf32", "f8E4M3FN", "f4E2M1FN"):
        yield name, _if(_value(name, S), _value(name, S), tile(name, S))
    token = Body((), (Step(ct.MakeTokenOp, (), (TOKEN,)), _end(ct.YieldOp, 0)))
    yield "token", _if(token, token, TOKEN)
    yield "nothing", _if(_NOTHING, _NOTHING)
    two = Body((), (_constant("f32"), _constant("i32"), _end(ct.YieldOp, 0, 1)))
    yield "two", _if(two, two, F, I32)
    yield "large", _if(_value("f32", (64, 64)), _value("f32", (64, 64)), tile("f32", (64, 64)))


def _yields() -> Drafts:
    yield "f32", _if(_value("f32"), _value("f32"), F)
    yield "other type", _if(_value("f32"), _value("i32"), F)
    yield "other shape", _if(_value("f32", S), _value("f32"), F)
    yield "one side", _if(_value("f32"), _NOTHING, F)
    yield "too many", _if(_value("f32"), _value("f32"))
    yield "too few", _if(_NOTHING, _NOTHING, F)
    yield "in a for", _for((_end(ct.YieldOp, 1),))
    yield "in a loop", _loop((_end(ct.YieldOp, 0),))
    middle = Body(
        (), (_constant("f32"), _end(ct.YieldOp, 0), _constant("f32"), _end(ct.YieldOp, 0))
    )
    yield "in the middle", _if(middle, _value("f32"), F)
    yield "no terminator", _if(Body((), (_constant("f32"),)), _value("f32"), F)


def _for(
    steps: tuple[Step, ...],
    name: str = "i32",
    carried: tuple[Attribute, ...] = (F,),
    results: tuple[Attribute, ...] | None = None,
) -> Draft:
    number = tile(name)
    body = Body((number, *carried), steps)
    operands = ((number,), (number,), (number,), carried)
    return Draft(ct.ForOp, operands, carried if results is None else results, {}, (body,))


_ADDING = (_add("f32", 1, 1), _end(ct.ContinueOp, 2))


def _fors() -> Drafts:
    yield "i32", _for(_ADDING)
    for name in (*INTEGERS, "f32", "i4"):
        yield f"by {name}", _for(_ADDING, name)
    for name in ELEMENTS:
        carried = tile(name, S)
        yield f"carries {name}", _for((_end(ct.ContinueOp, 1),), carried=(carried,))
    yield "carries a token", _for((_end(ct.ContinueOp, 1),), carried=(TOKEN,))
    yield "carries a tensor", _for((_end(ct.ContinueOp, 1),), carried=(tensor("f32", (64, 8)),))
    yield "carries a view", _for((_end(ct.ContinueOp, 1),), carried=(partition("f32"),))
    yield "carries nothing", _for((_end(ct.ContinueOp),), carried=())
    swapped = (_end(ct.ContinueOp, 2, 1),)
    yield "swaps", _for(swapped, carried=(tile("f32", S),) * 2)
    yield (
        "no induction variable",
        replace(_for(_ADDING), bodies=(Body((), (_end(ct.ContinueOp),)),)),
    )
    other = replace(_for(_ADDING), bodies=(Body((tile("i64"), F), _ADDING),))
    yield "other induction variable", other
    yield (
        "other carried",
        replace(_for(_ADDING), bodies=(Body((I32, I32), (_end(ct.ContinueOp, 1),)),)),
    )


def _exit(operation: type[Operation], *values: int) -> Step:
    """An `if` with a terminator that leaves more than the `if`."""
    inner = Body((), (Step(operation, values),))
    return Step(ct.IfOp, (1,), (), {}, (inner, _NOTHING))


def _loop(
    steps: tuple[Step, ...],
    carried: tuple[Attribute, ...] = (F, B),
    results: tuple[Attribute, ...] | None = None,
) -> Draft:
    return Draft(
        ct.LoopOp, (carried,), carried if results is None else results, {}, (Body(carried, steps),)
    )


_LEAVING = (_exit(ct.BreakOp, 0, 1), _add("f32", 0, 0), _end(ct.ContinueOp, 2, 1))


def _loops() -> Drafts:
    yield "f32", _loop(_LEAVING)
    for name in ELEMENTS:
        steps = (_exit(ct.BreakOp, 0, 1), _end(ct.ContinueOp, 0, 1))
        yield f"carries {name}", _loop(steps, (tile(name, S), B))
    yield "carries nothing", _loop((_end(ct.BreakOp),), ())
    steps = (_exit(ct.BreakOp, 0, 1), _end(ct.ContinueOp, 0, 1))
    yield "carries a token", _loop(steps, (TOKEN, B))
    yield "carries a view", _loop(steps, (partition("f32"), B))
    yield "never ends", _loop((_end(ct.ContinueOp, 0, 1),))
    fewer = (_exit(ct.BreakOp, 0), _end(ct.ContinueOp, 0, 1))
    yield "other results", _loop(fewer, results=(F,))


def _breaks() -> Drafts:
    yield "in an if", _loop(_LEAVING)
    yield "alone", _loop((_end(ct.BreakOp, 0, 1),))
    yield "too few", _loop((_end(ct.BreakOp, 0),))
    yield "other types", _loop((_end(ct.BreakOp, 1, 0),))
    yield "in a for", _for((_end(ct.BreakOp, 1),))
    inner = Step(ct.IfOp, (2,), (), {}, (Body((), (_end(ct.BreakOp),)), _NOTHING))
    yield "in an if in a for", _for((_constant("i1"), inner, _end(ct.ContinueOp, 1)))
    leaves = Body((), (_end(ct.BreakOp),))
    yield "without a loop", _if(leaves, _NOTHING)


def _continues() -> Drafts:
    yield "of a for", _for(_ADDING)
    yield "of a loop", _loop(_LEAVING)
    early = (_exit(ct.ContinueOp, 0, 1), _end(ct.BreakOp, 0, 1))
    yield "in an if", _loop(early)
    yield "too few", _for((_end(ct.ContinueOp),))
    yield "too many", _for((_end(ct.ContinueOp, 1, 1),))
    yield "other type", _for((_end(ct.ContinueOp, 0),))
    yield "without a loop", _if(Body((), (_end(ct.ContinueOp),)), _NOTHING)


def _returns() -> Drafts:
    leaves = Body((), (_end(ct.ReturnOp),))
    yield "in an if", _if(leaves, _NOTHING)
    yield "on both sides", _if(leaves, leaves)
    yield "of a value", _if(Body((), (_constant("f32"), _end(ct.ReturnOp, 0))), _NOTHING)
    yield "in a for", _for((_end(ct.ReturnOp),))
    yield "in a loop", _loop((_end(ct.ReturnOp),))
    yield "in an if in a loop", _loop((_exit(ct.ReturnOp), _end(ct.ContinueOp, 0, 1)))
    value = _if(Body((), (_constant("f32"), _end(ct.ReturnOp))), _value("f32"), F)
    yield "on the side of a value", value


CONTROL: Mapping[type[Operation], Callable[[], Drafts]] = {
    ct.IfOp: _ifs,
    ct.YieldOp: _yields,
    ct.ForOp: _fors,
    ct.LoopOp: _loops,
    ct.BreakOp: _breaks,
    ct.ContinueOp: _continues,
    ct.ReturnOp: _returns,
}


def _entry(
    *types: Attribute,
    properties: Mapping[str, Attribute],
    name: str = "kernel",
    results: tuple[Attribute, ...] = (),
) -> ct.EntryOp:
    block = Block(arg_types=types)
    block.add_op(ct.ReturnOp.create())
    function = FunctionType.from_lists(list(types), list(results))
    return ct.EntryOp.create(
        properties={"sym_name": StringAttr(name), "function_type": function, **properties},
        regions=[Region(block)],
    )


def _module(
    *types: Attribute, results: tuple[Attribute, ...] = (), **properties: Attribute
) -> ModuleOp:
    return ModuleOp(
        [ct.ModuleOp("kernels", [_entry(*types, results=results, properties=properties)])]
    )


def _hints(key: str, value: int, arch: str = "sm_100") -> Attribute:
    return ct.OptimizationHintsAttr({arch: DictionaryAttr({key: IntegerAttr(value, i32)})})


def entries() -> Modules:
    """Modules with one kernel: types of arguments, and hints."""
    for name in ELEMENTS:
        if name != "f4E2M1FN":
            yield f"{name} argument", partial(_module, tile(name))
    yield "pointer to f4E2M1FN", partial(_module, tile("ptr<f4E2M1FN>"))
    yield "no argument", partial(_module)
    yield "tile argument", partial(_module, tile("f32", S))
    yield "tensor argument", partial(_module, tensor("f32", (64, 128)))
    yield "view argument", partial(_module, partition("f32"))
    yield "token argument", partial(_module, TOKEN)
    yield "argument that is no tile", partial(_module, i32)
    yield "many arguments", partial(_module, *[tile("ptr")] * 200)
    yield "too many arguments", partial(_module, *[tile("ptr")] * 600)
    yield "a result", partial(_module, results=(F,))
    for key in ("num_cta_in_cga", "num_worker_warps_per_cta", "occupancy", "speed"):
        for value in (0, 1, 2, 3, 4, 8, 16, 32, 64):
            for arch in ("default", "sm_80"):
                hints = _hints(key, value, arch)
                label = f"{arch} {key} {value}"
                yield label, partial(_module, optimization_hints=hints)
    for arch in ("sm_75", "sm_100a", "gpu", ""):
        hints = _hints("occupancy", 1, arch)
        yield f"hints for {arch!r}", partial(_module, optimization_hints=hints)
    attributes = ArrayAttr([DictionaryAttr({"a": IntegerAttr(1, i32)})])
    yield "argument attributes", partial(_module, F, arg_attrs=attributes)


def _of(*ops: str) -> ModuleOp:
    return ModuleOp([ct.ModuleOp("kernels", [_entry(name=name, properties={}) for name in ops])])


def modules() -> Modules:
    """Modules with several kernels, or none."""
    yield "one kernel", partial(_of, "kernel")
    yield "two kernels", partial(_of, "a", "b")
    yield "no kernel", _of
    yield "two of one name", partial(_of, "a", "a")
    for name in ("a-b", "1a", "a b", "$a", "", "_", "add.f32", "\u00e4", "x" * 300, "main", "%tid"):
        yield f"kernel {name[:9]!r}", partial(_of, name)


MODULES: Mapping[type[Operation], Callable[[], Modules]] = {
    ct.EntryOp: entries,
    ct.ModuleOp: modules,
}
"""Operations around kernels, with modules that have nothing else."""
