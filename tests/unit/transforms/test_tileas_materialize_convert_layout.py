"""Plans of layout conversions: which is written, that the lowering follows it, and what is refused."""

import json
from pathlib import Path

import numpy as np
import pytest
from xdsl.utils.exceptions import PassFailedException

from tests.unit.transforms.convert_tileas_to_llvm.shared_memory.test_layout_conversions import (
    kernel,
)
from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.dialects.nv_tileas import ConvertLayoutOp
from tileir_xdsl.layout.constructors import blocked
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS
from tileir_xdsl.transforms.pipeline_road import passes

PASS = "tileas-materialize-convert-layout"

WIDE, NARROW = blocked((256,), 4, 1), blocked((256,), 2, 1)
SWAPPED = LinearLayout((2, 1, 128), WIDE.lane, (), (), (256,))

STRATEGIES = {
    "registers": (WIDE, SWAPPED),
    "shuffle": (NARROW, WIDE),
    "shared_memory": (blocked((1024,), 1, 1), blocked((1024,), 4, 1)),
}


def planned(source: LinearLayout, target: LinearLayout, options: str = "") -> ConvertLayoutOp:
    """The conversion of a kernel of f32, with its plan."""
    module = tools.run_passes(tools.parse(kernel(source, target, "f32")), PASS + options)
    (op,) = (op for op in module.walk() if isinstance(op, ConvertLayoutOp))
    return op


def plan_of(op: ConvertLayoutOp) -> str:
    assert op.atom_plan is not None
    return op.atom_plan.data.value


def lowered_by(strategy: str, source: LinearLayout, target: LinearLayout) -> str:
    """PTX of a conversion whose plan somebody has written."""
    text = kernel(source, target, "f32").replace(
        '"nv_tileas.convert_layout"(%x)',
        f'"nv_tileas.convert_layout"(%x) <{{atom_plan = #nv_tileas.atom_plan<{strategy}>}}>',
    )
    return emit(tools.run_passes(tools.parse(text), f"{PASS},{tools.TO_LLVM}"), "sm_90a")


def moves(ptx: str) -> str:
    """The way that PTX goes."""
    if "shfl" in ptx:
        return "shuffle"
    return "shared_memory" if ".shared" in ptx else "registers"


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_cheapest_way_is_written_and_gone(strategy: str):
    op = planned(*STRATEGIES[strategy])
    assert plan_of(op) == strategy
    assert moves(lowered_by(strategy, *STRATEGIES[strategy])) == strategy


@pytest.mark.parametrize(
    ("strategy", "pair"),
    [(strategy, pair) for pair in STRATEGIES for strategy in STRATEGIES],
)
def test_another_way_gives_the_same_tile(strategy: str, pair: str):
    source, target = STRATEGIES[pair]
    if strategy == "registers" and pair != "registers":
        with pytest.raises(PassFailedException, match="between these layouts by registers"):
            lowered_by(strategy, source, target)
        return
    ptx = lowered_by(strategy, source, target)
    assert moves(ptx) == strategy
    given = np.random.default_rng(1).random(source.size).astype(np.float32)
    found = np.zeros_like(given)
    emulator.load(ptx).launch(
        "k", (1, 1, 1), [given.copy(), found], late=True, races=True, warp_seed=1
    )
    np.testing.assert_array_equal(found, given)


def test_the_most_shuffles():
    assert plan_of(planned(NARROW, WIDE, "{reg2reg-vec-size=8}")) == "shuffle"
    assert plan_of(planned(NARROW, WIDE, "{reg2reg-vec-size=7}")) == "shared_memory"
    assert plan_of(planned(NARROW, WIDE, "{reg2reg-vec-size=0}")) == "shared_memory"
    with pytest.raises(PassFailedException, match="reg2reg-vec-size must not be negative"):
        planned(NARROW, WIDE, "{reg2reg-vec-size=-1}")


def test_no_plan():
    with pytest.raises(PassFailedException) as failure:
        planned(blocked((256,), 2, 2), WIDE)
    assert failure.value.args == ("failed to query target spec for convert_layout",)


def test_report(tmp_path: Path):
    path = tmp_path / "plans.json"
    planned(NARROW, WIDE, f'{{explain="{path}"}}')
    (decisions,) = json.loads(path.read_text())["functions"].values()
    assert decisions == [
        {
            "tile": "256xf32",
            "plan": "shuffle",
            "costs": {"shuffle": 32, "shared_memory": 32},
        }
    ]


@pytest.mark.parametrize("name", ("softmax_f32", "matmul_f16"))
def test_every_conversion_of_a_kernel_has_a_plan(name: str):
    module = tools.parse(KERNELS[name].text_path.read_text())
    context = tools.context()
    for module_pass in passes("sm_80"):
        module_pass.apply(context, module)
        if module_pass.name == PASS:
            break
    conversions = [op for op in module.walk() if isinstance(op, ConvertLayoutOp)]
    module.verify()
    assert tools.to_text(tools.parse(tools.to_text(module))) == tools.to_text(module)
    assert all(op.atom_plan is not None for op in conversions if "smem" not in str(op))
