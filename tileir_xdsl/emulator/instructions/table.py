"""All instruction forms the emulator knows."""

from __future__ import annotations

from tileir_xdsl.emulator.instructions import (
    comparison,
    control,
    data_movement,
    floating_point,
    integer,
    logic,
)
from tileir_xdsl.emulator.instructions.form import FormTable

FORM_TABLE = FormTable(
    (
        *integer.FORMS,
        *floating_point.FORMS,
        *comparison.FORMS,
        *logic.FORMS,
        *data_movement.FORMS,
        *control.FORMS,
    )
)
