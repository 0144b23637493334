"""Features that a requested target lacks: narrow element types, some atomics and pointers."""

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation

from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.dialects.cuda_tile.atomics import ModifyingOperation
from tileir_xdsl.dialects.cuda_tile.enums import PointerKindAttr
from tileir_xdsl.dialects.cuda_tile.types import element_name
from tileir_xdsl.dialects.cuda_tile.view_types import TileView
from tileir_xdsl.dialects.enumerations import RMWMode as AtomicRMWMode
from tileir_xdsl.targets import Target
from tileir_xdsl.targets.tile_ir import (
    ELEMENT_TYPES,
    FLOAT_ADDITIONS,
    POINTER_KINDS,
    Requirement,
)
from tileir_xdsl.walking import ops_in


def check_support(module: ModuleOp, target: Target) -> None:
    """Raises `PassFailedException` that names the first op that the target does not support."""
    # By identity, as the hash of a type costs more than the look-up; the module keeps its types.
    of_types: dict[int, Requirement | None] = {}

    def unsupported(type: Attribute) -> Requirement | None:
        key = id(type)
        if key not in of_types:
            needed = _type_requirements(type)
            # The first unmet requirement alone is reported: one message for one bad input.
            of_types[key] = next((r for r in needed if not r.supports(target)), None)
        return of_types[key]

    for op in ops_in(module):
        for type in _types(op):
            if (missing := unsupported(type)) is not None:
                _fail(op, target, missing)
        addition = _addition_requirement(op)
        if addition is not None and not addition.supports(target):
            _fail(op, target, addition)


def _types(op: Operation) -> Iterator[Attribute]:
    """The types of an op's operands and results, and of a global's value."""
    for value in (*op.operands, *op.results):
        yield value.type
    if isinstance(op, cuda_tile.GlobalOp):
        yield op.value.type


def _type_requirements(type: Attribute) -> Iterator[Requirement]:
    """The requirements of a type: of its elements, and of its pointer kind."""
    match type:
        case cuda_tile.TileType(element_type=element) if isinstance(element, cuda_tile.PointerType):
            yield from _element_requirements(element.pointee_type, element.kind)
        case cuda_tile.TileType(element_type=element):
            yield from _element_requirements(element, None)
        case cuda_tile.TensorViewType():
            yield from _element_requirements(type.element_type, type.kind)
        case TileView():
            # A tile of a view needs what the view needs, even where no op loads it.
            yield from _type_requirements(type.get_tensor_view())
        case _:
            pass


def _element_requirements(element: Attribute, kind: Attribute | None) -> Iterator[Requirement]:
    if (requirement := ELEMENT_TYPES.get(element_name(element) or "")) is not None:
        yield requirement
    if isinstance(kind, PointerKindAttr) and kind.data.value in POINTER_KINDS:
        yield POINTER_KINDS[kind.data.value]


def _addition_requirement(op: Operation) -> Requirement | None:
    """The requirement of an atomic float addition."""
    if not isinstance(op, ModifyingOperation) or op.mode is not AtomicRMWMode.ADDF:
        return None
    types = [operand.type for operand in op.operands]
    elements = [type.element_type for type in types if isinstance(type, cuda_tile.TileType)]
    names = [element_name(element) or "" for element in elements]
    return next((FLOAT_ADDITIONS[name] for name in names if name in FLOAT_ADDITIONS), None)


def _fail(op: Operation, target: Target, missing: Requirement) -> None:
    fail(
        op,
        f"Incompatibility with architecture '{target.name}': {missing.message}; "
        f"it needs {missing.supporters}",
    )
