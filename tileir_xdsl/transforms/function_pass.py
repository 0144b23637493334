"""Passes that change functions one by one, and the test that finds functions without work for them.

Most passes of the pipeline are about a few ops that most kernels do not have. Their names stand in
`tileir_xdsl/passes.py`. `SkippingRunner` keeps an index of the ops in every function, and gives a
pass only the functions that have one of its ops.
"""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.traits import SymbolOpInterface

from tileir_xdsl.dialects.nv_tileaa.core import FuncOp
from tileir_xdsl.passes import PASSES
from tileir_xdsl.walking import ops_in


class FunctionPass(ModulePass):
    """A pass that changes functions one by one, and only functions with one of its ops.

    It may read the rest of the module, and change nothing there.
    """

    @property
    def op_names(self) -> frozenset[str]:
        """A function without any of these ops stays as it is."""
        names = PASSES[self.name].op_names
        assert names is not None
        return names

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        self.apply_to(op, (op,))

    @abstractmethod
    def apply_to(self, module: ModuleOp, scopes: Sequence[Operation]) -> None:
        """Changes `scopes`: functions of the module, or the module itself for all that it has."""


def functions_in(scopes: Iterable[Operation]) -> Iterator[FuncOp]:
    """The functions that scopes are or have."""
    for scope in scopes:
        if isinstance(scope, FuncOp):
            yield scope
        else:
            yield from (op for op in ops_in(scope) if isinstance(op, FuncOp))


@dataclass
class FunctionIndex:
    """Which ops each function of a module has, looked up again where something has changed."""

    module: ModuleOp
    _scopes: Sequence[Operation] | None = None
    _names: dict[Operation, frozenset[str]] = field(default_factory=dict[Operation, frozenset[str]])

    def scopes_with(self, names: frozenset[str]) -> list[Operation]:
        """The functions that have an op of one of these names, in the order of the module."""
        return [scope for scope in self.scopes() if not names.isdisjoint(self.names_in(scope))]

    def scopes(self) -> Sequence[Operation]:
        """The functions, or the module itself if it has ops of its own outside of them."""
        # Passes of other kinds may replace functions; an erased one has no parent.
        if self._scopes is None or any(map(self._is_gone, self._scopes)):
            self._names.clear()
            self._scopes = _scopes(self.module)
        return self._scopes

    def _is_gone(self, scope: Operation) -> bool:
        """Whether a function was replaced by another, as when a module is compiled again."""
        return scope is not self.module and scope.parent is None

    def forget(self, scopes: Iterable[Operation]) -> None:
        """To be called when the ops of functions have changed."""
        for scope in scopes:
            self._names.pop(scope, None)

    def forget_all(self) -> None:
        """To be called when functions themselves may have come or gone."""
        self._scopes = None
        self._names.clear()

    def names_in(self, scope: Operation) -> frozenset[str]:
        """The names of the ops of a function, its own included."""
        names = self._names.get(scope)
        if names is None:
            names = self._names[scope] = frozenset(op.name for op in ops_in(scope))
        return names


def _scopes(module: ModuleOp) -> list[Operation]:
    """The functions of a module; the module itself if there is anything else but symbols."""
    functions: list[Operation] = []
    for op in _in_modules(module):
        if isinstance(op, FuncOp):
            functions.append(op)
        # Ops outside of functions, as tests have them, are in the scope of the module only.
        elif op.regions or not op.has_trait(SymbolOpInterface):
            return [module]
    return functions


def _in_modules(module: ModuleOp) -> Iterator[Operation]:
    """The ops that stand in a module, or in a module in it."""
    for op in module.ops:
        if isinstance(op, ModuleOp):
            yield from _in_modules(op)
        else:
            yield op


class SkippingRunner:
    """Runs passes on a module, each on those functions that have one of its ops."""

    def __init__(self, context: Context, module: ModuleOp):
        self._context, self._module = context, module
        self.index = FunctionIndex(module)
        """Kept up to date between passes."""

    def may_change(self, op_names: frozenset[str] | None) -> bool:
        """Whether any function has one of these ops; true for None, which names no ops."""
        return op_names is None or bool(self.index.scopes_with(op_names))

    def __call__(self, module_pass: ModulePass) -> None:
        """Runs a pass where it has anything to do."""
        # Such a pass may have changed anything.
        if not isinstance(module_pass, FunctionPass):
            module_pass.apply(self._context, self._module)
            self.index.forget_all()
            return
        scopes = self.index.scopes_with(module_pass.op_names)
        if scopes:
            module_pass.apply_to(self._module, scopes)
            self.index.forget(scopes)
