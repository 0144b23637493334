"""The command that says how much of everything agrees: its parts, its table and its log."""

from collections import Counter
from pathlib import Path

import pytest

from tests import agreement
from tests.agreement import Outcome, Subject, main, subjects


def test_every_part_has_subjects():
    found = list(subjects(agreement.PARTS, range(4)))
    counts = Counter(subject.part for subject in found)
    assert set(counts) == set(agreement.PARTS)
    assert counts["programs"] == counts["tile programs"] == 4
    assert len({s.target for s in found if s.part == "programs"}) == 4
    assert counts["zoo"] > 100 and len(set(found)) == len(found)


@pytest.mark.parametrize("part", ["programs", "tile programs"])
def test_random_programs_agree(part: str, capsys: pytest.CaptureFixture[str]):
    assert main(["--part", part, "--seeds", "1", "--first", "5"]) == 0
    last = capsys.readouterr().out.splitlines()[-1].split()
    assert last[0] == "all" and int(last[1]) + int(last[2]) == 1 and last[3:5] == ["0", "0"]


@pytest.mark.parametrize(
    ("part", "target", "name"),
    [("zoo", "sm_80", "vector_add"), ("variants", "sm_90a", "relu")],
)
def test_kernels_agree(part: str, target: str, name: str):
    outcome = agreement.run(Subject(part, target, name))
    assert not outcome.problem and not outcome.is_refused


def _wrong(subject: Subject) -> str | None:
    match int(subject.name):
        case 0:
            raise AssertionError("element 0 differs")
        case 1:
            raise RuntimeError("PTX line 7: race: this read of shared address 0x0 ..")
        case 2:
            return "too large"
        case _:
            return None


def test_what_disagrees_is_printed_and_counted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    monkeypatch.setitem(agreement.PARTS, "programs", _wrong)  # pyright: ignore[reportArgumentType]
    log = tmp_path / "log.jsonl"
    assert main(["--part", "programs", "--seeds", "2", "--log", str(log)]) == 1
    assert "element 0 differs" in capsys.readouterr().out
    # A line that was cut off is run again; the first two are known.
    log.write_text(log.read_text() + '{"subject": {"part"')
    assert [each.is_race for each in agreement.read_log(log)] == [False, True]
    ran: list[Subject] = []
    run = agreement.run

    def noted(subject: Subject) -> Outcome:
        ran.append(subject)
        return run(subject)

    monkeypatch.setattr(agreement, "run", noted)
    assert main(["--part", "programs", "--seeds", "4", "--log", str(log)]) == 1
    assert [subject.name for subject in ran] == ["2", "3"]
    assert capsys.readouterr().out.splitlines()[-1].split()[1:5] == ["3", "1", "2", "1"]
    assert len(agreement.read_log(log)) == 4


def test_the_table_has_a_row_for_each_part_and_target():
    outcomes = [
        Outcome(Subject("zoo", "sm_80", "a"), "", 1.0),
        Outcome(Subject("zoo", "sm_90a", "a"), "E: wrong", 2.0),
        Outcome(Subject("variants", "sm_90a", "b"), "", 4.0),
    ]
    rows = [line.split() for line in agreement.table(outcomes)]
    assert rows[1:] == [
        ["zoo", "sm_80", "1", "0", "0", "0", "1"],
        ["zoo", "sm_90a", "1", "0", "1", "0", "2"],
        ["variants", "sm_90a", "1", "0", "0", "0", "4"],
        ["all", "3", "0", "1", "0", "7"],
    ]
