"""The pages of the site: what is made from code has all of it; what a site must not have is found.

`make docs` builds it, where every link is checked.
"""

import re
from pathlib import Path

import pytest

from docs.site import command_line, diagnostics, dialects, notebooks, passes
from docs.site.causes import Part, Rule, part_of, parts, rule_of
from docs.site.checking import MAX_BYTES, problems_of
from docs.site.messages import FILLED, messages
from docs.site.staging import CONFIGURATION, all_pages, for_mkdocs, with_folders
from tests.notebooks import FOLDER
from tileir_xdsl.cli.main import COMMANDS
from tileir_xdsl.universe import DIALECTS, UNIVERSE

MAX_TABLE = 7_000
"""Characters of a table; larger ones are split by family."""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return all_pages(tmp_path_factory.mktemp("pages"))


def test_every_page_has_a_place(pages: dict[str, str], tmp_path: Path):
    """Those that the configuration does not name are placed by their folder."""
    for name in pages:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "docs" / "new.md").write_text("")
    text = with_folders(CONFIGURATION.read_text(), tmp_path)
    placed = re.findall(r"^ *- (?:[^:\n]+: )?(\S+\.md)$", text, re.MULTILINE)
    assert sorted(placed) == sorted([*pages, "docs/new.md"])


def test_tables_are_short(pages: dict[str, str]):
    found = {
        f"{name}: {table[:60]}": len(table)
        for name, text in pages.items()
        for table in re.findall(r"(?:^\|[^\n]*\n)+", text, re.MULTILINE)
    }
    assert {where: size for where, size in found.items() if size > MAX_TABLE} == {}


@pytest.mark.parametrize("name", DIALECTS)
def test_every_op_type_and_attribute_is_there(name: str):
    page, dialect = dialects.pages()[f"{dialects.FOLDER}/{name}.md"], DIALECTS[name]()
    titles = set(re.findall(r"^### `(.+)`$", page, re.MULTILINE))
    assert titles == {one.name for one in (*dialect.operations, *dialect.attributes)}


def test_an_op_says_what_it_takes():
    page = dialects.pages()[f"{dialects.FOLDER}/nv_tileaa.md"]
    (section,) = re.findall(r"^### `nv_tileaa.addf`\n(.*?)^#", page, re.DOTALL | re.MULTILINE)
    assert "| operand | `lhs` |" in section and "| result | `result` |" in section


def test_every_pass_is_there_with_its_options():
    page = passes.page(Path("docs/passes"))
    assert re.findall(r"^## `(.+)`$", page, re.MULTILINE) == list(UNIVERSE.all_passes)
    assert "| `num-stages` | `int` | `8` |" in page
    empty = re.findall(r"^\| `[\w-]+` \| `[^`]+` \| [^|]*\|  \|$", page, re.MULTILINE)
    assert not empty, empty


def test_every_command_is_there():
    page = command_line.page()
    assert re.findall(r"^## `tileir (\w+)`$", page, re.MULTILINE) == list(COMMANDS)
    assert "usage: tileir check" in page and "--races" in page


def test_every_message_is_in_the_index():
    made, found = diagnostics.pages(), messages()
    assert len(found) > 1000
    for message in found:
        page = made[f"{diagnostics.FOLDER}/{part_of(message.module).name}.md"]
        assert f"- `{message.text.replace('`', chr(39))}`" in page, message


@pytest.mark.parametrize(
    ("text", "module", "cure"),
    [
        (f"there is no kernel '{FILLED}', only {FILLED}", "runtime/program.py", "did you mean"),
        (f"type '{FILLED}' requires bytecode version {FILLED}", "bytecode/types.py", "newer"),
        ("race: two accesses are not ordered", "emulator/races/detector.py", "barrier, wait"),
        (f"'{FILLED}' op has no candidate '{FILLED}'", "transforms/x.py", "explain"),
        (f"tile would exceed the maximum of {FILLED}", "dialects/cuda_tile/types.py", "in a loop"),
        (f"Incompatibility with architecture '{FILLED}'", "transforms/x.py", "--gpu"),
    ],
)
def test_causes(text: str, module: str, cure: str):
    assert cure in rule_of(part_of(module), text).cure


def test_the_last_rule_of_a_part_takes_all():
    assert all(not part.rules[-1].pattern for part in parts())
    assert all(rule.pattern for part in parts() for rule in part.rules[:-1])


def test_no_rule_is_idle():
    found = {(part_of(m.module).name, rule_of(part_of(m.module), m.text)) for m in messages()}
    assert {(part.name, rule) for part in parts() for rule in part.rules} == found


@pytest.mark.parametrize(
    ("part", "rule"),
    [(part, rule) for part in parts() for rule in part.rules],
    ids=[f"{part.name}-{n}" for part in parts() for n, _ in enumerate(part.rules)],
)
def test_an_example_is_a_message_of_its_rule(part: Part, rule: Rule):
    said = rule.example.partition("error: ")[2]
    alike = [
        message
        for message in messages()
        if part_of(message.module) is part and rule_of(part, message.text) is rule
    ]
    forms = [".+".join(map(re.escape, message.text.split(FILLED))) for message in alike]
    assert any(re.fullmatch(form, said) for form in forms if form.strip(".+ "))
    page = diagnostics.pages()[f"{diagnostics.FOLDER}/{part.name}.md"]
    assert f"**Example.** `{rule.example}`" in page


def test_notebooks_are_pages_with_pictures(tmp_path: Path):
    page = notebooks.page(FOLDER / "03_layouts.ipynb", tmp_path / "drawings")
    pictures = re.findall(r'src="drawings/(.+?)" alt="(.+?)"', page)
    assert pictures and all((tmp_path / "drawings" / name).exists() for name, _ in pictures)
    assert "```python\n" in page and "```text\n" in page and ".ipynb" not in page


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n- b\n  c\n", "a\n\n- b\n    c\n"),
        (
            "1. a\n\n   ```\n    x\n   ```\n\nb\n   c\n",
            "1. a\n\n    ```\n     x\n    ```\n\nb\n   c\n",
        ),
        ("[a](../docs/passes) [b](LICENSE)\n", "[a](../docs/passes) b\n"),
        ("see [n](../notebooks/03_layouts.ipynb)\n", "see [n](../notebooks/03_layouts.md)\n"),
        ("```mlir schematic\n```\n", '```mlir title="schematic"\n```\n'),
    ],
)
def test_markdown(text: str, expected: str):
    assert for_mkdocs(text) == expected


def test_what_a_site_must_not_have(tmp_path: Path):
    (tmp_path / "search").mkdir()
    index = tmp_path / "search" / "search_index.json"
    index.write_text("{}")
    page = tmp_path / "index.html"
    page.write_text('<a href="https://a.example"></a><script src="local.js"></script>')
    assert problems_of(tmp_path) == []
    page.write_text('<script async src="https://a.example/x.js"></script>')
    (tmp_path / "site.css").write_text("@font-face { src: url(//b.example/font) }")
    assert problems_of(tmp_path) == [
        "index.html: loads https://a.example/x.js",
        "site.css: loads //b.example/font",
    ]
    index.write_bytes(b" " * (MAX_BYTES + 1))
    assert "expected at most" in problems_of(tmp_path)[0]
    index.unlink()
    assert "nothing to search" in problems_of(tmp_path)[0]
