"""A view, and the access of one tile of it.

A source that already has the type of the view is accessed itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.builder import Builder
from xdsl.dialects.builtin import DenseArrayBase, i1
from xdsl.ir import Attribute, SSAValue

from tileir_xdsl.builders.arithmetic import as_index, constant
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.enumerations import MemoryOrdering as MemSemantic
from tileir_xdsl.dialects.nv_tileaa.attributes import MemScope, PaddingAttr
from tileir_xdsl.dialects.nv_tileaa.pointer_accesses import memory_order_properties
from tileir_xdsl.dialects.nv_tileas.atoms import AtomAttr
from tileir_xdsl.dialects.nv_tileas.conversions import ViewOp
from tileir_xdsl.dialects.nv_tileas.tiled_memory import TiledLoadOp, TiledStoreOp
from tileir_xdsl.dialects.nv_tileas.types import TiledViewType


@dataclass(frozen=True)
class TileViewSpec:
    """A view to build: its type, and the tile of the source at which it starts."""

    type: TiledViewType | nv_tileaa.TiledViewType
    indices: Sequence[SSAValue] = ()


@dataclass(frozen=True)
class TiledAccess:
    """The operands and attributes of an access besides its view and its tile.

    Coordinates count tiles; where there are fewer than dimensions, the leading ones are 0, and
    where their types differ, they become `index`.
    """

    coords: Sequence[SSAValue] = ()
    offsets: Sequence[SSAValue] = ()
    token: SSAValue | None = None
    mask: SSAValue | None = None
    semantic: MemSemantic = MemSemantic.WEAK
    scope: MemScope | None = None
    atom: AtomAttr | None = None
    in_bounds: Sequence[bool] | None = None
    padding_value: PaddingAttr | None = None
    hints: Mapping[str, Attribute] = field(default_factory=dict[str, Attribute])
    """Further properties: hints for the access of the tile."""

    def properties(self) -> dict[str, Attribute | None]:
        """Order, atom, bounds and padding as properties of the op.

        An access that is in bounds has no padding.
        """
        bounds = self.in_bounds
        padding = None if bounds is not None and all(bounds) else self.padding_value
        return {
            **self.hints,
            **memory_order_properties(self.semantic, self.scope),
            "atom": self.atom,
            "in_bounds": None if bounds is None else DenseArrayBase.from_list(i1, list(bounds)),
            "padding_value": padding,
        }

    def result_tokens(self) -> list[Attribute]:
        """The types of the tokens that the access returns: one if it has a token operand, otherwise
        none.
        """
        return [] if self.token is None else [self.token.type]


def _coordinates(builder: Builder, values: Sequence[SSAValue], rank: int) -> list[SSAValue]:
    """As many coordinates as dimensions, all of one type."""
    missing = rank - len(values)
    if not missing and len({value.type for value in values}) <= 1:
        return list(values)
    zeros = [constant(builder, 0)] * missing if missing > 0 else []
    return [*zeros, *(as_index(builder, value) for value in values)]


def _view(builder: Builder, source: SSAValue, view: TileViewSpec) -> SSAValue:
    """The view to access."""
    if source.type == view.type and not view.indices:
        return source
    return builder.insert(ViewOp(source, view.type, view.indices)).result


def build_view_then_tiled_load(
    builder: Builder,
    source: SSAValue,
    view: TileViewSpec,
    access: TiledAccess,
    result_type: Attribute | None = None,
) -> TiledLoadOp:
    """Loads one tile of a view of `source`."""
    viewed = _view(builder, source, view)
    coords = _coordinates(builder, access.coords, len(view.type.shape))
    offsets = [as_index(builder, offset) for offset in access.offsets]
    return builder.insert(
        TiledLoadOp(
            operands=[viewed, coords, offsets, access.token, access.mask],
            properties=access.properties(),
            result_types=[result_type or view.type.tile_type, access.result_tokens()],
        )
    )


def build_view_then_tiled_store(
    builder: Builder,
    value: SSAValue,
    destination: SSAValue,
    view: TileViewSpec,
    access: TiledAccess,
) -> TiledStoreOp:
    """Stores one tile of a view of `destination`."""
    viewed = _view(builder, destination, view)
    coords = _coordinates(builder, access.coords, len(view.type.shape))
    offsets = [as_index(builder, offset) for offset in access.offsets]
    return builder.insert(
        TiledStoreOp(
            operands=[viewed, value, coords, offsets, access.token, access.mask],
            properties=access.properties(),
            result_types=[access.result_tokens()],
        )
    )
