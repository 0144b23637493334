"""Writes `docs/open_readings.md`: what the text of an op leaves open, and how it is read.

`python -m docs.open_readings` writes the page from the tables of `tests/readings`, from what the
interpreter computes, and from what `python -m tests.readings --keep` stored of `tileiras`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from docs.cuda_tile import cell, operations, section_of
from tests.readings.answers import GPUS, Answer, kept
from tests.readings.forms import Form
from tests.readings.listing import COMPUTED, UNDEFINED
from tests.readings.questions import CLOSED
from tests.readings.reasons import ON_THE_DEVICE, reason
from tests.readings.rows import REFUSED, Reading, named, readings
from tests.readings.written import Written, written

PAGE = Path(__file__).resolve().parent / "open_readings.md"

TEXT = """# Open readings

The specification leaves some operands of ops open, or compilers differ from it. A row has the text
(Tile IR specification, by section), the result of this compiler at every level, and that of
`tileiras` for a kernel of that op alone. Written by
`python -m docs.open_readings`; a test compares, and asks `tileiras` about some forms again.

    python -m tests.readings --op ftoi     # does `tileiras` still answer as stored?
    python -m tests.readings --keep        # asks about all, for a minute of processor time
    python -m docs.open_readings

- **Ours** is what the interpreter computes; other tests compare every other level with it.
- **`tileiras`** is the result that it stores where all operands are constants. `undefined`: it
  stores nothing, as its rules leave the result open. `on the device`: it leaves the op in.
- **Instructions** decide at run time; a result of constants and one of the device need not agree.
  `tests/readings/tileiras.json` has those of each form on {gpus}, by `cuobjdump`.
- Integers are printed as signed; `least` and `greatest` are those of the type, `subnormal` is the
  least number above 0, `width` the number of bits. Operands that a type lacks have no row.

This compiler follows the text where `tileiras` does something else, with two exceptions. A float as
an `i1` is whether it is nonzero, NaN included, as Python and `tileiras` read it: by the text 0.5
and NaN would be false. An integer too large for a float of 8 bits becomes the largest number, as
the instruction saturates. The bodies of `reduce` and `scan` get the accumulator first, as in the
example of `scan`; the prose says the reverse. The [pack](gpu.md) asks a GPU.

`tests/readings` has all {total} readings: {same} alike, {differ} different, {open} left open by
`tileiras`, {unknown} known on a device only.

## Where the results differ

{different}
## Left open, or known on a device only

{sections}
## Alike

Readings that are alike, by op:

{alike}

## Closed

Ops that leave nothing to read.

{closed}"""

INSTRUCTIONS, FIRST = 4, 2
"""Up to so many different instructions of a form are shown; of more the first, and a number."""
_MOVES = ("MOV", "IMAD.MOV", "UMOV", "PRMT", "BRA", "BSSY", "NOP", "R2UR")


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *([cell(text) for text in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _code(text: str) -> str:
    return f"`{text}`"


def _grouped(
    found: Iterable[Reading], key: Callable[[Reading], tuple[str, ...]]
) -> Iterator[tuple[tuple[str, ...], list[Reading]]]:
    groups: dict[tuple[str, ...], list[Reading]] = {}
    for each in found:
        groups.setdefault(key(each), []).append(each)
    yield from groups.items()


def _instructions(found: Sequence[str]) -> str:
    """The different instructions that compute, without their constants where there are many."""
    kept_ones = list(dict.fromkeys(i for i in found if not i.startswith(_MOVES)))
    if len(kept_ones) > 2:
        kept_ones = list(dict.fromkeys(each.split()[0] for each in kept_ones))
    shown = len(kept_ones) if len(kept_ones) <= INSTRUCTIONS else FIRST
    text = ", ".join(map(_code, kept_ones[:shown]))
    more = len(kept_ones) - shown
    return f"{text} (+{more})" if more > 0 else text or "none"


def _differences(found: Sequence[Reading]) -> Iterator[str]:
    """A table for each reason."""
    for (why,), different in _grouped(
        (each for each in found if each.differs), lambda r: (reason(r) or "",)
    ):
        rows = [
            (_code(op), _code(operands), named([r.form for r in group]), says, mine, theirs)
            for (op, operands, says, mine, theirs), group in _grouped(
                different, lambda r: (r.form.operation, r.operands, r.says, r.ours, r.theirs)
            )
        ]
        yield f"`tileiras`: {why}.\n\n"
        yield _common(("op", "operands", "forms", "text", "ours", "`tileiras`"), rows) + "\n"


def _listed_answers(found: Sequence[Reading], to: str) -> str:
    """Operands that the same forms answer alike stand together."""
    shown = {COMPUTED: "on the device", UNDEFINED: "undefined"}
    alike: dict[tuple[str, ...], list[str]] = {}
    for (operands, says, mine, theirs), group in _grouped(
        found, lambda r: (r.operands, r.says, r.ours, r.theirs)
    ):
        row = says, mine, shown.get(theirs, theirs), _named([r.form for r in group], to)
        alike.setdefault(row, []).append(_code(f"({operands})" if "," in operands else operands))
    rows = [(", ".join(operands), *row) for row, operands in alike.items()]
    return _common(("operands", "text", "ours", "`tileiras`", "forms"), rows)


def _named(forms: Sequence[Form], to: str) -> str:
    """Forms in words; those of a section of results `to` without that type."""
    return named(forms).replace(f" to {to}", "") if to else named(forms)


def _common(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table, with columns of one value in a line of their own above it."""
    columns = list(zip(*rows, strict=True))
    same = [len(rows) > 1 and len(set(column)) == 1 for column in columns]
    shared = [
        f"{name}: {column[0]}"
        for name, column, is_same in zip(header, columns, same, strict=True)
        if is_same
    ]
    left = [
        [text for text, is_same in zip(row, same, strict=True) if not is_same]
        for row in (header, *rows)
    ]
    above = f"All rows: {'; '.join(shared)}.\n\n" if shared else ""
    return above + _table(left[0], left[1:])


def _kernels(kernels: Sequence[Written], answers: Mapping[str, Answer]) -> str:
    rows = [
        (
            each.name,
            each.says,
            each.ours() + (f"; {each.as_ptx} as PTX" if each.as_ptx else ""),
            _instructions(answers[each.key].instructions),
            each.seen,
        )
        for each in kernels
    ]
    return _table(("kernel", "text", "ours", "instructions of `tileiras`", "which say"), rows)


def _by_result(found: Sequence[Reading]) -> Iterator[str]:
    """The tables of an op; of a conversion those of each type that it converts to."""
    made = dict.fromkeys(r.form.result for r in found if r.form.result not in r.form.operands)
    groups = [[r for r in found if r.form.result == e] for e in made] if len(made) > 1 else [found]
    for group in groups:
        to = group[0].form.result if len(groups) > 1 else ""
        if unsettled := [each for each in group if each.theirs != each.ours and not each.differs]:
            yield f"To `{to}`:\n\n" if to else ""
            yield _listed_answers(unsettled, to) + "\n"


def _sections(found: Sequence[Reading], answers: Mapping[str, Answer]) -> Iterator[str]:
    by_op = {op: list(group) for op, group in groupby(found, lambda each: each.form.operation)}
    for operation in operations():
        name = operation.name.removeprefix("cuda_tile.")
        kernels = [each for each in written() if each.operation == name]
        tables = "".join(_by_result(by_op.get(name, [])))
        if tables or kernels:
            section = section_of(operation)
            yield f"### `{name}`{f' ({section})' if section else ''}\n\n{tables}"
        if name in ON_THE_DEVICE:
            yield f"Undefined ones at run time: {ON_THE_DEVICE[name]}.\n\n"
        if kernels:
            yield _kernels(kernels, answers) + "\n"


def _alike(found: Sequence[Reading]) -> str:
    counts = Counter(each.form.operation for each in found if each.theirs == each.ours)
    return ", ".join(f"{_code(op)} {number}" for op, number in counts.items()) + "."


def _closed() -> str:
    by_reason: dict[str, list[str]] = {}
    for name, why in CLOSED.items():
        by_reason.setdefault(why, []).append(_code(name))
    rows = [(", ".join(names), why) for why, names in by_reason.items()]
    return _table(("ops", "why"), rows)


def page() -> str:
    """The page."""
    answers = kept()
    found = readings(answers)
    unknown = sum(each.theirs in (COMPUTED, REFUSED) for each in found)
    return TEXT.format(
        gpus=" or else ".join(GPUS),
        total=len(found),
        same=sum(each.theirs == each.ours for each in found),
        differ=sum(each.differs for each in found),
        open=sum(each.is_undefined for each in found),
        unknown=unknown,
        different="".join(_differences(found)),
        sections="".join(_sections(found, answers)),
        alike=_alike(found),
        closed=_closed(),
    )


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
