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
from tests.readings.questions import CLOSED, SILENT
from tests.readings.reasons import ON_THE_DEVICE, reason
from tests.readings.rows import REFUSED, Reading, named, readings
from tests.readings.written import Written, written

PAGE = Path(__file__).resolve().parent / "open_readings.md"

TEXT = """# Open readings

For some operands the specification leaves the result of an op open, or compilers deviate from it. A
row has the text of the Tile IR specification, by section, the result of this compiler at every
level, and the result of `tileiras` for a kernel with only this op. Written by
`python -m docs.open_readings`; a test checks the page, and compares some forms with `tileiras`.

    python -m tests.readings --op ftoi     # does `tileiras` still answer as stored?
    python -m tests.readings --keep        # asks about all, for a minute of processor time
    python -m docs.open_readings

- **Ours** is the result of the interpreter; other tests compare every other level with it.
- **`tileiras`** is the result that `tileiras` computes if all operands are constants. `undefined`
  means that `tileiras` leaves the result open and stores nothing. `on the device` means that
  `tileiras` does not fold the op.
- A table without a column "text" has operands for which the specification is silent. A table
  without a column "`tileiras`" has operands for which `tileiras` does not fold the op.
- At run time, instructions may give another result than `tileiras` for constants.
  `tests/readings/tileiras.json` has the instructions of each form (`cuobjdump`), on the first of
  {gpus} that supports the form.
- Integers are printed as signed. `least` and `greatest` are the bounds of the type, `subnormal` is
  its least number above 0, `width` its number of bits. Operands that a type lacks have no row.

Where `tileiras` deviates from the text, this compiler follows the text, with two exceptions. A
float converted to `i1` is true if it is nonzero or NaN, as in Python and `tileiras`; by the text
0.5 and NaN would be false. An integer too large for an 8-bit float becomes the largest number,
since the instruction saturates. The bodies of `reduce` and `scan` get the accumulator as first
argument, as in the example of `scan`; the prose says the reverse. The [test pack](gpu.md) runs
these ops on a GPU.

`tests/readings` has all {total} readings: {same} have the same result in both compilers, {differ}
different results; `tileiras` leaves {open} undefined, and does not fold {unknown}.

## Where the results differ

{different}
## Left open, or known on a device only

{sections}
## Alike

For each op, this is the number of readings with the same result as `tileiras`:

{alike}

## Closed

The results of these ops are fully specified.

{closed}"""

SHOWN = {COMPUTED: "on the device", UNDEFINED: "undefined"}
UNSTATED = (("text", SILENT), ("`tileiras`", SHOWN[COMPUTED]))
"""Columns with this value in every row are left out."""

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
        yield f"Below, `tileiras` {why}.\n\n"
        yield _common(("op", "operands", "forms", "text", "ours", "`tileiras`"), rows) + "\n"


def _listed_answers(found: Sequence[Reading], to: str) -> str:
    """Operands that the same forms answer alike stand together."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for (operands, says, mine, theirs), group in _grouped(
        found, lambda r: (r.operands, r.says, r.ours, r.theirs)
    ):
        row = says, mine, SHOWN.get(theirs, theirs), _named([r.form for r in group], to)
        alike.setdefault(row, []).append(_code(f"({operands})" if "," in operands else operands))
    rows = [(", ".join(operands), *row) for row, operands in alike.items()]
    return _common(("operands", "text", "ours", "`tileiras`", "forms"), rows)


def _named(forms: Sequence[Form], to: str) -> str:
    """Forms in words; those of a section of results `to` without that type."""
    return named(forms).replace(f" to {to}", "") if to else named(forms)


def _common(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table without the columns that have an unstated value in every row."""
    kept_columns = [
        (name, *column)
        for name, column in zip(header, zip(*rows, strict=True), strict=True)
        if set(column) not in ({value} for left_out, value in UNSTATED if left_out == name)
    ]
    first, *others = zip(*kept_columns, strict=True)
    return _table(first, others)


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
            yield f"Where the result is undefined, {ON_THE_DEVICE[name]}.\n\n"
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
        gpus=", ".join(GPUS),
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
