"""A region that gives its threads values is executed by all of them."""

import numpy as np
import pytest

from tests.unit.transforms.convert_tileas_to_llvm.pipeline_kernels import (
    ADD,
    ITERATOR,
    PIPE,
    PRODUCER,
    STAGE,
    STORE,
    TILE,
    TYPES,
    Kernel,
    bulk_load,
    expected,
    following,
    pipeline,
    release,
    wait,
)

RESULTS = f"{PRODUCER}, !nv_tileas.async_token"
GIVEN = {
    "column": ("index", ""),
    "number": ("i32", "%number = arith.index_cast %column : index to i32"),
    "is_first": ("i1", "%is_first = arith.cmpi eq, %column, %n0 : index"),
}
"""What the region of a stage gives, and how it computes that of its column."""


@pytest.mark.parametrize("name", GIVEN)
def test_values_of_the_region_of_a_stage(name: str):
    """Tiles count where the value is what threads compute themselves, and so everywhere."""
    type, made = GIVEN[name]
    kernel = Kernel(f"""
    {pipeline(2)}
    %pend, %cend, %total = scf.for %k = %n0 to %n5 step %n1 iter_args(%p = %pi, %c = %ci, %acc = %zero) -> ({ITERATOR}, {ITERATOR}, {TILE}) {{
      %produced, %done, %given = {PIPE}.produce_one_async %prod, %p {{{TYPES}}} : ({PRODUCER}, {ITERATOR}) -> {RESULTS}, {type} {{
      ^bb0(%a_stage: {STAGE}, %b_stage: {STAGE}):
        %column = arith.muli %k, %n32 : index
        {bulk_load("a", "%a_stage")}
        {bulk_load("b", "%b_stage")}
        {made}
        {PIPE}.yield %{name} : {type}
      }}
      {wait("%cons", "%c")} {ADD} {release("%read")}
      {following("%p", "pnext")} {following("%c", "cnext")}
      %column = arith.muli %k, %n32 : index
      {made}
      %is_same = arith.cmpi eq, %given, %{name} : {type}
      %kept = arith.select %is_same, %sum, %zero : {TILE}
      scf.yield %pnext, %cnext, %kept : {ITERATOR}, {ITERATOR}, {TILE}
    }}
    {STORE}
    """)
    np.testing.assert_array_equal(kernel.run_ptx(races=True), expected())
    np.testing.assert_array_equal(kernel.run_interpreter(), expected())
