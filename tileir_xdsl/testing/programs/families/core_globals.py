"""Read-only global variables."""

from __future__ import annotations

from tileir_xdsl.dialects.cuda_tile import (
    GetGlobalOp,
    GlobalOp,
    LoadPtrTkoOp,
    SymbolVisibility,
)
from tileir_xdsl.dialects.cuda_tile.types import element_name
from tileir_xdsl.testing.programs.accesses import any_token, load_options
from tileir_xdsl.testing.programs.builder import Builder, Row, Rows
from tileir_xdsl.testing.programs.elements import (
    MEMORY_ELEMENTS,
    WIDE_INTEGERS,
    dense_constant,
    pointer_tile,
    random_elements,
)
from tileir_xdsl.testing.programs.pointers import spread_pointers
from tileir_xdsl.testing.programs.values import below


def new_global(b: Builder, element: str, count: int, *, constant: bool) -> GlobalOp:
    """A global variable with `count` random elements."""
    values = random_elements(element, count, b.draft.rng)
    variable = GlobalOp(
        f"global_{len(b.draft.globals)}",
        dense_constant(element, (count,), values),
        alignment=b.choose((0, 8, 16, 128)),
        constant=constant,
        visibility=b.choose(list(SymbolVisibility)),
    )
    b.draft.globals.append(variable)
    return variable


def _emit(b: Builder) -> None:
    known = [variable for variable in b.draft.globals if variable.constant is not None]
    if known and b.chance(0.3):
        variable = b.choose(known)
    else:
        count = b.choose((1, 4, 16, 128))
        variable = new_global(b, b.choose(MEMORY_ELEMENTS), count, constant=True)
    type_ = variable.value.type
    element, count = element_name(type_.element_type) or "", type_.get_shape()[0]
    address = b.add(GetGlobalOp(variable.sym_name.data, pointer_tile(element))).result
    offsets = below(b, b.some_value(WIDE_INTEGERS), count)
    pointers = spread_pointers(b, address, offsets)
    b.keep(b.add(LoadPtrTkoOp(pointers, token=any_token(b), **load_options(b))).result)


ROWS: Rows = {GetGlobalOp: Row(1.5, _emit)}
