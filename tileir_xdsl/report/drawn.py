"""The drawings of a phase, made by `tileir_xdsl.drawings`."""

from tileir_xdsl.report.recording import Draw, no_drawings


def drawings_of_modules() -> Draw:
    """What draws modules."""
    return no_drawings
