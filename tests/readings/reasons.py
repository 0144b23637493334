"""Why results differ from those of `tileiras`, and what its instructions do where it says nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tests.readings.rows import Reading


@dataclass(frozen=True)
class Reason:
    """The differences of an op, with some results or operands, that have one reason."""

    operation: str
    why: str
    results: tuple[str, ...] = ()
    operands: tuple[str, ...] = ()

    def holds(self, reading: Reading) -> bool:
        """Whether a reading is one of these."""
        return (
            reading.form.operation == self.operation
            and (not self.results or reading.form.result in self.results)
            and (not self.operands or reading.operands in self.operands)
        )


REASONS: tuple[Reason, ...] = (
    Reason(
        "atan2", "divides one zero by the other; in C and IEEE 754 the result is a multiple of pi"
    ),
    Reason(
        "itof",
        "follows the text only for constants; on the device `F2FP.SATFINITE` saturates, as here",
        results=("f8E4M3FN", "f8E5M2", "fnv8E5M3FNU"),
    ),
    Reason(
        "ftoi",
        "tests whether any bit of the float is set, including the sign bit",
        results=("i1",),
        operands=("-0",),
    ),
    Reason(
        "ftoi",
        "tests whether any bit of the float is set, but 2^-127 has none",
        results=("i1",),
        operands=("least",),
    ),
)
"""Every difference has one, and every reason a difference."""

ON_THE_DEVICE: Mapping[str, str] = {
    "fpowi": "the device returns what the op's loop computes",
    "divi": "the device returns what the op's instruction sequence computes",
    "remi": "the device returns what the op's instruction sequence computes",
    "shli": "`SHF` clamps the shift amount `rhs` to the bits that it shifts, 32 or 64. "
    "On i8 and i16, `VIMNMX` first clamps `rhs` to 65535",
    "shri": "`SHF` clamps the shift amount `rhs` to the bits that it shifts, 32 or 64. "
    "On i8 and i16, `VIMNMX` first clamps `rhs` to 65535, or 32767 if `signed`",
    "ftoi": "`F2I` saturates to i16, i32 or i64; an i8 is the low byte of an i16, so 300.0 gives 44",
}
"""What the instructions listed for an op do with operands whose result `tileiras` leaves open."""


def reason(reading: Reading) -> str | None:
    """Why a reading differs."""
    return next((each.why for each in REASONS if each.holds(reading)), None)
