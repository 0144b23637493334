"""Which MMAs pairs of CTAs do together, and what says so."""

import re
from collections.abc import Callable, Iterable

import pytest
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.utils.exceptions import PassFailedException

from tests.unit.tools import REPOSITORY
from tests.unit.transforms.accumulator_changes import read_in_between
from tileir_xdsl.diagnostics import REMARKS_ATTRIBUTE
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.explain.report import collecting_reports
from tileir_xdsl.testing import tools

EXAMPLE = REPOSITORY / "tests" / "filecheck" / "transforms" / "tileas-select-cta-group.mlir"
PASS = "tileas-select-cta-group"


def program() -> str:
    """A product with seven stages in a cluster of two CTAs that have the same columns."""
    return EXAMPLE.read_text()


def run(text: str, options: str = "") -> ModuleOp:
    return tools.run_passes(tools.parse(text), PASS + options)


def groups(module: ModuleOp) -> list[int | None]:
    """The `cta_group` of all MMAs and of the loads in stages."""
    ops = (op for op in module.walk() if isinstance(op, MMAOp | nv_tileas.AsyncTiledTmaLoadOp))
    return [None if op.cta_group is None else op.cta_group.value.data for op in ops]


def stages(module: ModuleOp) -> list[int]:
    """The stages of the pipeline, and those that its buffers hold."""
    (pipeline,) = (op for op in module.walk() if isinstance(op, nv_tileas.CreatePipelineOp))
    types: Iterable[object] = (view.type for view in pipeline.buffer_views)
    held = [type.get_shape()[0] for type in types if isinstance(type, TensorType)]
    return [pipeline.num_stages.value.data, *held]


def test_a_pair_has_more_stages():
    module = run(program())
    assert groups(module) == [2, 2, 2]
    assert stages(module) == [8, 8, 8]
    assert REMARKS_ATTRIBUTE not in module.attributes


@pytest.mark.parametrize(("limit", "count"), [(1, 7), (7, 7), (8, 8)])
def test_stages_that_are_asked_for(limit: int, count: int):
    """They are no fewer than the pipelines were planned with."""
    assert stages(run(program(), f"{{num-stages={limit}}}")) == [count] * 3


@pytest.mark.parametrize("buffer", ["7x128x64", "7x64x128"])
def test_memory_that_others_use_too_holds_as_many_stages_as_before(buffer: str):
    """That of one operand decides for both."""
    alloc = re.search(rf"(%\d+) = nv_tileas.alloc_tensor : (tensor<{buffer}xbf16.*)\n", program())
    assert alloc is not None
    user = f'"test.op"({alloc[1]}) : ({alloc[2]}) -> ()\n'
    module = run(program().replace(alloc[0], alloc[0] + user))
    assert groups(module) == [2, 2, 2]
    assert stages(module) == [7, 7, 7]


def test_what_is_written_stays():
    text = program().replace(
        "atom = #nv_tileas<atom umma_bf16_bf16_f32>",
        "atom = #nv_tileas<atom umma_bf16_bf16_f32>, cta_group = 1 : i32",
    )
    assert groups(run(text)) == [1, None, None]


def test_what_is_written_of_one_mma_stays_for_all():
    """Who writes the group of one has planned the kernel."""
    (line,) = (line for line in program().splitlines() if " = nv_tileas.async.dot " in line)
    _, operation = line.split(" = ", 1)
    atom = "atom = #nv_tileas<atom umma_bf16_bf16_f32>"
    other = f"%other = {operation.replace(atom, f'{atom}, cta_group = 1 : i32')}"
    for lines in ((line, other), (other, line)):
        written = groups(run(program().replace(line, "\n".join(lines))))
        assert sorted(written, key=str) == [1, None, None, None]


def without_cluster(text: str) -> str:
    return text.replace("nv_tileaa.cluster_shape = array<i32: 2, 1>, ", "")


def of_columns(text: str) -> str:
    return text.replace("array<i32: 2, 1>", "array<i32: 1, 2>")


def loaded_alone(text: str) -> str:
    return text.replace("num_multicast = 2 : i32, multicast_stride = 1 : i32, ", "")


def in_different_loops(text: str) -> str:
    """The second CTA goes on for longer."""
    return re.sub(
        r"(%for\w*, %for\w* = scf\.for %\w+ = )%\w+( to %\w+ step %\w+ iter_args\(%iterArg)",
        r"\1%cta_row\2",
        text,
        count=1,
    )


REASONS: tuple[tuple[Callable[[str], str], str, bool], ...] = (
    (without_cluster, "a tile block is one CTA", False),
    (of_columns, "the cluster has an odd number of CTA rows", False),
    (loaded_alone, "the CTAs of a pair do not load the same columns of B", True),
    (read_in_between, "an accumulator is read while MMAs add to it", True),
    (in_different_loops, "a loop bound or condition differs between the CTAs of a pair", True),
)
"""What is changed, why there are no pairs then, and whether a remark says so."""


@pytest.mark.parametrize(("change", "reason", "is_said"), REASONS)
def test_why_there_are_no_pairs(change: Callable[[str], str], reason: str, is_said: bool):
    text = change(program())
    assert text != program()
    with collecting_reports() as reports:
        module = run(text, '{explain="<collected>"}')
    assert groups(module) == [None] * 3 and stages(module) == [7, 7, 7]
    ((decision,),) = reports[0].functions.values()
    assert decision["strategy"] == "one_cta" and decision["pruned"] == {"pair_of_ctas": reason}
    said = str(module.attributes.get(REMARKS_ATTRIBUTE, ""))
    assert (f"each CTA of a cluster multiplies alone: {reason}" in said) == is_said
    with pytest.raises(PassFailedException, match=f"cannot be issued for a pair of CTAs: {reason}"):
        run(text, f'{{force="#{number(decision)}=pair_of_ctas"}}')


def number(decision: object) -> int:
    found = re.search(r"#(\d+) nv_tileas.async.dot", str(decision))
    assert found is not None
    return int(found[1])


@pytest.mark.parametrize(
    ("force", "message"),
    [
        (
            "#0=one_cta",
            "'nv_tileas.alloc_tensor' op has no choice between one CTA and a pair: only MMAs have one",
        ),
        ("#73=two", "has no choice 'two', expected one of one_cta, pair_of_ctas"),
    ],
)
def test_what_cannot_be_forced(force: str, message: str):
    with pytest.raises(PassFailedException, match=re.escape(message)):
        run(program(), f'{{force="{force}"}}')
