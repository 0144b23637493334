"""Types with and without `!cuda_tile.` in the custom syntax: the same operations."""

import re
from collections.abc import Iterator

import pytest

from tests.unit.tools import REPOSITORY
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS

FOLDER = REPOSITORY / "tests" / "filecheck" / "dialects" / "cuda_tile"
PAGES = sorted(FOLDER.glob("ops_*.mlir"))
TEXTS = {
    **{page.name: page.read_text(encoding="utf-8") for page in PAGES},
    **{name: k.text_path.read_text(encoding="utf-8") for name, k in KERNELS.items()},
}
SHORT = re.compile(
    r"(?<![\w.!@%#\"])(?:(?:tile|ptr|partition_view|strided_view|gather_scatter_view|tensor_view)"
    r"(?=<)|token(?![\w =]*=)(?! *=))"
)


def statements(text: str) -> Iterator[str]:
    for line in text.splitlines():
        yield line.partition("//")[0]


def in_full(line: str) -> str:
    """The line with `!cuda_tile.` in front of every type behind the colon or in a signature."""
    place = 0 if "entry" in line or "(%" in line else line.find(" : ")
    arrow = line.find("->")
    place = arrow if place < 0 else place
    if place < 0:
        return line
    return line[:place] + SHORT.sub(lambda found: f"!cuda_tile.{found[0]}", line[place:])


SOME_KERNELS = [pytest.param(name, marks=pytest.mark.one_in(12)) for name in KERNELS]


@pytest.mark.parametrize("name", [*(page.name for page in PAGES), *SOME_KERNELS])
def test_types_in_full(name: str):
    text = "\n".join(statements(TEXTS[name]))
    full = "\n".join(map(in_full, text.splitlines()))
    assert full.count("!cuda_tile.") > text.count("!cuda_tile.")
    assert tools.to_text(tools.parse(full)) == tools.to_text(tools.parse(text))


TOKENS = (
    "make_token : TOKEN",
    "join_tokens %t, %t : TOKEN",
    "load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, TOKEN",
    "load_ptr_tko weak %p token = %t : tile<ptr<f32>> -> tile<f32>, TOKEN",
    "store_ptr_tko weak %p, %x : tile<ptr<f32>>, tile<f32> -> TOKEN",
    "atomic_rmw_tko relaxed device %p, addf, %x : tile<ptr<f32>>, tile<f32> -> tile<f32>, TOKEN",
    "atomic_cas_tko relaxed device %p, %x, %x : tile<ptr<f32>>, tile<f32> -> tile<f32>, TOKEN",
    "gdc_wait_tko token = %t -> TOKEN",
    "gdc_launch_dependents_tko -> TOKEN",
    'print_tko "a" -> TOKEN',
)


@pytest.mark.parametrize("spelling", ["token", "!cuda_tile.token", "!alias"])
@pytest.mark.parametrize("statement", TOKENS)
def test_tokens(statement: str, spelling: str):
    def module(token: str) -> str:
        results = "%a, %b" if "f32>, TOKEN" in statement else "%b"
        return (
            "!alias = !cuda_tile.token\n"
            "cuda_tile.module @m { entry @k(%p: tile<ptr<f32>>) { %t = make_token : token\n"
            "%x = constant <f32: 1.0> : tile<f32>\n"
            f"{results} = {statement.replace('TOKEN', token)}\nreturn }} }}"
        )

    expected = tools.to_text(tools.parse(module("token")))
    assert tools.to_text(tools.parse(module(spelling))) == expected


@pytest.mark.parametrize("wrong", ["i32", "tokens", "!cuda_tile.tile<f32>", ""])
def test_no_token(wrong: str):
    text = f'cuda_tile.module @m {{ entry @k() {{ %t = print_tko "a" -> {wrong}\nreturn }} }}'
    with pytest.raises(Exception, match="expected 'token'"):
        tools.parse(text)
