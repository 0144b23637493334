"""PTX text as data: what the parser returns. Nothing here depends on a launch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from tileir_xdsl.emulator.types import ScalarType

StateSpace = Literal["shared", "local", "global", "const", "param"]


@dataclass(frozen=True, slots=True)
class Register:
    """A declared register; a name declared inside braces carries a suffix that makes it unique."""

    name: str


@dataclass(frozen=True, slots=True)
class SpecialRegister:
    """A predefined read-only register such as `%tid.x`."""

    name: str


@dataclass(frozen=True, slots=True)
class Symbol:
    """The address of a variable or of a kernel parameter, plus `offset` bytes."""

    name: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class LabelReference:
    """The target of a branch."""

    name: str


@dataclass(frozen=True, slots=True)
class Integer:
    """An integer constant; `signed` is its type in a constant expression, `.s64` or `.u64`."""

    value: int
    signed: bool = field(default=True, compare=False)


@dataclass(frozen=True, slots=True)
class Float:
    """A floating-point constant; a PTX floating-point literal is a 64-bit number."""

    value: float


@dataclass(frozen=True, slots=True)
class FloatBits:
    """A constant given by its bits: `0fXXXXXXXX` (32) or `0dXXXXXXXXXXXXXXXX` (64)."""

    pattern: int
    bits: int


@dataclass(frozen=True, slots=True)
class Sink:
    """The operand `_`, which discards a result."""


@dataclass(frozen=True, slots=True)
class Negated:
    """The operand `!p` or, if `arithmetic`, `-a`."""

    operand: Operand
    arithmetic: bool = False


@dataclass(frozen=True, slots=True)
class Selected:
    """The operand `a.b0` or `a.h10`: bytes or half words of a register, for video instructions."""

    operand: Operand
    selector: str


@dataclass(frozen=True, slots=True)
class Pair:
    """`d|p`: two destinations."""

    first: Operand
    second: Operand


@dataclass(frozen=True, slots=True)
class Vector:
    """`{a, b, ...}`."""

    elements: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Address:
    """The operand `[base+offset]`; `further` has the operands after a comma in the brackets."""

    base: Operand
    offset: int
    further: tuple[Operand, ...] = ()


@dataclass(frozen=True, slots=True)
class FunctionReference:
    """The name of a called function."""

    name: str


Operand = (
    Register
    | SpecialRegister
    | Symbol
    | LabelReference
    | Integer
    | Float
    | FloatBits
    | Sink
    | Negated
    | Selected
    | Pair
    | Vector
    | Address
    | FunctionReference
)


@dataclass(frozen=True, slots=True)
class Guard:
    """`@p` or `@!p`."""

    register: str
    negated: bool


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction: `mnemonic` is the opcode with its qualifiers, `text` the source text."""

    mnemonic: str
    operands: tuple[Operand, ...]
    guard: Guard | None
    line: int
    text: str

    @property
    def opcode(self) -> str:
        return self.mnemonic.split(".", 1)[0]


@dataclass(frozen=True, slots=True)
class Label:
    """A position in a body; `targets` are the entries of a `.branchtargets` list."""

    name: str
    line: int
    targets: tuple[LabelReference, ...] = ()


@dataclass(frozen=True, slots=True)
class InitialAddress:
    """A part of an initial value: bytes of the generic address of `symbol` plus `added`."""

    position: int
    symbol: str
    added: int
    first: int = 0
    size: int = 8


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable outside registers.

    `offset` is the byte offset in the state space (of the module or the kernel). `size` counts
    bytes: 0 for an `extern` array without extent. `element` is the size of one element, which may
    be a vector. `initial` has the initial value of the first bytes, and `addresses` the addresses
    in it.
    """

    name: str
    space: StateSpace
    type: ScalarType
    alignment: int
    size: int
    line: int
    external: bool = False
    offset: int = 0
    initial: bytes = b""
    addresses: tuple[InitialAddress, ...] = ()
    element: int = 1


@dataclass(frozen=True, slots=True)
class Parameter:
    """A kernel parameter: `offset` and `size` in bytes; `extent` is the length of an array."""

    name: str
    type: ScalarType
    alignment: int
    size: int
    offset: int
    extent: int | None = None


@dataclass(frozen=True, slots=True)
class Formal:
    """A parameter or result of a function: a register, or a variable that the caller provides."""

    name: str
    space: Literal["register", "param"]
    type: ScalarType
    alignment: int
    size: int
    line: int
    extent: int | None = None


@dataclass(frozen=True)
class FunctionBody:
    """The parsed body of a function.

    `variables` are those declared in the body, without offsets yet.
    """

    registers: Mapping[str, ScalarType]
    variables: Mapping[str, Variable]
    statements: tuple[Instruction | Label, ...]


@dataclass(frozen=True)
class Function:
    """A `.func` with a body; names of parameters and results are unique in the module."""

    name: str
    line: int
    results: tuple[Formal, ...]
    parameters: tuple[Formal, ...]
    body: FunctionBody


@dataclass(frozen=True)
class Kernel:
    """An `.entry` function, with called functions inlined.

    `shared_size` counts the bytes of statically declared shared memory, module-wide variables
    included; `directives` maps performance directives (`reqntid`, `maxntid`, `reqnctapercluster`,
    ...) to their numbers.
    """

    name: str
    line: int
    parameters: tuple[Parameter, ...]
    registers: Mapping[str, ScalarType]
    variables: Mapping[str, Variable]
    body: tuple[Instruction | Label, ...]
    directives: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    shared_size: int = 0

    @property
    def called(self) -> frozenset[str]:
        """The names of called functions that the module does not define."""
        operands = (
            operand
            for statement in self.body
            if isinstance(statement, Instruction) and statement.opcode == "call"
            for operand in statement.operands
        )
        return frozenset(o.name for o in operands if isinstance(o, FunctionReference))

    @property
    def cancels_launches(self) -> bool:
        """Whether the kernel may cancel launches of blocks that have not started."""
        return any(
            isinstance(statement, Instruction) and statement.opcode == "clusterlaunchcontrol"
            for statement in self.body
        )

    @property
    def parameter_bytes(self) -> int:
        return max((p.offset + p.size for p in self.parameters), default=0)

    @property
    def local_size(self) -> int:
        """The bytes of local variables of a thread."""
        local = (v for v in self.variables.values() if v.space == "local")
        return max((v.offset + v.size for v in local), default=0)

    @property
    def reqntid(self) -> tuple[int, int, int] | None:
        """The required block shape, missing extents as 1."""
        extents = self.directives.get("reqntid")
        if extents is None:
            return None
        x, y, z = (*extents, 1, 1)[:3]
        return x, y, z


@dataclass(frozen=True)
class ModuleSyntax:
    """A parsed PTX module; `variables` are those declared outside functions."""

    version: str
    target: str
    kernels: Mapping[str, Kernel]
    variables: Mapping[str, Variable]
