"""Passes that change functions one by one, and a runner that skips functions without their ops.

Most passes of the pipeline change a few ops that most kernels do not have. `tileir_xdsl/passes.py`
lists these ops. `SkippingRunner` keeps an index of the ops in every function, and runs a pass only
on functions that have one of its ops.
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

    The pass may read the rest of the module, but not change it.
    """

    @property
    def op_names(self) -> frozenset[str]:
        """The ops that the pass changes; it skips functions without any of them."""
        names = PASSES[self.name].op_names
        assert names is not None
        return names

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        self.apply_to(op, (op,))

    @abstractmethod
    def apply_to(self, module: ModuleOp, scopes: Sequence[Operation]) -> None:
        """Changes `scopes`: functions of the module, or the whole module."""


def functions_in(scopes: Iterable[Operation]) -> Iterator[FuncOp]:
    """The functions among scopes, and in modules among them."""
    for scope in scopes:
        if isinstance(scope, FuncOp):
            yield scope
        else:
            yield from (op for op in ops_in(scope) if isinstance(op, FuncOp))


@dataclass
class FunctionIndex:
    """A cache of the op names in each function of a module."""

    module: ModuleOp
    _scopes: Sequence[Operation] | None = None
    _names: dict[Operation, frozenset[str]] = field(default_factory=dict[Operation, frozenset[str]])

    def scopes_with(self, names: frozenset[str]) -> list[Operation]:
        """The functions with an op among `names`, in the order of the module."""
        return [scope for scope in self.scopes() if not names.isdisjoint(self.names_in(scope))]

    def scopes(self) -> Sequence[Operation]:
        """The functions of the module; the module itself if there are ops outside of functions."""
        # Passes of other kinds may replace functions; an erased one has no parent.
        if self._scopes is None or any(map(self._is_gone, self._scopes)):
            self._names.clear()
            self._scopes = _scopes(self.module)
        return self._scopes

    def _is_gone(self, scope: Operation) -> bool:
        """Whether a function has been erased from the module."""
        return scope is not self.module and scope.parent is None

    def forget(self, scopes: Iterable[Operation]) -> None:
        """Drops the cached names of functions whose ops have changed."""
        for scope in scopes:
            self._names.pop(scope, None)

    def forget_all(self) -> None:
        """Clears the cache, after functions may have been added or erased."""
        self._scopes = None
        self._names.clear()

    def names_in(self, scope: Operation) -> frozenset[str]:
        """The names of the ops of a function, its own included."""
        names = self._names.get(scope)
        if names is None:
            names = self._names[scope] = frozenset(op.name for op in ops_in(scope))
        return names


def _scopes(module: ModuleOp) -> list[Operation]:
    """The functions of a module; the module itself if it has ops other than symbols."""
    functions: list[Operation] = []
    for op in _in_modules(module):
        if isinstance(op, FuncOp):
            functions.append(op)
        # Ops outside of functions, as tests have them, are in the scope of the module only.
        elif op.regions or not op.has_trait(SymbolOpInterface):
            return [module]
    return functions


def _in_modules(module: ModuleOp) -> Iterator[Operation]:
    """The ops in the body of a module, and of modules nested in it."""
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
        """The ops of each function, up to date between passes."""

    def may_change(self, op_names: frozenset[str] | None) -> bool:
        """Whether any function has an op among `op_names`; None stands for any op."""
        return op_names is None or bool(self.index.scopes_with(op_names))

    def __call__(self, module_pass: ModulePass) -> None:
        """Runs a pass on the functions that have one of its ops."""
        # Such a pass may have changed anything.
        if not isinstance(module_pass, FunctionPass):
            module_pass.apply(self._context, self._module)
            self.index.forget_all()
            return
        scopes = self.index.scopes_with(module_pass.op_names)
        if scopes:
            module_pass.apply_to(self._module, scopes)
            self.index.forget(scopes)
