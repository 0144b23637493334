"""Decisions out of the reports of passes: op, choice, reason, candidates, and what forces them."""

import pytest

from tests.unit.report.explained import ATTENTION, MATMUL, report_of
from tileir_xdsl.explain import Report, ReportValue
from tileir_xdsl.report.decisions import decisions_of
from tileir_xdsl.report.schema import Candidate, Decision

ORIGINS = {"k": {4: ("o7",), 9: ("o8", "o9")}}


def decided(pass_name: str, **facts: ReportValue) -> tuple[Decision, ...]:
    report = Report(pass_name)
    report.add("k", **facts)
    return decisions_of(report, ORIGINS)


def test_strategies_with_costs():
    (decision,) = decided(
        "tileas-select-lowering",
        op="#4 arith.divsi %q",
        strategy="shift",
        costs={"shift": 4, "instruction": 30},
        pruned={"exact": "the divisor may be zero"},
        source="a book",
    )
    assert (decision.op, decision.ids) == ("#4 arith.divsi %q", ("o7",))
    assert (decision.chosen, decision.why) == ("shift", "a book")
    assert decision.candidates == (
        Candidate("shift", 4.0, None, "tileas-select-lowering{force=#4=shift}"),
        Candidate("instruction", 30.0, None, "tileas-select-lowering{force=#4=instruction}"),
        Candidate("exact", None, "the divisor may be zero", None),
    )


def test_several_things_chosen_for_one_op():
    (decision,) = decided(
        "tileas-select-lowering",
        op="#9 nv_tileas.async.pipeline.agent_switch",
        strategy="all_threads/one_thread",
        agents=[
            {"strategy": "all_threads", "costs": {"all_threads": 12}},
            {"strategy": "one_thread", "costs": {"one_thread": 6, "all_threads": 18}},
        ],
    )
    assert decision.chosen == "all_threads/one_thread"
    assert [c.force for c in decision.candidates] == [
        "tileas-select-lowering{force=#9=all_threads/one_thread}",
        "tileas-select-lowering{force=#9=all_threads/one_thread}",
        "tileas-select-lowering{force=#9=all_threads/all_threads}",
    ]


def test_what_is_chosen_has_a_name_of_its_own():
    (decision,) = decided(
        "tileas-select-lowering",
        op="#4 nv_tileas.copy",
        access="matrices",
        accesses=[{"is": "store", "access": "matrices", "costs": {"vectors": 32, "matrices": 20}}],
    )
    assert decision.chosen == "matrices"
    assert [c.name for c in decision.candidates] == ["vectors", "matrices"]


def test_a_barrier():
    (decision,) = decided(
        "tileas-insert-barriers",
        inserted=["barrier agent"],
        before="#4 nv_tileas.copy",
        because=[
            {
                "first": "#9 nv_tileas.load reads",
                "second": "#4 nv_tileas.copy writes",
                "why": "reuse",
            },
            {"first": "#9 nv_tileas.load reads", "second": "#4 nv_tileas.copy writes", "why": "b"},
        ],
    )
    assert decision.ids == ("o7", "o8", "o9")
    assert decision.chosen == "barrier agent"
    assert decision.why == "reuse: #9 nv_tileas.load reads: #4 nv_tileas.copy writes; and 1 more"
    assert [c.force for c in decision.candidates] == [
        "tileas-insert-barriers{force=#4=barrier_agent}",
        "tileas-insert-barriers{force=#4=none}",
    ]


def test_a_conversion():
    (decision,) = decided(
        "tileas-remove-layout-conversions",
        conversion="#4 nv_tileas.convert_layout",
        outcome="removed",
        reason="nobody needs it",
    )
    assert (decision.chosen, decision.why) == ("removed", "nobody needs it")
    assert decision.candidates[0].force == "tileas-remove-layout-conversions{force=keep=#4}"


def test_facts_of_a_whole_function():
    (decision,) = decided("tileas-materialize-async", loads=2, bytes=8192, stages=8)
    assert (decision.op, decision.chosen) == ("", "loads: 2, bytes: 8192, stages: 8")


def test_a_group_has_a_decision_for_each_access():
    name = "tileas-assign-load-store-layouts"
    whole, access = decided(
        name,
        group=["#4 nv_tileas.load %x", "#9 math.exp"],
        candidates=[
            {
                "op": "#4 nv_tileas.load %x",
                "considered": [{"name": "ldg_32", "score": 2.0}, {"name": "ldg_64", "score": 1.0}],
                "pruned": ["ldg_128: needs 16 bytes"],
            }
        ],
        layouts=[{"layout": "A", "score": 1.0}, {"layout": "B", "pruned": "too wide"}],
        chosen="A",
        accesses=[{"op": "#4 nv_tileas.load %x", "by": "ldg_64"}],
    )
    assert (whole.chosen, [c.name for c in whole.candidates]) == ("A", ["A", "B"])
    assert "candidates" not in whole.facts and whole.ids == ("o7", "o8", "o9")
    assert (access.chosen, access.ids) == ("ldg_64", ("o7",))
    assert access.candidates == (
        Candidate("ldg_32", 2.0, None, f"{name}{{force=#4=ldg_32}}"),
        Candidate("ldg_64", 1.0, None, f"{name}{{force=#4=ldg_64}}"),
        Candidate("ldg_128", None, "needs 16 bytes", None),
    )


def test_with_several_functions_force_names_one():
    report = Report("tileas-select-lowering")
    for function in ("k", "other"):
        report.add(function, op="#4 arith.divsi", strategy="shift", costs={"shift": 4})
    forced = [c.force for d in decisions_of(report, ORIGINS) for c in d.candidates]
    assert forced == [
        "tileas-select-lowering{force=k#4=shift}",
        "tileas-select-lowering{force=other#4=shift}",
    ]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("gpu", ["sm_80", "sm_90a", "sm_100a"])
def test_of_real_kernels_what_was_chosen_is_a_candidate(gpu: str):
    for report in (report_of(ATTENTION, gpu), report_of(MATMUL, gpu)):
        decisions = [d for phase in report.phases for d in phase.decisions]
        assert len(decisions) > 10
        for decision in decisions:
            named = {c.name for c in decision.candidates}
            if any(c.force for c in decision.candidates) and decision.chosen is not None:
                # A candidate in a layout of others is not among its own.
                assert decision.chosen in named or "by" in decision.facts, decision


@pytest.mark.one_in(2)
@pytest.mark.parametrize("gpu", ["sm_80", "sm_90a", "sm_100a"])
def test_decisions_of_one_op_are_told_apart(gpu: str):
    several = 0
    for report in (report_of(ATTENTION, gpu), report_of(MATMUL, gpu)):
        for phase in report.phases:
            labels = [(d.function, d.op, d.about) for d in phase.decisions]
            assert len(set(labels)) == len(labels), phase.pass_name
            several += len(labels) - len({label[:2] for label in labels})
    assert several > 3


def test_what_is_decided_of_an_op():
    report = Report("tileas-select-lowering")
    for facts in (
        {"strategy": "one_thread", "costs": {"one_thread": 6}},
        {"issuer": "only_thread", "costs": {"only_thread": 0}},
        {"issuer": "only_thread", "costs": {"only_thread": 0}},
        {"layouts": [{"layout": "A", "score": 1.0}], "chosen": "A"},
        {"strategies": {"wgmma": {"score": 1.0}}, "chosen": "wgmma"},
    ):
        report.add("k", op="#4 nv_tileas.copy", **facts)
    found = [decision.about for decision in decisions_of(report, ORIGINS)]
    assert found == ["strategy", "issuer", "issuer 2", "layout", "strategy 2"]


@pytest.mark.parametrize(
    ("cycles", "expected"),
    [
        # The chosen one takes the fewest, or no other is counted in cycles.
        ((4.0, 9.0), ""),
        ((4.0, 4.0), ""),
        ((4.0, None), ""),
        ((None, 4.0), ""),
        ((9.0, 4.0), "; b takes 4 cycles in place of 9, but the score decides, which weighs "),
    ],
)
def test_where_score_and_cycles_disagree_the_reason_says_so(
    cycles: tuple[float | None, float | None], expected: str
):
    rows = [
        {"name": name, "layout": name, "score": score, "cycles": taken}
        for name, score, taken in zip("ab", (1.0, 2.0), cycles, strict=True)
    ]
    of_layouts, of_access = decided(
        "p",
        group=["#4 nv_tileas.load"],
        layouts=rows,
        chosen="a",
        candidates=[{"op": "#4 nv_tileas.load", "considered": rows}],
        accesses=[{"op": "#4 nv_tileas.load", "by": "a"}],
    )
    strategies = {str(row["name"]): row for row in rows}
    (of_strategies,) = decided("p", dot="#4 dot", strategies=strategies, chosen="a")
    for decision in (of_layouts, of_access, of_strategies):
        why = decision.why or ""
        assert ("cycles" in why) == bool(expected) and expected in why
