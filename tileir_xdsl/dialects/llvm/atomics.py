"""Fences and atomic read-modify-write operations.

`syncscope` names the participating threads: on GPUs `block`, `cluster`, `device`, or no scope for
the whole system.
"""

from xdsl.dialects.builtin import (
    I64,
    AnyFloat,
    IntegerAttr,
    IntegerType,
    StringAttr,
    UnitAttr,
    VectorType,
    i1,
)
from xdsl.dialects.llvm import LLVMPointerType, LLVMStructType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.llvm.attributes import AtomicBinOp, AtomicOrdering

Value = Operation | SSAValue


def parse_scope(parser: Parser) -> StringAttr | None:
    """Parses `syncscope("block")`, if present."""
    if parser.parse_optional_keyword("syncscope") is None:
        return None
    with parser.in_parens():
        return StringAttr(parser.parse_str_literal())


def print_scope(printer: Printer, scope: StringAttr | None) -> None:
    """Prints ` syncscope("block")`, if there is a scope."""
    if scope is not None:
        printer.print_string(" syncscope(")
        printer.print_string_literal(scope.data)
        printer.print_string(")")


def parse_ordering(parser: Parser) -> IntegerAttr[IntegerType]:
    """Parses the keyword of an ordering; returns the integer that encodes it."""
    return IntegerAttr(parser.parse_str_enum(AtomicOrdering).code, 64)


def print_ordering(printer: Printer, ordering: IntegerAttr[IntegerType]) -> None:
    """Prints the keyword of an ordering."""
    printer.print_string(f" {AtomicOrdering.from_code(ordering.value.data)}")


def _code(ordering: AtomicOrdering) -> IntegerAttr[IntegerType]:
    return IntegerAttr(ordering.code, 64)


def _scope(syncscope: str | None) -> StringAttr | None:
    return None if syncscope is None else StringAttr(syncscope)


def _alignment(alignment: int | None) -> IntegerAttr[IntegerType] | None:
    return None if alignment is None else IntegerAttr(alignment, 64)


def _unit(present: bool) -> UnitAttr | None:
    return UnitAttr() if present else None


def _print_attributes(printer: Printer, op: Operation) -> None:
    attributes = dict(op.attributes)
    if "alignment" in op.properties:
        attributes["alignment"] = op.properties["alignment"]
    printer.print_op_attributes(attributes)


@irdl_op_definition
class FenceOp(IRDLOperation):
    """`llvm.fence syncscope("device") acquire`: orders the memory accesses around it."""

    name = "llvm.fence"

    ordering = prop_def(IntegerAttr[I64])
    syncscope = opt_prop_def(StringAttr)

    def __init__(self, ordering: AtomicOrdering, syncscope: str | None = None):
        super().__init__(properties={"ordering": _code(ordering), "syncscope": _scope(syncscope)})

    def verify_(self) -> None:
        weak = (AtomicOrdering.NOT_ATOMIC, AtomicOrdering.UNORDERED, AtomicOrdering.MONOTONIC)
        if AtomicOrdering.from_code(self.ordering.value.data) in weak:
            raise VerifyException(
                "can be given only acquire, release, acq_rel, and seq_cst orderings"
            )

    @classmethod
    def parse(cls, parser: Parser) -> "FenceOp":
        scope = parse_scope(parser)
        ordering = parse_ordering(parser)
        attributes = parser.parse_optional_attr_dict()
        properties: dict[str, Attribute] = {"ordering": ordering}
        if scope is not None:
            properties["syncscope"] = scope
        return cls.create(properties=properties, attributes=attributes)

    def print(self, printer: Printer) -> None:
        print_scope(printer, self.syncscope)
        print_ordering(printer, self.ordering)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class AtomicRMWOp(IRDLOperation):
    """Replaces a value in memory by the result of an operation on the value and `val`; returns the
    old value.

        %old = llvm.atomicrmw add %p, %v syncscope("device") monotonic : !llvm.ptr<1>, i32
    """

    name = "llvm.atomicrmw"

    ptr = operand_def(LLVMPointerType)
    val = operand_def()
    bin_op = prop_def(IntegerAttr[I64])
    ordering = prop_def(IntegerAttr[I64])
    syncscope = opt_prop_def(StringAttr)
    alignment = opt_prop_def(IntegerAttr)
    volatile_ = opt_prop_def(UnitAttr)
    res = result_def()

    def __init__(
        self,
        bin_op: AtomicBinOp,
        ptr: Value,
        val: Value,
        ordering: AtomicOrdering,
        syncscope: str | None = None,
        alignment: int | None = None,
        *,
        volatile: bool = False,
    ):
        super().__init__(
            operands=[ptr, val],
            result_types=[SSAValue.get(val).type],
            properties={
                "bin_op": IntegerAttr(bin_op.code, 64),
                "ordering": _code(ordering),
                "syncscope": _scope(syncscope),
                "alignment": _alignment(alignment),
                "volatile_": _unit(volatile),
            },
        )

    @property
    def operation(self) -> AtomicBinOp:
        """The operation on the value in memory."""
        return AtomicBinOp.from_code(self.bin_op.value.data)

    def verify_(self) -> None:
        if self.res.type != self.val.type:
            raise VerifyException("expected the result to have the type of the value")
        ordering = AtomicOrdering.from_code(self.ordering.value.data)
        if ordering in (AtomicOrdering.NOT_ATOMIC, AtomicOrdering.UNORDERED):
            raise VerifyException("expected at least 'monotonic' ordering")
        operation, type = self.operation, self.val.type
        element = type.element_type if isinstance(type, VectorType) else type
        if operation.is_float and not isinstance(element, AnyFloat):
            raise VerifyException("expected LLVM IR floating point type")
        if operation is AtomicBinOp.XCHG:
            return
        if not operation.is_float and not isinstance(type, IntegerType):
            raise VerifyException("expected LLVM IR integer type")

    @classmethod
    def parse(cls, parser: Parser) -> "AtomicRMWOp":
        volatile = parser.parse_optional_keyword("volatile") is not None
        operation = parser.parse_str_enum(AtomicBinOp)
        ptr = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        val = parser.parse_unresolved_operand()
        scope = parse_scope(parser)
        properties: dict[str, Attribute] = {
            "bin_op": IntegerAttr(operation.code, 64),
            "ordering": parse_ordering(parser),
        }
        if scope is not None:
            properties["syncscope"] = scope
        if volatile:
            properties["volatile_"] = UnitAttr()
        attributes = parser.parse_optional_attr_dict()
        if (alignment := attributes.pop("alignment", None)) is not None:
            properties["alignment"] = alignment
        parser.parse_punctuation(":")
        ptr_type = parser.parse_type()
        parser.parse_punctuation(",")
        type = parser.parse_type()
        operands = [parser.resolve_operand(ptr, ptr_type), parser.resolve_operand(val, type)]
        return cls.create(
            operands=operands, result_types=[type], properties=properties, attributes=attributes
        )

    def print(self, printer: Printer) -> None:
        if self.volatile_ is not None:
            printer.print_string(" volatile")
        printer.print_string(f" {self.operation} ")
        printer.print_list([self.ptr, self.val], printer.print_ssa_value)
        print_scope(printer, self.syncscope)
        print_ordering(printer, self.ordering)
        _print_attributes(printer, self)
        printer.print_string(" : ")
        printer.print_list([self.ptr.type, self.val.type], printer.print_attribute)


@irdl_op_definition
class AtomicCmpXchgOp(IRDLOperation):
    """Stores `val` where memory holds `cmp`; returns the old value and whether it was stored.

    `%r = llvm.cmpxchg %p, %cmp, %val syncscope("device") acq_rel monotonic : !llvm.ptr<1>, i32` has
    the result type `!llvm.struct<(i32, i1)>`. The second ordering applies if the comparison fails.
    """

    name = "llvm.cmpxchg"

    ptr = operand_def(LLVMPointerType)
    cmp = operand_def()
    val = operand_def()
    success_ordering = prop_def(IntegerAttr[I64])
    failure_ordering = prop_def(IntegerAttr[I64])
    syncscope = opt_prop_def(StringAttr)
    alignment = opt_prop_def(IntegerAttr)
    weak = opt_prop_def(UnitAttr)
    volatile_ = opt_prop_def(UnitAttr)
    res = result_def(LLVMStructType)

    def __init__(
        self,
        ptr: Value,
        cmp: Value,
        val: Value,
        success_ordering: AtomicOrdering,
        failure_ordering: AtomicOrdering,
        syncscope: str | None = None,
        alignment: int | None = None,
        *,
        weak: bool = False,
        volatile: bool = False,
    ):
        super().__init__(
            operands=[ptr, cmp, val],
            result_types=[_pair(SSAValue.get(val).type)],
            properties={
                "success_ordering": _code(success_ordering),
                "failure_ordering": _code(failure_ordering),
                "syncscope": _scope(syncscope),
                "alignment": _alignment(alignment),
                "weak": _unit(weak),
                "volatile_": _unit(volatile),
            },
        )

    def verify_(self) -> None:
        if self.cmp.type != self.val.type or self.res.type != _pair(self.val.type):
            raise VerifyException(
                "expected the two values to have one type, and the result to be "
                "a struct of that type and i1"
            )
        success = AtomicOrdering.from_code(self.success_ordering.value.data)
        failure = AtomicOrdering.from_code(self.failure_ordering.value.data)
        too_weak = (AtomicOrdering.NOT_ATOMIC, AtomicOrdering.UNORDERED)
        if success in too_weak or failure in too_weak:
            raise VerifyException("ordering must be at least 'monotonic'")
        if failure in (AtomicOrdering.RELEASE, AtomicOrdering.ACQ_REL):
            raise VerifyException("failure ordering cannot be 'release' or 'acq_rel'")

    @classmethod
    def parse(cls, parser: Parser) -> "AtomicCmpXchgOp":
        weak = parser.parse_optional_keyword("weak") is not None
        volatile = parser.parse_optional_keyword("volatile") is not None
        names = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        if len(names) != 3:
            parser.raise_error("expected a pointer, a value to compare and a value to store")
        scope = parse_scope(parser)
        properties: dict[str, Attribute] = {
            "success_ordering": parse_ordering(parser),
            "failure_ordering": parse_ordering(parser),
        }
        if scope is not None:
            properties["syncscope"] = scope
        if weak:
            properties["weak"] = UnitAttr()
        if volatile:
            properties["volatile_"] = UnitAttr()
        attributes = parser.parse_optional_attr_dict()
        if (alignment := attributes.pop("alignment", None)) is not None:
            properties["alignment"] = alignment
        parser.parse_punctuation(":")
        ptr_type = parser.parse_type()
        parser.parse_punctuation(",")
        type = parser.parse_type()
        operands = [
            parser.resolve_operand(name, t)
            for name, t in zip(names, (ptr_type, type, type), strict=True)
        ]
        return cls.create(
            operands=operands,
            result_types=[_pair(type)],
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        for keyword, present in (("weak", self.weak), ("volatile", self.volatile_)):
            if present is not None:
                printer.print_string(f" {keyword}")
        printer.print_string(" ")
        printer.print_list([self.ptr, self.cmp, self.val], printer.print_ssa_value)
        print_scope(printer, self.syncscope)
        print_ordering(printer, self.success_ordering)
        print_ordering(printer, self.failure_ordering)
        _print_attributes(printer, self)
        printer.print_string(" : ")
        printer.print_list([self.ptr.type, self.val.type], printer.print_attribute)


def _pair(type: Attribute) -> LLVMStructType:
    return LLVMStructType.from_type_list([type, i1])
