"""Two reports side by side."""

from typing import Any

from tests.unit.report.page.samples import line, phase, report
from tileir_xdsl.view.comparison import earlier_texts, instruction_rows, rows


def ptx(*texts: str) -> dict[str, Any]:
    """The PTX of a report."""
    return {"title": "k.ptx", "language": "ptx", "lines": [line(text) for text in texts]}


def decision(chosen: str | None, facts: dict[str, Any], **scores: float) -> dict[str, Any]:
    """A decision among candidates with scores."""
    candidates = [
        {"name": name, "score": score, "pruned": None, "force": None}
        for name, score in scores.items()
    ]
    return {"chosen": chosen, "candidates": candidates, "facts": facts}


WIDE = ptx(".version 8.0", "\tld.global.v4.b32 {%r1}, [%rd1];", "\t@%p1 bra L;", "L:", "\tret;")
NARROW = ptx("\tld.global.b32 %r1, [%rd1];", "\t@!%p1 ld.global.b32 %r1, [%rd1];", "\tret;")


def test_instructions():
    found = instruction_rows(report(ptx=WIDE), report(ptx=NARROW))
    assert found == [("bra", 1, 0), ("ld.global.b32", 0, 2), ("ld.global.v4.b32", 1, 0)]
    assert instruction_rows(report(ptx=WIDE), report(ptx=WIDE)) == []


def test_numbers():
    chose = phase(1, "assign", None) | {"decisions": [decision("a", {}, a=2.5, b=9.0)]}
    planned = phase(2, "schedule", None) | {"decisions": [decision(None, {"interval": 681})]}
    resources = {"registers": {"predicted": 20, "actual": None}, "spills": 4, "limit": "threads"}
    before = report(ptx=WIDE, phases=[chose], resources=resources)
    after = report(ptx=NARROW, phases=[chose, planned], resources=None)
    assert rows(before, after) == [
        ("score of what assign chose", 2.5, 2.5),
        ("instructions of PTX", 3, 3),
        ("registers, predicted", 20, None),
        ("spills", 4, None),
        ("limited by", "threads", None),
        ("cycles of an iteration, loop 1", None, 681),
    ]


def test_earlier_texts():
    first, second = [line("a")], [line("b")]
    phases = [
        phase(0, "read", [line("source")]),
        phase(1, "convert", first) | {"level": "nv_tileaa"},
        phase(2, "cse", None) | {"level": "nv_tileaa"},
        phase(3, "lower", second) | {"level": "nv_tileas"},
    ]
    found = earlier_texts(report(phases=phases, ptx=WIDE))
    assert [(text["title"], text["lines"]) for text in found] == [
        ("nv_tileaa", first),
        ("nv_tileas", second),
        ("PTX", WIDE["lines"]),
    ]
