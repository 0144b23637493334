"""Accesses of memory outside of the arena, element by element."""

from collections.abc import Sequence

from xdsl.dialects.builtin import I1, AffineMapAttr, DenseArrayBase, IntegerType, i1
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.enumerations import MemoryOrdering
from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.nv_tileaa.attributes import (
    PADDING,
    MemSemanticAttr,
    RMWModeAttr,
    verify_padding_type,
)
from tileir_xdsl.dialects.nv_tileaa.syntax import Modification
from tileir_xdsl.dialects.nv_tileaa.types import PointerType, TiledViewType

from .nests import verify_map


class ViewAccessOp(IRDLOperation):
    """Base of the accesses of one element of a tile of a view.

    `coords` are the coordinates of the tile, as in `nv_tileaa.tiled_load`. The map is from indices
    of the nest to the indices of the element in the tile.
    """

    view = operand_def(TiledViewType)
    coords = var_operand_def(IntegerType)
    index = prop_def(AffineMapAttr)
    in_bounds = opt_prop_def(DenseArrayBase.constr(I1(1)))

    irdl_options = (ParsePropInAttrDict(),)

    def verify_access(self, element: Attribute) -> None:
        """Checks the element, the coordinates and the map."""
        view = self.view.type
        assert isinstance(view, TiledViewType)
        rank = len(view.shape)
        if element != view.element_type:
            raise VerifyException(f"expects an element of type {view.element_type}")
        if len(self.coords) != rank:
            raise VerifyException(f"expects {rank} coordinates, but got {len(self.coords)}")
        verify_map(self, self.index, rank)


@irdl_op_definition
class LoadOp(ViewAccessOp):
    """Loads one element of a tile of a view; outside of the memory object, it is
    `padding_value`.
    """

    name = "tilecpu.load"

    padding_value = opt_prop_def(PADDING)
    element = result_def(AnyAttr())

    traits = traits_def(MemoryReadEffect())
    assembly_format = (
        "$view `[` $coords `]` `at` $index attr-dict "
        "`:` type($view) `[` type($coords) `]` `->` type($element)"
    )

    def __init__(
        self,
        view: SSAValue,
        coords: Sequence[SSAValue],
        index: AffineMap,
        padding_value: Attribute | None = None,
        in_bounds: Attribute | None = None,
    ):
        assert isinstance(view.type, TiledViewType)
        super().__init__(
            operands=[view, coords],
            properties={
                "index": AffineMapAttr(index),
                "padding_value": padding_value,
                "in_bounds": in_bounds,
            },
            result_types=[view.type.element_type],
        )

    def verify_(self) -> None:
        self.verify_access(self.element.type)
        verify_padding_type(self.padding_value, self.element.type)


@irdl_op_definition
class StoreOp(ViewAccessOp):
    """Stores one element of a tile of a view, unless it is outside of the memory object."""

    name = "tilecpu.store"

    element = operand_def(AnyAttr())

    traits = traits_def(MemoryWriteEffect())
    assembly_format = (
        "$element `,` $view `[` $coords `]` `at` $index attr-dict "
        "`:` type($element) `,` type($view) `[` type($coords) `]`"
    )

    def __init__(
        self,
        element: SSAValue,
        view: SSAValue,
        coords: Sequence[SSAValue],
        index: AffineMap,
        in_bounds: Attribute | None = None,
    ):
        super().__init__(
            operands=[element, view, coords],
            properties={"index": AffineMapAttr(index), "in_bounds": in_bounds},
        )

    def verify_(self) -> None:
        self.verify_access(self.element.type)


def verify_pointee(pointer: SSAValue, element: SSAValue) -> None:
    """Raises `VerifyException` unless the pointee type is the type of an element."""
    assert isinstance(pointer.type, PointerType)
    if pointer.type.pointee != element.type:
        raise VerifyException(
            f"expects an element of type {pointer.type.pointee}, but got {element.type}"
        )


def _unless_weak(semantic: MemSemanticAttr | None) -> MemSemanticAttr | None:
    return None if semantic is None or semantic.data == MemoryOrdering.WEAK else semantic


@irdl_op_definition
class LoadPointerOp(IRDLOperation):
    """Loads the element at a pointer; if the mask is not set, the result is `other` or
    undefined.
    """

    name = "tilecpu.load_pointer"

    pointer = operand_def(PointerType)
    mask = opt_operand_def(i1)
    other = opt_operand_def(AnyAttr())
    mem_semantic = opt_prop_def(MemSemanticAttr)
    element = result_def(AnyAttr())

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    traits = traits_def(MemoryReadEffect())
    assembly_format = (
        "$pointer (`mask` $mask^)? (`other` $other^ `:` type($other))? attr-dict "
        "`:` type($pointer) `->` type($element)"
    )

    def __init__(
        self,
        pointer: SSAValue,
        mask: SSAValue | None = None,
        other: SSAValue | None = None,
        mem_semantic: MemSemanticAttr | None = None,
    ):
        assert isinstance(pointer.type, PointerType)
        super().__init__(
            operands=[pointer, mask, other],
            properties={"mem_semantic": _unless_weak(mem_semantic)},
            result_types=[pointer.type.pointee],
        )

    def verify_(self) -> None:
        verify_pointee(self.pointer, self.element)
        if self.other is not None and self.other.type != self.element.type:
            raise VerifyException(f"expects operand 'other' to have type {self.element.type}")


@irdl_op_definition
class StorePointerOp(IRDLOperation):
    """Stores an element at a pointer if the mask is set."""

    name = "tilecpu.store_pointer"

    pointer = operand_def(PointerType)
    element = operand_def(AnyAttr())
    mask = opt_operand_def(i1)
    mem_semantic = opt_prop_def(MemSemanticAttr)

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(MemoryWriteEffect())
    assembly_format = (
        "$element `,` $pointer (`mask` $mask^)? attr-dict `:` type($element) `,` type($pointer)"
    )

    def __init__(
        self,
        element: SSAValue,
        pointer: SSAValue,
        mask: SSAValue | None = None,
        mem_semantic: MemSemanticAttr | None = None,
    ):
        super().__init__(
            operands=[pointer, element, mask],
            properties={"mem_semantic": _unless_weak(mem_semantic)},
        )

    def verify_(self) -> None:
        verify_pointee(self.pointer, self.element)


@irdl_op_definition
class AtomicRMWOp(IRDLOperation):
    """Replaces the element x at a pointer by `rmw_mode(x, value)`, atomically.

    The result is x, or zero if the mask is not set.
    """

    name = "tilecpu.atomic_rmw"

    pointer = operand_def(PointerType)
    value = operand_def(AnyAttr())
    mask = opt_operand_def(i1)
    rmw_mode = prop_def(RMWModeAttr)
    mem_semantic = prop_def(MemSemanticAttr)
    old = result_def(AnyAttr())

    custom_directives = (Modification,)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "custom<Modification>($rmw_mode) $pointer `,` $value (`mask` $mask^)? attr-dict "
        "`:` type($pointer) `,` type($value) `->` type($old)"
    )

    def __init__(
        self,
        pointer: SSAValue,
        value: SSAValue,
        mask: SSAValue | None,
        rmw_mode: RMWModeAttr,
        mem_semantic: MemSemanticAttr,
    ):
        super().__init__(
            operands=[pointer, value, mask],
            properties={"rmw_mode": rmw_mode, "mem_semantic": mem_semantic},
            result_types=[value.type],
        )

    def verify_(self) -> None:
        verify_pointee(self.pointer, self.value)
        verify_pointee(self.pointer, self.old)


@irdl_op_definition
class AtomicCASOp(IRDLOperation):
    """Replaces the element at a pointer if it has the bits of `compare`, atomically.

    The result is the old element, or `compare` if the mask is not set.
    """

    name = "tilecpu.atomic_cas"

    pointer = operand_def(PointerType)
    compare = operand_def(AnyAttr())
    replacement = operand_def(AnyAttr())
    mask = opt_operand_def(i1)
    mem_semantic = prop_def(MemSemanticAttr)
    old = result_def(AnyAttr())

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$pointer `,` $compare `,` $replacement (`mask` $mask^)? attr-dict "
        "`:` type($pointer) `,` type($compare) `,` type($replacement) `->` type($old)"
    )

    def __init__(
        self,
        pointer: SSAValue,
        compare: SSAValue,
        replacement: SSAValue,
        mask: SSAValue | None,
        mem_semantic: MemSemanticAttr,
    ):
        super().__init__(
            operands=[pointer, compare, replacement, mask],
            properties={"mem_semantic": mem_semantic},
            result_types=[compare.type],
        )

    def verify_(self) -> None:
        for value in (self.compare, self.replacement, self.old):
            verify_pointee(self.pointer, value)


@irdl_op_definition
class AtomicUpdateOp(ViewAccessOp):
    """Replaces an element x of a tile of a view by `rmw_mode(x, value)`, if x is inside the memory
    object.
    """

    name = "tilecpu.atomic_update"

    value = operand_def(AnyAttr())
    rmw_mode = prop_def(RMWModeAttr)
    mem_semantic = prop_def(MemSemanticAttr)

    custom_directives = (Modification,)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = (
        "custom<Modification>($rmw_mode) $value `,` $view `[` $coords `]` `at` $index attr-dict "
        "`:` type($value) `,` type($view) `[` type($coords) `]`"
    )

    def __init__(
        self,
        value: SSAValue,
        view: SSAValue,
        coords: Sequence[SSAValue],
        index: AffineMap,
        rmw_mode: RMWModeAttr,
        mem_semantic: MemSemanticAttr,
        in_bounds: Attribute | None = None,
    ):
        super().__init__(
            operands=[value, view, coords],
            properties={
                "index": AffineMapAttr(index),
                "rmw_mode": rmw_mode,
                "mem_semantic": mem_semantic,
                "in_bounds": in_bounds,
            },
        )

    def verify_(self) -> None:
        self.verify_access(self.value.type)
