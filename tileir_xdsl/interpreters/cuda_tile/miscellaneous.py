"""Miscellaneous operations of `cuda_tile`."""

from __future__ import annotations

from typing import Any

from tileir_xdsl.dialects.cuda_tile import miscellaneous
from tileir_xdsl.interpreters.registration import PureTable


def _assume(_op: miscellaneous.AssumeOp, value: Any) -> Any:
    return value


MISCELLANEOUS: PureTable = {miscellaneous.AssumeOp: _assume}
