"""Choices that the user forces on ops, named by their numbers in reports.

#4=ldg_32, kernel#7=ldg_64
"""

import re
from collections.abc import Callable, Iterator, Mapping

from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.dialects.nv_tileaa.core import FuncOp

from .labels import OperationLabels, any_operation

_ITEM = re.compile(r"\s*(?:@?(?P<function>[^#\s]+))?#(?P<number>\d+)\s*=\s*(?P<name>\S+)\s*")


def forced_ops(
    option: str | None,
    labels: Mapping[FuncOp, OperationLabels],
    has_choice: Callable[[Operation], bool] = any_operation,
) -> dict[Operation, str]:
    """The name of the choice that the `force` option sets for each op.

    A diagnostic lists the ops for which `has_choice` is true.

    Raises:
        PassFailedException: the option is malformed, or names a function or op that is not there.
    """
    return {
        _find(function, number, labels, has_choice): name
        for function, number, name in _items(option)
    }


def _items(option: str | None) -> Iterator[tuple[str | None, int, str]]:
    for item in (option or "").split(","):
        if not item.strip():
            continue
        match = _ITEM.fullmatch(item)
        if match is None:
            raise PassFailedException(
                "expected items like '#4=ldg_32' or 'kernel#4=ldg_32' in the option force, "
                f"got '{item}'"
            )
        yield match["function"], int(match["number"]), match["name"]


def _find(
    name: str | None,
    number: int,
    labels: Mapping[FuncOp, OperationLabels],
    has_choice: Callable[[Operation], bool],
) -> Operation:
    functions = {function.sym_name.data: function for function in labels}
    if name is None:
        # Numbers of ops are per function.
        if len(functions) != 1:
            raise PassFailedException(
                f"expected the name of a function before '#{number}' in the option force, "
                f"one of {', '.join(functions)}"
            )
        (name,) = functions
    if name not in functions:
        raise PassFailedException(
            f"the option force names the function '{name}', expected one of {', '.join(functions)}"
        )
    op = labels[functions[name]].find(number)
    if op is None:
        raise PassFailedException(
            f"the option force names op #{number}, which '{name}' does not have, "
            f"{labels[functions[name]].expected(has_choice)}"
        )
    return op
