"""Why the two differ, where that is meant: one row for each reason."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tests.tileiras_agreement.results import OURS, THEIRS, Row


@dataclass(frozen=True)
class Reason:
    """Differences of one outcome: patterns of the operation, the case, and what is said."""

    outcome: str
    operation: str
    case: str
    words: str
    reason: str

    def fits(self, row: Row) -> bool:
        """Whether it is about the row."""
        said = f"{row.gpu} {row.ours.words} | {row.theirs.words}"
        return (
            row.outcome == self.outcome
            and re.fullmatch(self.operation, row.operation) is not None
            and re.search(self.case, row.case) is not None
            and re.search(self.words, said) is not None
        )


REASONS: Sequence[Reason] = (
    Reason(
        THEIRS,
        "atomic_red_view_tko",
        "",
        "views with padding_value are not supported",
        "the public dialect (13.3) refuses padded views here, as nothing is read that could be "
        "padded; 13.5 no longer does",
    ),
    Reason(
        THEIRS,
        "(make_tensor|make_partition|make_strided|make_gather_scatter|load|store)_view(_tko)?",
        "f4E2M1FN",
        "cannot have elements of f4E2M1FN in memory",
        "not built: elements of four bits in memory, two to a byte; `unpack` of bytes gives such "
        "tiles",
    ),
    Reason(
        THEIRS,
        "multimem_(load_reduce|reduce|store)_view_tko",
        "b?f16",
        "expects pairs of b?f16 that are known to be contiguous and aligned to 4 bytes",
        "PTX reduces these types in pairs, so that nothing is known of an odd address; `assume "
        "div_by<4>` of the pointer says that there is none, which `tileiras` takes for granted",
    ),
    Reason(
        OURS,
        "return",
        "in a for$",
        "expects parent op to be one of",
        "taken with a remark, as in a `loop`, where `tileiras` takes it too; the specification has no "
        "return in either",
    ),
    Reason(
        OURS,
        "(load|store)_view_tko|programs",
        "gathered, i(1|8|16) indices|seed (3|4|10)$",
        "failed to compile Tile IR program",
        "valid: an index of a gather or scatter may be narrower than 32 bits along the sparse "
        "dimension; `tileiras` fails without saying why (the random programs were reduced to this)",
    ),
    Reason(
        OURS,
        "module|global",
        "^kernel '|^odd name$",
        "failed to compile Tile IR program",
        "valid: bytecode holds names of any characters; here a name that PTX lacks or reserves is "
        "mangled",
    ),
)


def reason(row: Row) -> Reason | None:
    """The first reason that fits a row; None if there is none."""
    return next((each for each in REASONS if each.fits(row)), None)
