"""Masked vector accesses, and loads and stores with flags that xDSL lacks.

`llvm.intr.masked.load` is missing in xDSL. xDSL's `llvm.intr.masked.store` accepts only floats, and
its `llvm.load` and `llvm.store` have no scope: subclasses of xDSL's classes replace these ops.
"""

from dataclasses import replace
from functools import cache

from xdsl.dialects import llvm
from xdsl.dialects.builtin import I1, IntegerAttr, StringAttr, UnitAttr, VectorType, i32
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AttrConstraint,
    IRDLOperation,
    OpDef,
    OperandDef,
    OptPropertyDef,
    ParsePropInAttrDict,
    base,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from tileir_xdsl.dialects.lazy_definition import irdl_op_definition, stands_in
from tileir_xdsl.dialects.llvm.atomics import (
    parse_ordering,
    parse_scope,
    print_ordering,
    print_scope,
)
from tileir_xdsl.dialects.llvm.attributes import AtomicOrdering


def _verify_mask(mask: Attribute, value: Attribute) -> None:
    assert isa(mask, VectorType[I1])
    if not isa(value, VectorType) or value.get_shape() != mask.get_shape():
        raise VerifyException(
            f"expected mask {mask} and value {value} to be vectors of the same shape"
        )


@irdl_op_definition
class MaskedLoadOp(IRDLOperation):
    """A vector load of the elements whose mask bit is set; other elements come from the
    pass-through.

        %v = llvm.intr.masked.load %p, %mask, %other {alignment = 16 : i32} : (!llvm.ptr<1>,
            vector<4xi1>, vector<4xf32>) -> vector<4xf32>

    Memory of an element that is masked off is not accessed. Without a pass-through, masked-off
    elements are poison. `alignment` is in bytes.
    """

    name = "llvm.intr.masked.load"

    data = operand_def(LLVMPointerType)
    mask = operand_def(VectorType[I1])
    pass_thru = var_operand_def(base(VectorType))
    alignment = prop_def(IntegerAttr[i32])
    nontemporal = opt_prop_def(UnitAttr)
    res = result_def(base(VectorType))

    traits = traits_def(MemoryReadEffect())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "operands attr-dict `:` functional-type(operands, results)"

    def __init__(
        self,
        data: Operation | SSAValue,
        mask: Operation | SSAValue,
        pass_thru: Operation | SSAValue | None,
        result_type: Attribute,
        alignment: int,
    ):
        super().__init__(
            operands=[data, mask, [] if pass_thru is None else [pass_thru]],
            result_types=[result_type],
            properties={"alignment": IntegerAttr(alignment, 32)},
        )

    def verify_(self) -> None:
        if len(self.pass_thru) > 1:
            raise VerifyException("expected at most one pass-through value")
        _verify_mask(self.mask.type, self.res.type)
        if any(value.type != self.res.type for value in self.pass_thru):
            raise VerifyException("expected the pass-through value to have the type of the result")


@stands_in
class MaskedStoreOp(llvm.MaskedStoreOp):
    """A vector store of the elements whose mask bit is set, of any element type.

        llvm.intr.masked.store %v, %p, %mask {alignment = 16 : i32} : vector<4xf32>, vector<4xi1>
            into !llvm.ptr<1>

    Memory of an element that is masked off is not accessed. `alignment` is in bytes.
    """

    @classmethod
    def get_irdl_definition(cls) -> OpDef:
        return _masked_store_definition()

    def verify_(self) -> None:
        self.get_irdl_definition().verify(self)
        _verify_mask(self.mask.type, self.value.type)


def _widen_value(definition: OpDef) -> OpDef:
    operands = [
        (name, OperandDef(base(VectorType)) if name == "value" else operand)
        for name, operand in definition.operands
    ]
    return replace(definition, operands=operands)


@cache
def _masked_store_definition() -> OpDef:
    return _widen_value(llvm.MaskedStoreOp.get_irdl_definition())


@stands_in
class LoadOp(llvm.LoadOp):
    """A load, optionally `volatile`, atomic with a scope, `invariant` (nothing writes that memory)
    or `nontemporal`.

        %v = llvm.load volatile %p atomic syncscope("block") monotonic {alignment = 4 : i64} :
            !llvm.ptr<1> -> i32

    `alignment` is in bytes.
    """

    def __init__(
        self,
        ptr: SSAValue | Operation,
        result_type: Attribute,
        alignment: int | None = None,
        ordering: AtomicOrdering = AtomicOrdering.NOT_ATOMIC,
        syncscope: str | None = None,
        *,
        volatile: bool = False,
        invariant: bool = False,
        nontemporal: bool = False,
    ):
        super().__init__(ptr, result_type, alignment, ordering.code)
        _set_flags(
            self,
            syncscope,
            {"volatile_": volatile, "invariant": invariant, "nontemporal": nontemporal},
        )

    @classmethod
    def get_irdl_definition(cls) -> OpDef:
        return _load_definition()

    def verify_(self) -> None:
        self.get_irdl_definition().verify(self)
        _verify_ordering(self, AtomicOrdering.from_code(self.ordering.value.data))

    @classmethod
    def parse(cls, parser: Parser) -> "LoadOp":
        volatile = parser.parse_optional_keyword("volatile") is not None
        ptr = parser.parse_unresolved_operand()
        properties = _parse_atomic(parser)
        if volatile:
            properties["volatile_"] = UnitAttr()
        if parser.parse_optional_keyword("invariant") is not None:
            properties["invariant"] = UnitAttr()
        attributes = parser.parse_optional_attr_dict()
        _take(attributes, properties, ("alignment", "nontemporal"))
        parser.parse_punctuation(":")
        ptr_type = parser.parse_type()
        parser.parse_punctuation("->")
        return cls.create(
            operands=[parser.resolve_operand(ptr, ptr_type)],
            result_types=[parser.parse_type()],
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        if "volatile_" in self.properties:
            printer.print_string(" volatile")
        printer.print_string(" ")
        printer.print_ssa_value(self.ptr)
        _print_atomic(printer, self)
        if "invariant" in self.properties:
            printer.print_string(" invariant")
        _print_attributes(printer, self)
        printer.print_string(" : ")
        printer.print_attribute(self.ptr.type)
        printer.print_string(" -> ")
        printer.print_attribute(self.dereferenced_value.type)


@stands_in
class StoreOp(llvm.StoreOp):
    """A store, optionally `volatile` or atomic with a scope.

        llvm.store volatile %v, %p atomic syncscope("block") release {alignment = 4 : i64} : i32,
            !llvm.ptr<1>

    `alignment` is in bytes.
    """

    def __init__(
        self,
        value: SSAValue | Operation,
        ptr: SSAValue | Operation,
        alignment: int | None = None,
        ordering: AtomicOrdering = AtomicOrdering.NOT_ATOMIC,
        syncscope: str | None = None,
        *,
        volatile: bool = False,
        nontemporal: bool = False,
    ):
        super().__init__(value, ptr, alignment, ordering.code)
        _set_flags(self, syncscope, {"volatile_": volatile, "nontemporal": nontemporal})

    @classmethod
    def get_irdl_definition(cls) -> OpDef:
        return _store_definition()

    def verify_(self) -> None:
        self.get_irdl_definition().verify(self)
        code = 0 if self.ordering is None else self.ordering.value.data
        _verify_ordering(self, AtomicOrdering.from_code(code))

    @classmethod
    def parse(cls, parser: Parser) -> "StoreOp":
        volatile = parser.parse_optional_keyword("volatile") is not None
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        ptr = parser.parse_unresolved_operand()
        properties = _parse_atomic(parser)
        if volatile:
            properties["volatile_"] = UnitAttr()
        attributes = parser.parse_optional_attr_dict()
        _take(attributes, properties, ("alignment", "nontemporal"))
        parser.parse_punctuation(":")
        value_type = parser.parse_type()
        parser.parse_punctuation(",")
        ptr_type = parser.parse_type()
        return cls.create(
            operands=[
                parser.resolve_operand(value, value_type),
                parser.resolve_operand(ptr, ptr_type),
            ],
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        if self.volatile_ is not None:
            printer.print_string(" volatile")
        printer.print_string(" ")
        printer.print_list([self.value, self.ptr], printer.print_ssa_value)
        _print_atomic(printer, self)
        _print_attributes(printer, self)
        printer.print_string(" : ")
        printer.print_list([self.value.type, self.ptr.type], printer.print_attribute)


def _set_flags(op: Operation, syncscope: str | None, flags: dict[str, bool]) -> None:
    if syncscope is not None:
        op.properties["syncscope"] = StringAttr(syncscope)
    op.properties |= {name: UnitAttr() for name, present in flags.items() if present}


def _verify_ordering(op: Operation, ordering: AtomicOrdering) -> None:
    if ordering is AtomicOrdering.NOT_ATOMIC:
        if "syncscope" in op.properties:
            raise VerifyException("expected syncscope to be null for non-atomic access")
        return
    if "alignment" not in op.properties:
        raise VerifyException("expected alignment for atomic access")
    wrong = AtomicOrdering.RELEASE if isinstance(op, llvm.LoadOp) else AtomicOrdering.ACQUIRE
    if ordering in (wrong, AtomicOrdering.ACQ_REL):
        raise VerifyException(f"unsupported ordering '{ordering}'")


def _parse_atomic(parser: Parser) -> dict[str, Attribute]:
    """Parses `atomic syncscope("block") monotonic`, if present, as properties."""
    if parser.parse_optional_keyword("atomic") is None:
        return {"ordering": IntegerAttr(0, 64)}
    scope = parse_scope(parser)
    properties: dict[str, Attribute] = {"ordering": parse_ordering(parser)}
    if scope is not None:
        properties["syncscope"] = scope
    return properties


def _print_atomic(printer: Printer, op: llvm.LoadOp | llvm.StoreOp) -> None:
    if op.ordering is None or op.ordering.value.data == 0:
        return
    printer.print_string(" atomic")
    scope = op.properties.get("syncscope")
    print_scope(printer, scope if isinstance(scope, StringAttr) else None)
    print_ordering(printer, op.ordering)


def _take(
    attributes: dict[str, Attribute], properties: dict[str, Attribute], names: tuple[str, ...]
) -> None:
    """Moves the attributes of the given names to the properties."""
    for name in names:
        if (value := attributes.pop(name, None)) is not None:
            properties[name] = value


def _print_attributes(printer: Printer, op: Operation) -> None:
    attributes = dict(op.attributes)
    for name in ("alignment", "nontemporal"):
        if name in op.properties:
            attributes[name] = op.properties[name]
    printer.print_op_attributes(attributes)


def _with_properties(definition: OpDef, optional: dict[str, AttrConstraint]) -> OpDef:
    properties = {name: OptPropertyDef(constraint) for name, constraint in optional.items()}
    return replace(definition, properties={**definition.properties, **properties})


@cache
def _load_definition() -> OpDef:
    return _with_properties(
        llvm.LoadOp.get_irdl_definition(),
        {
            "volatile_": base(UnitAttr),
            "syncscope": base(StringAttr),
            "invariant": base(UnitAttr),
            "nontemporal": base(UnitAttr),
        },
    )


@cache
def _store_definition() -> OpDef:
    return _with_properties(llvm.StoreOp.get_irdl_definition(), {"syncscope": base(StringAttr)})
