"""Values in notebooks: what formatters get, and what they show."""

import sys
from types import SimpleNamespace
from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tests.unit.drawings.svg_reading import check_drawing
from tests.unit.drawings.test_kernel import LAST, compiled
from tileir_xdsl.drawings.colours import contrast
from tileir_xdsl.drawings.jupyter import (
    DRAWN,
    TOKEN_COLOURS,
    bundle_of,
    coloured,
    load_ipython_extension,
    register,
    show,
)
from tileir_xdsl.drawings.layouts import layout_drawing
from tileir_xdsl.drawings.timeline import Bar, Timeline
from tileir_xdsl.explain import Report
from tileir_xdsl.layout.banks import vector_access
from tileir_xdsl.layout.constructors import blocked, wgmma_accumulator
from tileir_xdsl.layout.shared import shared
from tileir_xdsl.layout.tensor_memory import tensor_memory_accumulator
from tileir_xdsl.testing.tools import parse
from tileir_xdsl.transforms.tileir_pipeline import TileIRPipelinePass

LAYOUT = blocked((16, 16), 2, 2)
VALUES = [
    LAYOUT,
    shared((16, 32), 16),
    tensor_memory_accumulator((64, 32)),
    vector_access(wgmma_accumulator((64, 64), (1, 1)), shared((64, 64), 16).address_map()),
    Timeline("agents", ("copy",), (Bar("copy", 0, 5, "load", 0),), 0, None),
    layout_drawing(LAYOUT),
]


class Formatter:
    """What a shell's formatter of mime bundles is asked for."""

    def __init__(self) -> None:
        self.types: dict[Any, Any] = {}

    def for_type(self, kind: type, function: Any) -> None:
        self.types[kind] = function


def shell_with(formatter: Formatter) -> SimpleNamespace:
    return SimpleNamespace(display_formatter=SimpleNamespace(mimebundle_formatter=formatter))


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_values_are_drawn(value: Any):
    bundle = bundle_of(value)
    assert set(bundle) == {"image/svg+xml", "text/plain"}
    check_drawing(DRAWN[type(value)](value))
    shown: Any = show(value)
    assert shown._repr_mimebundle_() == bundle
    assert shown._repr_html_() == bundle["image/svg+xml"]
    assert repr(show(value)) == bundle["text/plain"]


def test_a_drawing_shows_itself():
    drawing = layout_drawing(LAYOUT)
    assert drawing._repr_mimebundle_() == bundle_of(drawing)  # pyright: ignore[reportPrivateUsage]


def test_reports_are_text():
    report = Report("some-pass")
    report.add("kernel", why="a < b")
    assert "why: a &lt; b" in bundle_of(report)["text/html"]


def test_passes_are_named_with_their_options():
    text = bundle_of(TileIRPipelinePass(gpu="sm_100a", opt_level=0))["text/plain"]
    spec, documentation = text.splitlines()
    assert spec.startswith("tileir-pipeline{") and 'gpu="sm_100a" opt-level=0' in spec
    assert documentation == "Compiles all kernels of a module for one target."


def test_a_module_is_text_with_drawings():
    module = compiled("divisible/matmul_f16_warpgroup.mlir", "sm_90a", LAST)
    bundle = bundle_of(module)
    assert bundle["text/plain"] == str(module)
    html = bundle["text/html"]
    assert html.count("<svg") == 5
    assert "agents of @matmul_f16_warpgroup" in html
    assert " more lines</summary>" in html


def test_a_module_without_drawings_is_text():
    html = bundle_of(parse("builtin.module {}"))["text/html"]
    assert "<svg" not in html
    assert '<span style="color: #00694d">builtin.module</span>' in html


def test_lines_are_escaped_and_coloured():
    assert coloured("%x = a.b @f : tensor<4xf32> // <") == (
        '<span style="color: #005a8f">%x</span> = <span style="color: #00694d">a.b</span> '
        '<span style="color: #8a3d00">@f</span> : tensor&lt;4xf32&gt; '
        '<span style="color: #595959">// &lt;</span>'
    )


def test_colours_read_on_white():
    assert min(contrast(colour, "#ffffff") for colour in TOKEN_COLOURS.values()) >= 4.5


def test_other_values_are_refused():
    with pytest.raises(TypeError, match="expected a module, report, layout"):
        show(3)


def test_the_extension_registers_every_type():
    formatter = Formatter()
    load_ipython_extension(shell_with(formatter))
    assert set(formatter.types) == {*DRAWN, Report, ModuleOp, ModulePass}
    assert formatter.types[type(LAYOUT)](LAYOUT, None, None) == bundle_of(LAYOUT)


def test_registering_needs_a_notebook(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    with pytest.raises(RuntimeError, match="no IPython is running"):
        register()
    formatter = Formatter()
    running = SimpleNamespace(get_ipython=lambda: shell_with(formatter))
    monkeypatch.setitem(sys.modules, "IPython", running)  # pyright: ignore[reportArgumentType]
    register()
    assert formatter.types
