"""`docs/report_schema.md` lists the fields of version 1, and nothing else."""

import json
import re

import pytest

from docs.report_schema import PARTS, json_type, page
from tests.unit.report.explained import SAXPY, report_of
from tests.unit.tools import REPOSITORY
from tileir_xdsl.report import schema
from tileir_xdsl.report.files import json_text

PAGE = (REPOSITORY / "docs" / "report_schema.md").read_text()


def documented(part: str) -> list[str]:
    """The fields in the table under a heading."""
    (section,) = re.findall(rf"\n## {part}\n(.*?)(?=\n## |\Z)", PAGE, re.DOTALL)
    return re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__)
def test_the_fields_are_documented(part: type):
    assert sorted(documented(part.__name__)) == sorted(schema.fields_in_json(part))


def test_every_part_is_documented():
    headings = set(re.findall(r"^## (\w+)$", PAGE, re.MULTILINE)) - {"Ids"}
    assert headings == {part.__name__ for part in PARTS}


def test_the_page_is_up_to_date():
    assert page() == PAGE, "run python -m docs.report_schema"


@pytest.mark.parametrize(
    ("annotation", "name"),
    [
        ("tuple[str, ...]", "strings"),
        ("Sequence[Line] | None", "Lines or null"),
        ("Sequence[Mapping[str, ReportValue]]", "objects"),
        ("Mapping[str, str | None]", "object"),
        ("tuple[int, ...]", "integers"),
    ],
)
def test_types(annotation: str, name: str):
    assert json_type(annotation) == name


def test_json_has_the_fields_of_every_part():
    report = json.loads(json_text(report_of(SAXPY)))
    assert report["schema"] == "tileir-report" and report["version"] == 1
    assert set(report) == set(documented("CompilationReport"))
    for phase in report["phases"]:
        assert set(phase) == set(documented("Phase"))
        for decision in phase["decisions"]:
            assert set(decision) == set(documented("Decision"))
            assert all(set(c) == set(documented("Candidate")) for c in decision["candidates"])
        for line in phase["lines"] or ():
            assert {"text", "ids", "spans"} <= set(line) <= set(documented("Line"))
    assert set(report["resources"]) == set(documented("Resources"))


def test_a_line_says_where_values_stand():
    line = schema.Line("%x = f %y", ("o1",), (schema.Span(0, 2, "v0"),), 4)
    assert schema.as_json(line) == {
        "text": "%x = f %y",
        "ids": ["o1"],
        "spans": [[0, 2, "v0"]],
        "number": 4,
    }
    assert "number" not in schema.as_json(schema.Line("}"))
