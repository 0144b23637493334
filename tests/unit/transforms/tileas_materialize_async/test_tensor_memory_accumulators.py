"""Sums in tensor memory that loops carry: form of the IR, and values in the interpreter."""

import re

import pytest

from bench.matrix_kernels import CASES
from tileir_xdsl import interpreters
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import launch_arguments
from tileir_xdsl.transforms.pipeline_road import passes
from tileir_xdsl.transforms.tileas_materialize_async import TileASMaterializeAsyncPass

FORMS: dict[str, tuple[str, ...]] = {
    "product_128x128x64": (
        r"%(?P<start>\S+) = nv_tileas\.async\.to_async %cst_0_f32",
        r"scf\.for .* iter_args\(%(?P<acc>\w+) = %(?P=start),",
        r"consumer_read",
        r"%(?P<dot>\S+) = nv_tileas\.async\.dot %\S+ %\S+ %(?P=acc) ",
        r"nv_tileas\.async\.wait %(?P=dot) ",
        r"consumer_release",
        r"scf\.yield %(?P=dot),",
        r"nv_tileas\.async\.future_wait",
    ),
    "attention_128x128x128": (
        r"nv_tileas\.async\.to_async %cst_0_f32",
        r"scf\.for",
        r"%(?P<scores>\S+) = nv_tileas\.async\.dot ",
        r"nv_tileas\.async\.future_wait %(?P=scores) ",
        r"%(?P<weights>\S+) = nv_tileaa\.fp_to_fp ",
        r"%(?P<held>\S+) = nv_tileas\.async\.future_wait %iterArg0 ",
        r"%(?P<scaled>\S+) = nv_tileaa\.mulf %(?P=held), ",
        r"%(?P<dot>\S+) = nv_tileas\.async\.dot %(?P=weights), %\S+ %(?P=scaled) ",
        r"nv_tileas\.async\.wait %(?P=dot) ",
        r"consumer_release",
        r"scf\.yield %(?P=dot),",
        r"nv_tileas\.async\.future_wait",
    ),
}
"""What stands in the IR after the pass, in this order."""


@pytest.mark.parametrize("name", FORMS)
def test_sums_stay_where_they_are(name: str):
    case = CASES[name]
    module = tools.parse(case.text_path.read_text())
    context = tools.context()
    for module_pass in passes("sm_100a"):
        module_pass.apply(context, module)
        if isinstance(module_pass, TileASMaterializeAsyncPass):
            break
    module.verify()
    assert re.search(r"(?s:.*)".join(FORMS[name]), str(module))
    arguments = case.make_arguments(case.typical)
    expected = case.expected(arguments)
    grid = case.grid(case.typical)
    interpreters.launch(module, case.name, grid, launch_arguments(arguments))
    case.check(arguments, expected)
