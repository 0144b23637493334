"""How commands import the compiler: what a class needs is made once, or when the class is used."""

from collections.abc import Generator
from contextlib import contextmanager

from tileir_xdsl.cli.method_code import default_path, kept_method_code


@contextmanager
def importing_for_one_command() -> Generator[None]:
    """Has the ops of what is imported within completed on first use, and methods not compiled anew.

    A command uses few of the ops, and nothing else in its process notices. The library leaves
    the ops of xDSL, and dataclasses, as they are.
    """
    with kept_method_code(default_path()):
        # xDSL's own dataclasses are imported here.
        from tileir_xdsl.dialects.lazy_definition import defined_on_use

        with defined_on_use():
            yield
