"""How commands import the compiler: what a class needs is made when the class is used."""

from collections.abc import Generator
from contextlib import contextmanager

from tileir_xdsl.lazy_dataclasses import made_on_use


@contextmanager
def importing_for_one_command() -> Generator[None]:
    """Has the ops and dataclasses of what is imported within completed on first use.

    A command uses few of them, and nothing else in its process notices. The library leaves
    dataclasses, and the ops of xDSL, as they are.
    """
    with made_on_use():
        # xDSL's own dataclasses are imported here.
        from tileir_xdsl.dialects.lazy_definition import defined_on_use

        with defined_on_use():
            yield
