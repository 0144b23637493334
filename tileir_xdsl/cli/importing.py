"""How commands import the compiler: class members are computed once, or on first use."""

from collections.abc import Generator
from contextlib import contextmanager

from tileir_xdsl.cli.method_code import default_path, kept_method_code


@contextmanager
def importing_for_one_command() -> Generator[None]:
    """Completes imported op classes on first use, and reuses the byte code of their methods.

    A command uses few op classes, and nothing else in its process depends on them. Outside of
    commands, op classes of xDSL and dataclasses are not changed.
    """
    with kept_method_code(default_path()):
        # xDSL's own dataclasses are imported here.
        from tileir_xdsl.dialects.lazy_definition import defined_on_use

        with defined_on_use():
            yield
