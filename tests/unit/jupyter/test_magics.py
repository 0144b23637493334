"""The magics on good and odd cells: what each shows, leaves behind, and says where it fails."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.unit.jupyter.cells import KERNEL, MASK, PATTERN, Notebook, extension_file

MARKING = """\
from xdsl.dialects.builtin import UnitAttr
from xdsl.passes import ModulePass

class Mark(ModulePass):
    name = "mark"
    def apply(self, ctx, op):
        for each in op.walk():
            if each.name == "OP":
                each.attributes["mine"] = UnitAttr()
"""


@pytest.fixture
def notebook() -> Notebook:
    notebook = Notebook()
    notebook.run(f"%%tileir scale\n{KERNEL}")
    return notebook


def test_ir_is_bound_and_shown_in_colours(notebook: Notebook):
    (output,) = notebook.run(f"%%tileir again\n{KERNEL}")
    assert '<span style="color: #00694d">cuda_tile.divf</span>' in "".join(
        output["data"]["text/html"]
    )
    assert str(notebook.module("again")) == "".join(output["data"]["text/plain"])


def test_passes_run_on_ir(notebook: Notebook):
    shown = notebook.text(f"%%tileir low -p convert-cuda-tile-to-tileaa,canonicalize\n{KERNEL}")
    assert "nv_tileaa.divf" in shown and "nv_tileaa.divf" in str(notebook.module("low"))
    assert "nv_tileaa.divf" in notebook.text("%%tileir\n" + str(notebook.module("low")))


@pytest.mark.usefixtures("forgotten_extensions")
def test_ops_of_extensions_are_read_and_completed(notebook: Notebook, tmp_path: Path):
    cell = f"%%tileir --with {extension_file(tmp_path)}\n{MASK}"
    assert "%y = my_name.is_zero %x : i32" in notebook.text(cell)
    (matcher,) = notebook.shell.Completer.custom_matchers
    text = "%%tileir\n%y = my_name.is"
    cursor = SimpleNamespace(full_text=text, cursor_line=1, cursor_position=len(text) - 9)
    assert [one.text for one in matcher(cursor)["completions"]] == ["my_name.is_zero"]


def test_remarks_of_passes_are_printed(notebook: Notebook):
    hinted = KERNEL.replace(
        "entry @scale(%x: tile<ptr<f32>>)",
        "entry @scale(%x: tile<ptr<f32>>) optimization_hints=<sm_90 = {num_cta_in_cga = 2}>",
    )
    shown = notebook.text(f"%%tileir -p tileir-pipeline{{gpu=sm_90a}}\n{hinted}")
    assert shown.startswith("<%%tileir 2>:") and ": remark: " in shown


@pytest.mark.parametrize(
    ("line", "old", "new", "expected"),
    [
        ("", "divf", "divff", ":6:5: error: Operation divff is not registered, did you mean 'divf'?"),
        ("", "tile<f32>\n    %t", "tile<f64>\n    %t", ":6:15: error: use of value '%a' expects"),
        ("", "%b token", "%q token", ":7:33: error: use of undeclared SSA value name"),
        ("-p nothing", "", "", "-p: error: there is no pass 'nothing'"),
        ("-p fuse-fma{a=1}", "", "", "-p: error: pass 'fuse-fma' has no option 'a', it has none"),
        ("-p fuse-fma{", "", "", "-p: error: "),
        ("-p convert-tileas-to-llvm", "", "", ":2:1: error: 'cuda_tile.module' op is at another"),
        ("--with nothing", "", "", "extensions=nothing: error: there is no extension of this name"),
        ("a-b", "", "", "%%tileir: error: expected a Python identifier as the name of the module, got 'a-b'"),
        ("a b", "", "", "%%tileir: error: unrecognized arguments: b"),
        ("--passe x", "", "", "error: unrecognized arguments: --passe, did you mean '--passes'?"),
        ("'a", "", "", "%%tileir: error: no closing quotation"),
    ],
)  # fmt: skip
def test_ir_fails_with_one_diagnostic(
    notebook: Notebook, line: str, old: str, new: str, expected: str
):
    before = dict(notebook.names)
    first, *lines = notebook.diagnostic(f"%%tileir {line}\n{KERNEL.replace(old, new)}")
    assert expected in first
    if first.startswith("<"):
        number, caret = lines[0].partition(" | ")[0], lines[1]
        assert f":{number}:" in first and caret.strip(" |") == "^"
    assert notebook.names == before


def test_a_pattern_shows_what_it_changes(notebook: Notebook):
    shown = notebook.text(f"%%pass --check\n{PATTERN}")
    assert shown.startswith(
        "multiply-by-inverse: 1 lines removed, 2 added; kernels compute the same\n@@"
    )
    assert "\n-      %b = cuda_tile.divf %a, %eight  : tile<f32>" in shown
    assert "cuda_tile.divf" in str(notebook.module("scale"))


def test_a_change_is_drawn(notebook: Notebook):
    (output,) = notebook.run(f"%%pass\n{PATTERN}")
    html = "".join(output["data"]["text/html"])
    assert html.count("background: #fbe4e4") == 1 and html.count("background: #e2f3e6") == 2


def test_a_pass_of_a_cell_has_a_name_for_other_cells(notebook: Notebook):
    notebook.run(f"%%pass --name inverse\n{PATTERN}")
    assert "cuda_tile.mulf" in notebook.text(f"%%tileir -p inverse\n{KERNEL}")


def test_a_whole_pass_is_run(notebook: Notebook):
    cell = f"""%%pass --on scale
{PATTERN}
from xdsl.passes import ModulePass
class NothingPass(ModulePass):
    name = "nothing"
    def apply(self, ctx, op): pass
"""
    assert notebook.text(cell) == "nothing: unchanged"


def test_a_pass_is_run_on_a_kernel_of_the_zoo(notebook: Notebook):
    assert notebook.text(f"%%pass --on vector_add\n{PATTERN}") == "multiply-by-inverse: unchanged"


def test_a_pass_is_run_on_a_program(notebook: Notebook):
    notebook.run("import tileir_xdsl as tileir\nprogram = tileir.load(scale, 'sm_90a')")
    assert "cuda_tile.mulf" in notebook.text(f"%%pass --on program\n{PATTERN}")


def test_a_wrong_pass_is_named(notebook: Notebook):
    wrong = PATTERN.replace("1 / value", "1 + value")
    (first,) = notebook.diagnostic(f"%%pass --check\n{wrong}")
    assert "changes what kernel 'scale' computes" in first


@pytest.mark.parametrize(
    ("line", "cell", "expected"),
    [
        ("", "x = 1", "%%pass: error: expected a subclass of RewritePattern or ModulePass"),
        ("", "x = 1(", "<%%pass 2>:2:6: error: '(' was never closed"),
        ("--on scal", "x = 1", "scal: error: no value of the notebook, kernel of the zoo or file has this name, did you mean 'scale'?"),
        ("--on KERNEL", PATTERN, "KERNEL: error: expected a module, a program, IR text or a path, got int"),
        ("", PATTERN.replace("inverse = ConstantOp", "op.operands = (); return; inverse = ConstantOp"), "op expected 2 operands, but found 0"),
        ("", f"{PATTERN}\n    def __init__(self, value): pass", "%%pass: error: MultiplyByInverse must need no arguments, but needs value"),
    ],
)  # fmt: skip
def test_a_pass_fails_with_one_diagnostic(notebook: Notebook, line: str, cell: str, expected: str):
    notebook.names["KERNEL"] = 3
    assert expected in notebook.diagnostic(f"%%pass {line}\n{cell}")[0]


@pytest.mark.parametrize(
    ("place", "op"),
    [
        ("--before convert-cuda-tile-to-tileaa", "cuda_tile.divf"),
        ("--after convert-cuda-tile-to-tileaa", "nv_tileaa.divf"),
        ("--instead-of canonicalize", "nv_tileaa.divf"),
        ("--before tileas-insert-barriers", "nv_tileaa.divf"),
    ],
)
@pytest.mark.usefixtures("forgotten_extensions")
def test_a_pass_with_a_place_is_run_there(notebook: Notebook, place: str, op: str):
    shown = notebook.text(f"%%pass {place}\n{MARKING.replace('OP', op)}")
    first, *lines = shown.splitlines()
    assert first == "mark: 1 lines removed, 1 added; extension 'mark' of this notebook"
    assert [f" = {op} " in line and "mine" in line for line in lines if line[0] == "+"] == [True]


@pytest.mark.usefixtures("forgotten_extensions")
def test_a_pass_with_a_place_is_an_extension(notebook: Notebook):
    notebook.run(f"%%pass --before convert-cuda-tile-to-tileaa\n{PATTERN}")
    shown = notebook.text("%explain scale --with multiply-by-inverse --pass multiply-by-inverse")
    assert shown == "multiply-by-inverse (cuda_tile)"
    notebook.run(
        "import tileir_xdsl as tileir\n"
        "options = tileir.Options(extensions=('multiply-by-inverse',))\n"
        "ptx = tileir.compile(scale, 'sm_90a', options=options)"
    )
    assert notebook.text("%%filecheck ptx\nCHECK-NOT: div.rn") == "1 checks pass\n"
    # The cell again, with other code: another extension of the same name.
    notebook.run(
        f"%%pass --on scale --before convert-cuda-tile-to-tileaa\n{PATTERN.replace('1 / value', '0.5')}"
    )
    notebook.run("ptx = tileir.compile(scale, 'sm_90a', options=options)")
    assert (
        notebook.text("%%filecheck ptx\nCHECK: mul.rn.f32 {{.*}}, 0f3F000000;") == "1 checks pass\n"
    )


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("--after nothing", "--after nothing: error: the program has no remaining pass of this name"),
        ("--after tileas-slicing:9", "did you mean 'tileas-slicing:2', 'tileas-slicing' or"),
        ("--after canonicalize --before canonicalize", "argument --before: not allowed with argument --after"),
        ("--after canonicalize --name fuse-fma", "pass 'fuse-fma' has the name of a pass of tileir_xdsl"),
        ("--after canonicalize --name 'a b'", "error: extension 'a b': expected a name of letters, digits, _ and -"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("forgotten_extensions")
def test_a_place_fails_with_one_diagnostic(notebook: Notebook, line: str, expected: str):
    assert expected in notebook.diagnostic(f"%%pass {line}\n{PATTERN}")[0]


def test_an_error_in_the_code_of_a_pass_keeps_its_traceback(notebook: Notebook):
    with pytest.raises(ZeroDivisionError):
        notebook.run(f"%%pass\n{PATTERN.replace('1 / value', '1 / 0')}")


def test_the_last_module_is_checked(notebook: Notebook):
    notebook.run(f"%%pass\n{PATTERN}")
    checks = "CHECK: cuda_tile.mulf\nCHECK-NOT: divf\n"
    assert notebook.text(f"%%filecheck\n{checks}") == "2 checks pass\n"
    first, line, caret, *notes = notebook.diagnostic(f"%%filecheck scale\n// {checks}")
    assert first.endswith('>:2:1: error: Couldn\'t match "cuda_tile.mulf".')
    assert (line, caret) == ("2 | // CHECK: cuda_tile.mulf", "  | ^")
    assert notes[0].startswith("Current position at input:")


def test_ptx_is_checked(notebook: Notebook):
    notebook.run("import tileir_xdsl as tileir\nptx = tileir.compile(scale, 'sm_90a')")
    assert notebook.text("%%filecheck ptx --prefix PTX\nPTX: div.rn.f32") == "1 checks pass\n"


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("%%filecheck\nnone", "<%%filecheck 2>: error: No check strings found with prefix CHECK:"),
        ("%%filecheck no/such\nCHECK: x", "no/such: error: no value of the notebook, kernel of"),
        ("%explain no/such", "no/such: error: no value of the notebook, kernel of"),
        ("%explain scale --pass layouts", "%explain: error: no pass 'layouts' has run"),
        ("%explain scale --force x", "--force x: error: expected PASS{force=#NUMBER=CHOICE}"),
        ("%explain scale --gpu sm_1", "error: unknown target 'sm_1'"),
        ("%explain scale --with nothing", "extensions=nothing: error: there is no extension"),
        ("%explain scale --nothing", "%explain: error: unrecognized arguments: --nothing"),
    ],
)
def test_other_magics_fail_with_one_diagnostic(notebook: Notebook, cell: str, expected: str):
    assert expected in notebook.diagnostic(cell)[0]


def test_without_a_module_there_is_none():
    expected = "%%filecheck: error: there is no module yet: name one, or begin with %%tileir"
    assert Notebook().diagnostic("%%filecheck\nCHECK: x") == [expected]


def test_a_kernel_is_explained(notebook: Notebook, tmp_path: Path):
    report = tmp_path / "report.json"
    (output,) = notebook.run(f"%explain scale --gpu sm_90a -o {report}")
    assert "sm_90a" in "".join(output["text"])
    assert report.read_text("utf-8").startswith('{"file":"scale"')


def test_the_decisions_of_a_pass_are_shown(notebook: Notebook):
    shown = notebook.text("%explain vector_add --pass tileas-assign-load-store-layouts")
    assert shown.startswith("tileas-assign-load-store-layouts (nv_tileas)\n@vector_add #12 ")
    forced = "tileas-assign-load-store-layouts{force=#12=ldg_64}"
    assert f"\n  ldg_64 290, by --force {forced}\n" in shown
    cell = f"%explain vector_add --pass tileas-assign-load-store-layouts --force {forced}"
    assert ": ldg_64 (instruction)" in notebook.text(cell)


def test_a_cutile_kernel_is_explained_for_its_arguments(notebook: Notebook):
    notebook.run(
        "from tileir_xdsl.testing.kernels.vector_add import vector_add\n"
        "import numpy as np\na = np.zeros(64, np.float32)"
    )
    assert "sm_90a" in notebook.text("%explain vector_add (a, a, a, 32) --gpu sm_90a")
