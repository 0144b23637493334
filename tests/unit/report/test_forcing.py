"""What `--force` takes, and which passes take it."""

from dataclasses import fields
from pathlib import Path
from typing import Any, cast

import pytest

from tests.unit.report.explained import MATMUL
from tileir_xdsl.options import Options
from tileir_xdsl.passes import PASSES
from tileir_xdsl.report.explaining import explain
from tileir_xdsl.report.files import ReportFiles
from tileir_xdsl.report.force_texts import ForcedOp, force_text
from tileir_xdsl.report.forcing import read_forced
from tileir_xdsl.runtime.errors import InputError


def test_choices_of_one_pass_add_up():
    name = "tileas-assign-load-store-layouts"
    forced = read_forced([f"{name}{{force=#4=ldg_64}}", f'{name}{{force="k#5=ldg_32"}}'])
    assert forced.choices == {name: "#4=ldg_64,k#5=ldg_32"}
    step = forced.on(PASSES[name].load()())
    assert cast(Any, step).force == "#4=ldg_64,k#5=ldg_32"


def test_lists_of_one_pass_are_one_list():
    name = "tileas-remove-layout-conversions"
    forced = read_forced(f"{name}{{force=keep=#{n}}}" for n in (1, 3, 5))
    assert forced.choices == {name: "keep=#1,#3,#5"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#4=ldg_64", "expected PASS{force=#NUMBER=CHOICE}"),
        ("canonicalize{force=#4=x}", "there is no pass 'canonicalize' with choices to force"),
        ("nothing{force=#4=x}", "there is no pass 'nothing' with choices to force"),
    ],
)
def test_what_cannot_be_forced(text: str, message: str):
    with pytest.raises(InputError, match=message.replace("{", r"\{")):
        read_forced([text])


def test_what_a_report_offers_can_be_forced():
    contents, file = MATMUL.read_bytes(), str(MATMUL)
    free = explain(contents, file, "sm_80", Options(), ReportFiles(())).report
    offers = {
        candidate.force: (decision.op, candidate.name)
        for phase in free.phases
        for decision in phase.decisions
        for candidate in decision.candidates
        if candidate.force is not None and candidate.name != decision.chosen
    }
    assert offers
    for text, (op, name) in list(offers.items())[::12]:
        forced = read_forced([text])
        report = explain(contents, file, "sm_80", Options(), ReportFiles(()), forced=forced).report
        (pass_name,) = forced.choices
        (phase,) = (p for p in report.phases if p.pass_name == pass_name)
        chosen = [d.chosen for d in phase.decisions if d.op == op]
        assert any(name in (each or "") for each in chosen), text
        assert text.split("{", 1)[1][:-1] in phase.spec.replace('"', "")


def test_the_passes_that_take_choices():
    takers = {
        name
        for name in PASSES
        if "force" in {f.name for f in fields(cast(Any, PASSES[name].load()))}
    }
    assert takers == {
        "tileas-assign-load-store-layouts",
        "tileas-generate-schedule",
        "tileas-insert-barriers",
        "tileas-overlap-epilogue",
        "tileas-remove-layout-conversions",
        "tileas-select-cta-group",
        "tileas-select-lowering",
        "tilecpu-group",
    }


EXTENSION = """
from dataclasses import dataclass
from xdsl.passes import ModulePass
from tileir_xdsl.extensions import Extension, PlacedPass

@dataclass(frozen=True)
class Choosing(ModulePass):
    name = "choosing"
    force: str | None = None
    def apply(self, ctx, op): pass

class Nothing(ModulePass):
    name = "nothing"
    def apply(self, ctx, op): pass

places = {"level": "nv_tileas", "before": "tileas-insert-barriers"}
EXTENSION = Extension("mine", passes=(PlacedPass(Choosing, **places), PlacedPass(Nothing, **places)))
"""


@pytest.mark.usefixtures("forgotten_extensions")
def test_passes_of_extensions_take_choices(tmp_path: Path):
    file = tmp_path / "mine.py"
    file.write_text(EXTENSION)
    with pytest.raises(InputError, match="there is no pass 'choosing' with choices to force"):
        read_forced(["choosing{force=#4=fast}"])
    forced = read_forced(["choosing{force=#4=fast}"], [str(file)])
    assert forced.choices == {"choosing": "#4=fast"}
    assert force_text(ForcedOp("choosing", "k", 4), "fast") == "choosing{force=k#4=fast}"
    assert force_text(ForcedOp("nothing", "k", 4), "fast") is None
    with pytest.raises(InputError, match="there is no pass 'nothing' with choices to force"):
        read_forced(["nothing{force=#4=fast}"], [str(file)])
    with pytest.raises(InputError, match=r"extensions=none\.py: error: there is no such file"):
        read_forced(["choosing{force=#4=fast}"], ["none.py"])
