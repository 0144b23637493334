"""Puts the pages of the site together: those of the repository, and those made from code."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from docs.site import command_line, diagnostics, dialects, moved, notebooks, passes
from docs.site.searching import boosted

REPOSITORY = Path(__file__).resolve().parents[2]
CONFIGURATION = Path(__file__).with_name("mkdocs.yml")
ROOT_PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
SECTIONS = {
    "Add an op": "how_to/add_an_op.md",
    "Add a strategy": "how_to/add_a_strategy.md",
    "Add a pass": "how_to/add_a_pass.md",
    "Add a target": "how_to/add_a_target.md",
}
"""Sections of CONTRIBUTING.md that are pages of their own as well, with the edits they link to."""
EDITS = re.compile(r"\]\((docs/examples/\w+\.diff)\)")


def stage(folder: Path) -> Path:
    """Writes all pages into a folder, which is emptied; returns the configuration to build with."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, text in all_pages(folder).items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(boosted(name, for_mkdocs(text)), encoding="utf-8")
    shutil.copy(Path(__file__).with_name("site.css"), folder)
    (folder / "moved.js").write_text(moved.script(moved.moved()), encoding="utf-8")
    pictures = "docs/pictures"
    shutil.copytree(REPOSITORY / pictures, folder / pictures)
    configuration = folder.with_suffix(".yml")
    text = CONFIGURATION.read_text(encoding="utf-8").replace("../../build/", "")
    configuration.write_text(with_folders(text, folder), encoding="utf-8")
    return configuration


def all_pages(folder: Path) -> dict[str, str]:
    """The pages by path; pictures of notebooks are written into the folder."""
    made = {name: (REPOSITORY / name).read_text(encoding="utf-8") for name in ROOT_PAGES}
    for path in sorted((REPOSITORY / "docs").rglob("*.md")):
        if path.name == "README.md":  # of a folder that is no page, such as an extension
            continue
        made[str(path.relative_to(REPOSITORY))] = path.read_text(encoding="utf-8")
    for title, name in SECTIONS.items():
        made[name] = _section(made["CONTRIBUTING.md"], title)
    found = sorted((REPOSITORY / "notebooks").glob("*.ipynb"))
    for notebook in found:
        drawings = folder / "notebooks" / "drawings"
        made[f"notebooks/{notebook.stem}.md"] = notebooks.page(notebook, drawings)
    made["notebooks/index.md"] = notebooks.index(found)
    made["docs/passes/index.md"] = _listed("Passes, at length", "docs/passes", made)
    made["docs/lowering/index.md"] = _listed("One op in, instructions out", "docs/lowering", made)
    made["reference/command_line.md"] = command_line.page()
    made["reference/passes.md"] = passes.page(REPOSITORY / "docs" / "passes")
    return made | dialects.pages() | diagnostics.pages()


def _section(text: str, title: str) -> str:
    """A section of CONTRIBUTING.md as a page."""
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    assert found is not None, title
    edits = [(REPOSITORY / name).read_text("utf-8") for name in EDITS.findall(found[1])]
    body = re.sub(r"\]\((?!http|#)", "](../", found[1])
    return f"# {title}\n{body}" + "".join(f"\n```diff\n{edit}```\n" for edit in edits)


def _listed(title: str, folder: str, made: dict[str, str]) -> str:
    lines = [f"# {title}", ""]
    for name, text in made.items():
        if name.startswith(f"{folder}/"):
            heading = text.splitlines()[0].removeprefix("# ")
            lines.append(f"- [{heading}]({name.removeprefix(f'{folder}/')})")
    return "\n".join(lines) + "\n"


def with_folders(configuration: str, folder: Path) -> str:
    """The configuration with a place in it for the pages that are not named one by one."""

    def entries(indent: str, where: str, but: str = "") -> str:
        names = sorted(str(path.relative_to(folder)) for path in (folder / where).glob("*.md"))
        return "\n".join(f"{indent}- {name}" for name in names if name != but)

    index = "          - docs/passes/index.md"
    listed = entries("          ", "docs/passes", "docs/passes/index.md")
    configuration = configuration.replace(index, f"{index}\n{listed}")
    for title, where in (
        ("Dialects", "reference/dialects"),
        ("Diagnostics", "reference/diagnostics"),
    ):
        line = f"      - {title}: {where}.md"
        inner = f"      - {title}:\n          - {where}.md\n{entries('          ', where)}"
        configuration = configuration.replace(line, inner)
    unplaced = sorted(
        name
        for name in (str(path.relative_to(folder)) for path in folder.glob("docs/*.md"))
        if not re.search(rf"\s{re.escape(name)}$", configuration, re.MULTILINE)
    )
    more = "\n".join(["      - More:", *(f"          - {name}" for name in unplaced)])
    configuration = configuration.replace("      - More: more\n", f"{more}\n" if unplaced else "")
    line = "      - Lowering: lowering"
    return configuration.replace(
        line, f"      - Lowering:\n{entries('          ', 'docs/lowering')}"
    )


FENCE = re.compile(r"\s*```")
LIST_ITEM = re.compile(r"(\s*)(?:[-*]|\d+\.) ")


def for_mkdocs(text: str) -> str:
    """A page in the Markdown that mkdocs reads.

    A list begins after an empty line, and what belongs to an item is indented by four. Links to
    folders and notebooks lead to their pages, and those to files that are no pages are text. What
    is schematic says so.
    """
    text = re.sub(r"\]\(((?:docs/)?passes|notebooks)\)", r"](\1/index.md)", text)
    text = re.sub(r"(\]\([\w/.]*notebooks/\w+)\.ipynb", r"\1.md", text)
    text = re.sub(r"^( *```\w+) schematic$", r'\1 title="schematic"', text, flags=re.MULTILINE)
    text = re.sub(r"\[([^]]+)\]\((?:LICENSE|[\w/.]+\.(?:py|diff))\)", r"\1", text)
    return "\n".join(_lines(text.splitlines())) + "\n"


def _lines(lines: list[str]) -> Iterator[str]:
    in_fence, width, before = False, 0, ""
    for line in lines:
        if FENCE.match(line):
            in_fence = not in_fence
        item = None if in_fence else LIST_ITEM.match(line)
        if item is not None and not width and before.strip():
            yield ""
        if item is not None and not item[1]:
            width = len(item[0])
        elif not in_fence and line.strip() and not line.startswith(" ") and not before.strip():
            width = 0
        indent = len(line) - len(line.lstrip(" "))
        yield " " * (4 - width) + line if width and indent >= width else line
        before = line
