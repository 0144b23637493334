"""When the library verifies what its passes leave."""

from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tileir_xdsl.dialects.nv_tileaa.core import FuncOp, ReturnOp
from tileir_xdsl.runtime import lowering
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.lowering import VERIFY_EACH_VARIABLE, lower
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS
from tileir_xdsl.transforms.pipeline_road import Step, steps


def functions(module: ModuleOp) -> list[FuncOp]:
    return [op for op in module.walk() if isinstance(op, FuncOp)]


@dataclass(frozen=True)
class DropTerminators(ModulePass):
    """Leaves invalid IR."""

    name: ClassVar[str] = "drop-terminators"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            last = function.body.block.last_op
            assert last is not None
            last.detach()
            last.erase()


@dataclass(frozen=True)
class AddTerminators(ModulePass):
    """Makes it valid again."""

    name: ClassVar[str] = "add-terminators"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            function.body.block.add_op(ReturnOp())


def lower_through(monkeypatch: pytest.MonkeyPatch, *broken: ModulePass, **options: Any) -> None:
    first, *rest = steps("sm_80")
    road = [first, *(Step(p.name, first.level, lambda p=p: p) for p in broken), *rest]
    if len(broken) == 1:
        road = road[:2]

    def steps_to(*_arguments: object, **_options: object) -> list[Step]:
        return road

    monkeypatch.setattr(lowering, "steps_to", steps_to)
    module = tools.parse(KERNELS["vector_add"].text_path.read_text())
    lower(tools.context(), module, "nv_tileas", gpu="sm_80", file="k.mlir", **options)


def test_the_module_is_verified_at_the_end(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(VERIFY_EACH_VARIABLE, "0")
    lower_through(monkeypatch, DropTerminators(), AddTerminators())
    with pytest.raises(InputError):
        lower_through(monkeypatch, DropTerminators())


def test_or_after_every_pass_on_demand(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(VERIFY_EACH_VARIABLE, raising=False)
    with pytest.raises(InputError):
        lower_through(monkeypatch, DropTerminators(), AddTerminators(), verify_each=True)
    monkeypatch.setenv(VERIFY_EACH_VARIABLE, "1")
    with pytest.raises(InputError):
        lower_through(monkeypatch, DropTerminators(), AddTerminators())
