"""Configurations of a kernel: values of its constants, with the resulting grid and arguments.

Scripts, Python code and command lines can start a search. An error in a configuration is listed
with the configuration, even an error in the author's functions.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tileir_xdsl.frontends.interface import Launch, Search
from tileir_xdsl.frontends.scripts import is_outside, place_in_script
from tileir_xdsl.runtime.errors import CompileError, InputError
from tileir_xdsl.runtime.launching import as_grid
from tileir_xdsl.runtime.tuning import Configuration, configuration
from tileir_xdsl.suggestions import did_you_mean


def configurations_of(search: Search, gpu: str | None) -> list[Configuration]:
    """The configurations of a search; those that cannot be compiled have a reason.

    Raises InputError if there are none.
    """
    if not search.configurations:
        raise InputError("the search space", "expected at least one configuration, got none")
    found = [_caught(search, each, gpu) for each in search.configurations]
    made = [one for one in found if not one.problem]
    names = dict.fromkeys(name for one in made for name in one.constants)
    different = [n for n in names if len({repr(one.constants.get(n)) for one in made}) > 1]
    return [
        _named(one, each, different) for one, each in zip(found, search.configurations, strict=True)
    ]


def configuration_of(launch: Launch, gpu: str | None) -> Configuration:
    """The configuration of a launch. Raises CompileError."""
    source = launch.frontend.source(launch.kernel)
    made = launch.frontend.specialize(launch.kernel, launch.arguments, gpu)
    if made.arguments is None:
        raise InputError(source.name, "tune needs arrays in the memory of the host")
    values = [argument.value for argument in made.arguments]
    file = f"{source.file}:{source.name}"
    return configuration(made.contents, file, launch.grid, values, options=made.options)


def parameters_of(launch: Launch) -> list[str]:
    """The names of the parameters of a kernel, in order."""
    function: Any = launch.frontend.source(launch.kernel).function
    return list(inspect.signature(function).parameters)


def with_constants(launch: Launch, constants: Mapping[str, object]) -> Launch:
    """The launch with other values of some parameters. Raises InputError for another name."""
    names = parameters_of(launch)
    for name in constants:
        if name not in names:
            listed = ", ".join(names)
            hint = did_you_mean(name, names)
            raise InputError(
                f"constant {name}", f"the kernel has no such parameter, only {listed}{hint}"
            )
    given = zip(names, launch.arguments, strict=False)
    return replace(launch, arguments=[constants.get(name, value) for name, value in given])


def combinations(launch: Launch, constants: Mapping[str, Sequence[object]]) -> list[dict[str, Any]]:
    """All combinations of values of constants; the first has the values of the launch."""
    own = dict(zip(parameters_of(launch), launch.arguments, strict=False))
    found = [
        dict(zip(constants, values, strict=True))
        for values in itertools.product(*constants.values())
    ]
    default = {name: own[name] for name in constants if name in own}
    return [default, *(one for one in found if one != default)]


def grid_extents(value: Any) -> tuple[int, int, int]:
    """Checks a grid that an author's function returned. Raises InputError for an invalid grid."""
    extents = value if isinstance(value, tuple | list) else (value,)
    if not all(isinstance(each, int | np.integer) and each > 0 for each in extents):
        raise InputError("grid", f"expected positive whole numbers, got {value}")
    return as_grid([int(each) for each in extents])


def _caught(search: Search, constants: Any, gpu: str | None) -> Configuration:
    try:
        frontend, kernel = search.frontend, search.kernel(constants)
        arguments = search.arguments(constants)
        launch = Launch(frontend, kernel, grid_extents(search.grid(constants)), arguments)
        return replace(configuration_of(launch, gpu), constants=_scalars(launch))
    except Exception as error:
        return Configuration(b"", "", "", (1, 1, 1), (), problem=told(error))


def _scalars(launch: Launch) -> dict[str, object]:
    """The arguments that are numbers or strings, by parameter."""
    given = zip(parameters_of(launch), launch.arguments, strict=False)
    return {name: value for name, value in given if isinstance(value, bool | int | float | str)}


def _named(one: Configuration, given: Any, names: Sequence[str]) -> Configuration:
    """Keeps only constants that differ between configurations.

    The configuration gets a name if these do not identify it.
    """
    is_mapping = isinstance(given, Mapping)
    known: Mapping[str, object] = given if one.problem and is_mapping else one.constants
    constants = {name: known[name] for name in names if name in known}
    if is_mapping:
        is_told = all(constants.get(name, given) == value for name, value in given.items())
    else:
        is_told = given in constants.values()
    return replace(one, constants=constants, name="" if is_told else str(given))


def told(error: Exception) -> str:
    """One line about an exception from a function of the author."""
    if isinstance(error, CompileError):
        return str(error)
    place = place_in_script(error, is_outside)
    said = f"{type(error).__name__}: {' '.join(str(error).split())}"
    return f"{place}: error: {said}" if place else said
