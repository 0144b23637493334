"""Ops without code for a CPU are named, with where they are."""

import pytest
from xdsl.utils.exceptions import PassFailedException

from tests.unit.interpreters.evaluation import Tile
from tests.unit.interpreters.nv_tileaa.evaluation import program
from tests.unit.transforms.convert_tileaa_to_tilecpu.programs import PROGRAMS
from tests.unit.transforms.convert_tileaa_to_tilecpu.test_execution import parsed
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.tilecpu_road import check_covered, uncovered

TILE = Tile("64xf32")


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_that_run_on_a_cpu_are_covered(name: str):
    assert not uncovered(parsed(PROGRAMS[name]))


@pytest.mark.parametrize(
    ("body", "op_name"),
    [
        (
            "%out0 = nv_tileaa.addf %in0, %in0 rounding<zero> : tensor<64xf32>",
            "nv_tileaa.addf",
        ),
        (
            "%x = nv_tileaa.fp_to_fp %in0 : tensor<64xf32> to tensor<64xf8E4M3FN>\n"
            "%out0 = nv_tileaa.addf %in0, %in0 : tensor<64xf32>",
            "nv_tileaa.fp_to_fp",
        ),
    ],
)
def test_modifiers_and_types_without_code_are_named(body: str, op_name: str):
    module = tools.parse(program(body, [TILE], [TILE]))
    assert [each.name for each in uncovered(module)] == [op_name]
    with pytest.raises(PassFailedException, match=f"'{op_name}' has no code for a CPU"):
        check_covered(module)


def test_a_function_that_is_not_a_kernel_is_not_covered():
    text = "builtin.module { nv_tileaa.func @f(%x: i32) {\n nv_tileaa.return\n } }"
    assert [each.name for each in uncovered(tools.parse(text))] == ["nv_tileaa.func"]
