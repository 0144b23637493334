"""Passes with their options, in the syntax of `xdsl-opt -p`."""

from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec


def pass_spec(step: ModulePass) -> str:
    """A pass with its options, whose names are spelled with dashes."""
    spec = step.pipeline_pass_spec()
    options = {name.replace("_", "-"): value for name, value in spec.parameters.items()}
    return str(ArgSpec(spec.name, options))
