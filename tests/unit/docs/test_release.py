"""What keeps a checkout from being published."""

from pathlib import Path

import pytest

from docs import release
from tests.unit.tools import REPOSITORY
from tileir_xdsl.cli.main import main

PROJECT = '[project]\nversion = "1.2.0"\n'


def test_the_installed_version():
    assert release.version_problems(PROJECT, "1.2.0") == []
    assert release.version_problems(PROJECT, "1.1.0") == [
        "pyproject.toml has 1.2.0, installed is 1.1.0"
    ]


@pytest.mark.parametrize(
    ("changelog", "problems"),
    [
        ("# Changes\n\n## 1.2.0\n\n## 1.1.0\n", []),
        ("# Changes\n\n## 1.2.0 (2027-01-04)\n", []),
        ("## Unreleased\n\n## 1.2.0\n", ["the first heading is 'Unreleased', not that of 1.2.0"]),
        ("# Changes\n", ["the first heading is 'none', not that of 1.2.0"]),
    ],
)
def test_the_heading_of_the_changes(changelog: str, problems: list[str]):
    assert release.changelog_problems(changelog, "1.2.0") == problems


def test_the_modules_that_write_pages_are_found():
    assert {"api", "conversion", "gpu", "grammar", "lowering"} <= {*release.page_writers()}
    assert "release" not in release.page_writers()


def test_one_version(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        main(["--version"])
    wanted = release.declared(Path(REPOSITORY, "pyproject.toml").read_text("utf-8"))
    assert f" {wanted}, " in capsys.readouterr().out
