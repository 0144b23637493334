"""Writes `docs/open_readings.md`: what the text of an op leaves open, and how it is read.

`python -m docs.open_readings` writes the page from the tables of `tests/readings`, from what the
interpreter computes, and from what `python -m tests.readings --keep` stored of `tileiras`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from docs.cuda_tile import cell, operations, section_of
from tests.readings.answers import GPUS, Answer, kept
from tests.readings.forms import Form
from tests.readings.listing import COMPUTED, UNDEFINED
from tests.readings.questions import CLOSED, QUESTIONS
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
- **Instructions** decide at run time. They are those of {gpus}, as `cuobjdump` lists them
  for numbers from memory. A result of constants and one of the device need not agree.
  `tests/readings/tileiras.json` also has those of forms whose readings are all alike.
- Integers are printed as signed; `least` and `greatest` are those of the type, `subnormal` is the
  least number above 0, `width` the number of bits. Operands that a type lacks have no row.

This compiler follows the text where `tileiras` does something else. There are two exceptions.
A float as an `i1` is whether it is nonzero, NaN included, as Python, NumPy, PyTorch and `tileiras`
read it: by the text 0.5 and NaN would be false, and 3.0 too where signed. An integer too large for
a float of 8 bits becomes the largest number, as the instruction saturates.
The bodies of `reduce` and `scan` get the accumulator first, then the element, as in the example of
`scan` and as `tileiras` has it; the prose says the reverse.

A GPU answers, too: the [pack](gpu.md) has kernels of both compilers for the readings of
`bench/pack/readings.toml`, and keeps the bits of both.

The tables have the readings that are not alike, a line below them the number of the others;
`tests/readings` has all. `(+29)`: so many more instructions.

{total} readings: {same} alike, {differ} different, {open} left open by `tileiras`,
{unknown} known on a device only.

## Where the results differ

{different}
## Where `tileiras` leaves the result open

{undefined_rows}
## Op by op

{sections}
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


def _differences(found: Sequence[Reading]) -> str:
    rows = [
        (_code(op), _code(operands), named([r.form for r in group]), says, mine, theirs, why)
        for (op, operands, says, mine, theirs, why), group in _grouped(
            (each for each in found if each.differs),
            lambda r: (r.form.operation, r.operands, r.says, r.ours, r.theirs, reason(r) or ""),
        )
    ]
    header = ("op", "operands", "forms", "text", "ours", "`tileiras`", "which")
    return _table(header, rows)


def _undefined(found: Sequence[Reading]) -> str:
    rows = [
        (
            _code(op),
            ", ".join(_code(f"({each})") for each in dict.fromkeys(r.operands for r in group)),
            says,
            ON_THE_DEVICE[op],
        )
        for (op, says), group in _grouped(
            (each for each in found if each.is_undefined),
            lambda r: (r.form.operation, r.says),
        )
    ]
    return _table(("op", "operands", "text", "at run time"), rows)


def _answers(found: Sequence[Reading], to: str) -> str:
    """Operands that the same forms answer alike stand together; those read alike are counted."""
    alike = sum(each.theirs == each.ours for each in found)
    others = [each for each in found if each.theirs != each.ours]
    counted = f"{alike} alike.\n"
    return f"{_listed_answers(others, to)}\n{counted}" if others else counted


def _listed_answers(found: Sequence[Reading], to: str) -> str:
    shown = {COMPUTED: "on the device", UNDEFINED: "undefined", REFUSED: "refused"}
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


def _listed(forms: Sequence[Form], answers: Mapping[str, Answer], to: str) -> str:
    groups: dict[str, list[Form]] = {}
    for form in forms:
        if (answer := answers.get(form.key)) is not None:
            groups.setdefault(_instructions(answer.instructions), []).append(form)
    return _table(
        ("instructions", "forms"), [(text, _named(group, to)) for text, group in groups.items()]
    )


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


def _by_result(found: Sequence[Reading], answers: Mapping[str, Answer]) -> Iterator[str]:
    """The tables of an op; of a conversion those of each type that it converts to."""
    made = dict.fromkeys(r.form.result for r in found if r.form.result not in r.form.operands)
    groups = [[r for r in found if r.form.result == e] for e in made] if len(made) > 1 else [found]
    for group in groups:
        to = group[0].form.result if len(groups) > 1 else ""
        if to:
            yield f"To `{to}`:\n\n"
        yield _answers(group, to) + "\n"
        if unsettled := list(dict.fromkeys(r.form for r in group if r.theirs != r.ours)):
            yield _listed(unsettled, answers, to) + "\n"


def _sections(found: Sequence[Reading], answers: Mapping[str, Answer]) -> Iterator[str]:
    by_op = {op: list(group) for op, group in groupby(found, lambda each: each.form.operation)}
    for operation in operations():
        name = operation.name.removeprefix("cuda_tile.")
        kernels = [each for each in written() if each.operation == name]
        if name not in QUESTIONS and not kernels:
            continue
        section = section_of(operation)
        yield f"### `{name}`{f' ({section})' if section else ''}\n\n"
        if name in QUESTIONS:
            yield from _by_result(by_op[name], answers)
        if kernels:
            yield _kernels(kernels, answers) + "\n"


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
        different=_differences(found),
        undefined_rows=_undefined(found),
        sections="".join(_sections(found, answers)),
        closed=_closed(),
    )


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
