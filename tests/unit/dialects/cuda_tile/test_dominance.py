"""Use before definition is reported where the use stands."""

import pytest

from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.reader import new_context, read_text


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ("%0 = negf %b : tile<f32>\n%b = negf %a : tile<f32>", "3:1"),
        ("if %c {\n  %0 = negf %b : tile<f32>\n}\n%b = negf %a : tile<f32>", "4:3"),
    ],
)
def test_location(body: str, where: str):
    text = f"cuda_tile.module @m {{\nentry @f(%a: tile<f32>, %c: tile<i1>) {{\n{body}\n}} }}"
    with pytest.raises(InputError) as error:
        read_text(new_context(), text, "kernel.mlir")
    assert str(error.value) == (
        f"kernel.mlir:{where}: error: 'cuda_tile.negf' op operand #0 does not dominate this use"
    )
