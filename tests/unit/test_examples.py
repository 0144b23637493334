"""The examples of packages pass their own tests, without being installed."""

from pathlib import Path

import pytest

from tests.examples import EXAMPLES, pytest_command, run_from_source


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_an_example_passes_its_tests(example: Path, tmp_path: Path):
    done = run_from_source(example, pytest_command(example), tmp_path)
    assert done.returncode == 0, done.stdout


def test_a_test_that_fails_is_told(tmp_path: Path):
    """A package whose test fails unless its entry point is found."""
    example, folder = tmp_path / "example", tmp_path / "empty"
    (example / "tests").mkdir(parents=True)
    folder.mkdir()
    (example / "pyproject.toml").write_text(
        '[project]\nname = "example"\nversion = "1"\n'
        '[project.entry-points."some.group"]\nsome = "example:THING"\n'
    )
    (example / "example.py").write_text("THING = 3\n")
    (example / "tests" / "test_it.py").write_text(
        "from importlib.metadata import entry_points\n"
        "def test_found():\n    (point,) = entry_points(group='some.group')\n"
        "    assert point.load() == 3\n"
        "def test_wrong():\n    assert False\n"
    )
    done = run_from_source(example, pytest_command(example), folder)
    assert done.returncode == 1 and "1 failed, 1 passed" in done.stdout
