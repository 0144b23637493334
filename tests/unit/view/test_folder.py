"""What a folder has to show, and what of it is left out."""

from pathlib import Path

import pytest

from tileir_xdsl.view.folder import Kind, entries, kind_of


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.mlir", Kind.KERNEL),
        ("a.tilebc", Kind.KERNEL),
        ("a b.tileirbc", Kind.KERNEL),
        ("report.json", Kind.REPORT),
        ("a.report.json", Kind.REPORT),
        (".hidden.mlir", None),
        ("a.json", None),
        ("a.py", None),
        ("mlir", None),
    ],
)
def test_kinds(name: str, kind: Kind | None):
    assert kind_of(name) is kind


def test_entries(tmp_path: Path):
    folder = tmp_path / "folder"
    (folder / "below").mkdir(parents=True)
    (folder / "dir.mlir").mkdir()
    for place in ("folder/a.mlir", "folder/below/b.mlir", "outside.mlir", "folder/a.txt"):
        (tmp_path / place).write_text(place)
    (folder / "inside.mlir").symlink_to(folder / "below" / "b.mlir")
    (folder / "outside.mlir").symlink_to(tmp_path / "outside.mlir")
    (folder / "nowhere.mlir").symlink_to(tmp_path / "nowhere")
    found = entries(folder)
    assert list(found) == ["a.mlir", "inside.mlir"]
    assert found["a.mlir"].path == (folder / "a.mlir").resolve()


@pytest.mark.parametrize("script", ["k.py", "k.py:add"])
def test_a_script_alone(script: str, tmp_path: Path):
    """Only the script that is named, which a reader so has executed."""
    for name in ("k.py", "other.py", "a.mlir"):
        (tmp_path / name).write_text(name)
    (found,) = entries(tmp_path, script).values()
    assert (found.name, found.path, found.kind) == (script, tmp_path / "k.py", Kind.KERNEL)
    assert not entries(tmp_path, "gone.py")


def test_state_changes_with_the_contents(tmp_path: Path):
    file = tmp_path / "a.mlir"
    file.write_text("one")
    before = entries(tmp_path)
    assert entries(tmp_path) == before
    file.write_text("three")
    assert entries(tmp_path) != before


def test_no_folder(tmp_path: Path):
    with pytest.raises(FileNotFoundError):
        entries(tmp_path / "missing")
