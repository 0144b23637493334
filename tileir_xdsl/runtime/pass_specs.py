"""Passes with their options as `xdsl-opt -p` takes them."""

from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec


def pass_spec(step: ModulePass) -> str:
    """The pass with its options, these spelled with dashes."""
    spec = step.pipeline_pass_spec()
    options = {name.replace("_", "-"): value for name, value in spec.parameters.items()}
    return str(ArgSpec(spec.name, options))
