"""A language of an extension: scripts that import its package are served as those of cuTile."""

import sys
from pathlib import Path

import pytest

from tests.unit.cli.test_python import python
from tileir_xdsl import joining
from tileir_xdsl.cli.main import main
from tileir_xdsl.extensions import Extension, ServedPackage
from tileir_xdsl.options import OptionError

PACKAGE = "def launch(kernel, grid, *arguments):\n    raise RuntimeError('there is no GPU')\n"

LANGUAGE = '''
import inspect

import tileir_xdsl as tileir
from tileir_xdsl import bytecode, samples
from tileir_xdsl.extensions import Extension, ServedPackage
from tileir_xdsl.frontends.interface import Launch, Source, Specialization
from tileir_xdsl.frontends.patching import patched


class Language:
    """Its kernels are functions that say the name of a sample."""

    def install(self, handler):
        import tiny

        def launch(kernel, grid, *arguments):
            return handler.launched(Launch(self, kernel, grid, arguments))

        return patched(tiny, {"launch": launch})

    def source(self, kernel):
        file, line = inspect.getsourcefile(kernel), inspect.getsourcelines(kernel)[1]
        return Source(kernel.__name__, file, line, kernel, self, kernel)

    def specialize(self, kernel, arguments, gpu):
        module = tileir.load(samples.path(kernel()), gpu).module
        return Specialization(bytecode.write(module, "13.3"), tileir.Options(), None)

    def execute(self, launch, **_given):
        print("launched", launch.kernel.__name__, launch.grid, *launch.arguments)


EXTENSION = Extension("tiny", frontends=(ServedPackage("tiny", Language().install),))
'''

SCRIPT = """import tiny


def mine():
    return "saxpy"


tiny.launch(mine, (4, 1, 1), 7)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the package, the extension that serves it, and a script."""
    for name, text in (("tiny", PACKAGE), ("language", LANGUAGE), ("k", SCRIPT)):
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_script_runs(folder: Path):
    assert "there is no GPU" in python(folder, "k.py").stderr
    done = python(folder, "--with", "language.py", "k.py")
    assert (done.returncode, done.stdout) == (0, "launched mine (4, 1, 1) 7\n"), done.stderr


@pytest.mark.usefixtures("forgotten_extensions")
@pytest.mark.parametrize("options", [["--with", "language.py"], ["--options", "options.json"]])
def test_a_launch_is_compiled(options: list[str], folder: Path, capsys: pytest.CaptureFixture[str]):
    (folder / "options.json").write_text('{"extensions": ["language.py"]}')
    try:
        assert main(["compile", "k.py", *options, "--gpu", "sm_90a"]) == 0
    finally:
        sys.modules.pop("tiny", None)
    assert ".visible .entry saxpy(" in capsys.readouterr().out


@pytest.mark.usefixtures("forgotten_extensions")
def test_two_extensions_serve_one_package():
    served = ServedPackage("tiny", lambda handler: lambda: None)
    joining.register(Extension("first", frontends=(served,)))
    with pytest.raises(OptionError, match="package 'tiny' is served by extension 'first'"):
        joining.register(Extension("second", frontends=(served,)))
