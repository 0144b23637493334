"""The tools of instruction selection rules: values to registers, constants and addresses.

A function is selected backwards: blocks from the last to the first, ops from the last to the first.
An op is selected after all its users. If no user requested the result of an op in a register and
the op has no effect, nothing is printed. Rules fold the ops that define their operands by not
requesting them: a constant becomes an immediate, a pointer sum an address. Dead ops disappear
without a pass.
"""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, NoReturn, cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerType, VectorType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.exceptions import DiagnosticException

from tileir_xdsl.backend.ptx.folding import KnownIntegers
from tileir_xdsl.backend.ptx.instructions import (
    Address,
    Guard,
    Instruction,
    Label,
    Line,
    Operand,
)
from tileir_xdsl.backend.ptx.registers import (
    B128,
    Component,
    Constant,
    RegisterClass,
    UnsupportedTypeError,
    component_classes,
    constant_text,
)
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects.llvm import LoadOp, StoreOp
from tileir_xdsl.dialects.nvvm.cluster_launch_control import ClusterLaunchControlQueryCancelOp
from tileir_xdsl.dialects.nvvm.requirements import Requirement, unmet_message
from tileir_xdsl.targets import PTXVersion, Target

View = Callable[["Selector", Any], "tuple[Component, ...] | None"]
"""A function that returns the components of an op's result without an instruction, or None."""

PointerView = Callable[["Selector", Any], "Address | None"]
"""A function that returns the address of an op's result, or None where it is in a register."""


class Rule(NamedTuple):
    """How an op becomes instructions; `has_effects` keeps an op whose result is unused."""

    select: "Callable[[Selector, Any], None]"
    has_effects: bool = False
    requirement: Requirement | None = None
    """The targets and versions that have the instruction; ops of `nvvm` state it themselves."""


@dataclass
class Stack:
    """The local memory of a function: one array, named `NAME` in the text."""

    size: int = 0
    alignment: int = 1
    _offsets: dict[int, int] = field(default_factory=lambda: {})

    NAME: ClassVar[str] = "__stack"

    def offset(self, op: Operation, size: int, alignment: int) -> int:
        """The byte offset of what `op` allocates; the same at every call."""
        if (offset := self._offsets.get(id(op))) is None:
            offset = self._offsets[id(op)] = -(-self.size // alignment) * alignment
            self.size = offset + size
            self.alignment = max(self.alignment, alignment)
        return offset


_REGISTERS_OF_128_BITS = Requirement(70, (8, 3))
_ON_128_BITS = (llvm.LoadOp, llvm.StoreOp, LoadOp, StoreOp, ClusterLaunchControlQueryCancelOp)
"""Ops that accept a register of 128 bits."""


class Selector:
    """Selects the instructions of one function.

    `fixed_version` is the requested PTX version. None stands for the lowest version that has all
    used instructions, but not below the target's default.
    """

    def __init__(
        self,
        target: Target,
        fixed_version: PTXVersion | None,
        views: Mapping[type[Operation | Block], View],
        pointers: Mapping[type[Operation | Block], PointerView],
    ):
        self.target = target
        self.fixed_version = fixed_version
        self.version = fixed_version or target.default_ptx_version
        self.classes: list[RegisterClass] = []
        self.lines: list[Line] = []
        self.stack = Stack()
        self.known = KnownIntegers()
        self.symbols: dict[str, int] = {}
        """The registers that hold the addresses of symbols from the function's start on."""
        self.called: set[str] = set()
        """The functions that the selected function calls."""
        self.layouts: dict[tuple[int, int], Any] = {}
        """How values are accessed in memory, by the identity of their type and the alignment."""
        self.sums: dict[int, Any] = {}
        """The offsets that `getelementptr` ops add to their pointers, by the identity of the op."""
        self.shared_terms: dict[Any, bool] = {}
        """Whether several addresses contain a product, by the product."""
        self.starts: dict[int, list[int]] = {}
        """Where the fields of a struct begin among its components, by the identity of its type."""
        self._views = views
        self._pointers = pointers
        self._values: dict[int, tuple[Component, ...]] = {}
        self._defined_by_op: set[int] = set()
        self._addresses: dict[int, Address] = {}
        self._bases: dict[int, int] = {}
        self._deferred: dict[int, list[Line]] = {}
        self._labels = 0

    # Values.

    @property
    def held(self) -> Mapping[int, tuple[Component, ...]]:
        """The components of every requested value, by the identity of the value."""
        return self._values

    def components(self, value: SSAValue) -> tuple[Component, ...]:
        """The registers and constants that hold `value`. The call marks the value as needed.

        Raises `DiagnosticException` where the value's type fits no registers.
        """
        key = id(value)
        found = self._values.get(key)
        if found is not None:
            return found
        owner = value.owner
        view = self._views.get(type(owner))
        if view is not None and (components := view(self, owner)) is not None:
            self._values[key] = components
            return components
        registers = self._registers_for(value)
        self._values[key] = registers
        self._defined_by_op.add(key)
        return registers

    def share(self, value: SSAValue, holder: SSAValue) -> None:
        """Makes an op define `value`, which nothing has requested, in the registers of `holder`.

        The caller ensures that the two values are never live at the same time.
        """
        self._values[id(value)] = self.components(holder)
        self._defined_by_op.add(id(value))

    def _registers_for(self, value: SSAValue) -> tuple[int, ...]:
        try:
            classes = component_classes(value.type)
        except UnsupportedTypeError as error:
            owner = value.owner
            name = owner.name if isinstance(owner, Operation) else "block argument"
            raise DiagnosticException(f"'{name}': {error}") from error
        if B128 in classes:
            self._check_128_bits(value)
        return tuple(map(self.fresh, classes))

    def _check_128_bits(self, value: SSAValue) -> None:
        """Raises `DiagnosticException` where an op computes with 128 bits."""
        for op in (value.owner, *(use.operation for use in value.uses)):
            if isinstance(op, Block):
                continue
            if type(op) not in _ON_128_BITS:
                self.unsupported(op, f"PTX has no arithmetic on {value.type}")
            self.require(op, _REGISTERS_OF_128_BITS)

    def component(self, value: SSAValue) -> Component:
        """The only component of a scalar."""
        (component,) = self.components(value)
        return component

    def register(self, value: SSAValue) -> int:
        """A register that holds a scalar; a constant is moved into one."""
        return self.in_register(self.component(value))

    def operand(self, value: SSAValue) -> int | str:
        """A scalar as an instruction's source: a register or an immediate."""
        return self.as_operand(self.component(value))

    def constant(self, value: SSAValue) -> Constant | None:
        """The constant that a scalar equals, if any."""
        component = self.component(value)
        return component if isinstance(component, Constant) else None

    def in_register(self, component: Component) -> int:
        """A register that holds a component."""
        if not isinstance(component, Constant):
            return component
        register = self.fresh(component.register_class)
        self.move(register, component)
        return register

    def as_operand(self, component: Component) -> int | str:
        """A component as an instruction's source: a register or an immediate."""
        if isinstance(component, Constant):
            return constant_text(component)
        return component

    def is_needed(self, op: Operation) -> bool:
        """Whether an instruction requested a result of `op` that the op itself must define."""
        return self.has_result(op) or id(op) in self._bases

    def results(self, op: Operation, index: int = 0) -> tuple[int, ...]:
        """The registers that `op` must write for result `index`; new ones if not requested."""
        components = self.components(op.results[index])
        return tuple([c for c in components if not isinstance(c, Constant)])

    def has_result(self, op: Operation) -> bool:
        """Whether the op itself must write its result, rather than only a part of it."""
        return not self._defined_by_op.isdisjoint(map(id, op.results))

    def result(self, op: Operation) -> int:
        """The register that `op` must write for its only, scalar result."""
        (result,) = op.results
        (register,) = self.components(result)
        assert not isinstance(register, Constant)
        return register

    def fresh(self, register_class: RegisterClass) -> int:
        """A new virtual register."""
        self.classes.append(register_class)
        return len(self.classes) - 1

    def symbol(self, name: str, register_class: RegisterClass) -> int:
        """The register with the address of a symbol, one for the whole function."""
        # Symbols stand in `mov` and in addresses alone: arithmetic needs a register.
        if (register := self.symbols.get(name)) is None:
            register = self.symbols[name] = self.fresh(register_class)
        return register

    def bound(self, value: SSAValue) -> tuple[Component, ...] | None:
        """The components of `value` if anything requested it."""
        return self._values.get(id(value))

    # Instructions.

    def emit(
        self,
        opcode: str,
        definitions: tuple[Operand, ...],
        *sources: Operand,
        guard: Guard | None = None,
    ) -> None:
        """Appends an instruction that writes `definitions`."""
        self.lines.append(Instruction(opcode, definitions + sources, len(definitions), guard))

    def move(self, destination: int, source: Component) -> None:
        """Copies a component into a register of the same class."""
        opcode = f"mov.{self.classes[destination].declaration}"
        operands = (destination, self.as_operand(source))
        self.lines.append(Instruction(opcode, operands, 1, is_copy=isinstance(source, int)))

    def place(self, label: str) -> None:
        """Appends a label."""
        self.lines.append(Label(label))

    def new_label(self) -> str:
        """A label unique in the function."""
        self._labels += 1
        return f"$M{self._labels}"

    def take_deferred(self, op: Operation) -> list[Line]:
        """The lines that were deferred to the position of `op`."""
        return self._deferred.pop(id(op), []) if self._deferred else []

    @contextmanager
    def at(self, op: Operation) -> Generator[None]:
        """Defers the lines emitted inside to the position of `op`."""
        outer, self.lines = self.lines, []
        yield
        inner, self.lines = self.lines, outer
        if inner:
            self._deferred.setdefault(id(op), []).extend(inner)

    # Addresses.

    def address(self, pointer: SSAValue, offset: int = 0) -> Address:
        """The operand `[base+offset]` for an access at `pointer` plus `offset` bytes."""
        found = self.pointer(pointer)
        return Address(found.base, found.offset + offset)

    def has_address(self, pointer: SSAValue) -> bool:
        """Whether the address of a pointer is known, or in a register."""
        return id(pointer) in self._addresses or id(pointer) in self._values

    def pointer(self, value: SSAValue) -> Address:
        """A pointer as a base (a register or a symbol) and a constant byte offset."""
        key = id(value)
        if (found := self._addresses.get(key)) is not None:
            return found
        owner = value.owner
        result = None
        if key in self._values:
            # A sum that needs a register anyway: use it, so that its base can die.
            pass
        elif (view := self._pointers.get(type(owner))) is not None:
            result = view(self, owner)
        if result is None:
            component = self.component(value)
            if isinstance(component, Constant):
                result = Address(constant_text(component), 0)
            else:
                result = Address(component, 0)
        self._addresses[key] = result
        return result

    def base(self, op: Operation, register_class: RegisterClass) -> int:
        """Requests the register of the part of a pointer sum that `op` computes."""
        if (register := self._bases.get(id(op))) is None:
            register = self._bases[id(op)] = self.fresh(register_class)
        return register

    def requested_base(self, op: Operation) -> int | None:
        """The register of a previous call of `base`; None if there was none."""
        return self._bases.get(id(op))

    # Checks.

    def require(self, op: Operation, requirement: Requirement) -> None:
        """Checks that the target and the PTX version meet the requirement of `op`.

        Raises `DiagnosticException` naming an op whose requirement is not met.
        """
        if not requirement.is_met_by(self.target):
            fail(op, unmet_message(op.name, requirement, self.target))
        # The lowest version that will do: older drivers load the text too.
        if requirement.ptx_version > self.version:
            if self.fixed_version is not None:
                needed, given = (
                    ".".join(map(str, v)) for v in (requirement.ptx_version, self.version)
                )
                fail(op, f"'{op.name}' needs PTX {needed} or later, not {given}")
            self.version = requirement.ptx_version

    def unsupported(self, op: Operation, reason: str) -> NoReturn:
        """Raises `DiagnosticException` naming `op`."""
        fail(op, f"'{op.name}': {reason}")


def element_type(type: Attribute) -> Attribute:
    """The element type of a vector, or the type itself."""
    # The class itself: `isinstance` on a generic attribute is slow.
    return cast(VectorType, type).element_type if type.__class__ is VectorType else type


def integer_width(type: Attribute) -> int:
    """The width of an integer or of a vector's integer elements, else 0."""
    element = element_type(type)
    return cast(IntegerType, element).width.data if element.__class__ is IntegerType else 0
