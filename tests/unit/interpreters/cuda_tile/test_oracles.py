"""Where each operation of the dialect is tested for its values, and against what."""

from __future__ import annotations

import importlib
import inspect

import pytest

from tests.unit.interpreters.cuda_tile.elementwise import CASES
from tileir_xdsl.dialects.cuda_tile import CudaTile

MOVES = "test_tiles.test_moves"
VIEWS = "test_accesses.test_views"

OTHER_ORACLES: dict[str, tuple[str, ...]] = {
    # bit patterns
    "bitcast": ("test_values.test_bitcast",),
    "select": ("test_values.test_select",),
    "pack": ("test_tiles.test_packing",),
    "unpack": ("test_tiles.test_packing",),
    # numpy's own moves
    "broadcast": (MOVES, "test_core.test_shapes"),
    "cat": (MOVES, "test_core.test_concatenation"),
    "extract": (MOVES, "test_core.test_extract_and_insert_count_slices"),
    "insert": (MOVES, "test_core.test_extract_and_insert_count_slices"),
    "permute": (MOVES, "test_core.test_shapes"),
    "reshape": (MOVES, "test_core.test_shapes"),
    # exact rationals and integers
    "mmaf": ("test_tiles.test_mmaf", "test_tiles.test_mmaf_with_special_values"),
    "mmaf_scaled": ("test_tiles.test_mmaf_scaled",),
    "mmai": ("test_tiles.test_mmai",),
    "reduce": ("test_tiles.test_sums", "test_tiles.test_integer_folds"),
    "scan": ("test_tiles.test_sums", "test_core_reductions.test_scan"),
    # literals
    "constant": ("test_core.test_constants",),
    "iota": ("test_core.test_iota",),
    # a padded matrix in numpy, arrays after the launch
    "make_tensor_view": ("test_tiles.test_views_with_padding",),
    "make_partition_view": ("test_tiles.test_views_with_padding",),
    "load_view_tko": ("test_tiles.test_views_with_padding",),
    "store_view_tko": ("test_tiles.test_views_with_padding",),
    "make_strided_view": (VIEWS, "test_views.test_strided_view"),
    "make_gather_scatter_view": (
        VIEWS,
        "test_views.test_gather_scatter_view_counts_elements",
    ),
    "get_tensor_shape": ("test_views.test_dynamic_sizes_and_strides",),
    "get_index_space_shape": ("test_views.test_dynamic_sizes_and_strides",),
    "load_ptr_tko": ("test_accesses.test_loads_and_stores",),
    "store_ptr_tko": ("test_accesses.test_loads_and_stores",),
    "offset": ("test_core.test_offsets_are_signed_numbers_of_elements",),
    "int_to_ptr": ("test_conversions.test_pointers_are_addresses",),
    "ptr_to_int": ("test_conversions.test_pointers_are_addresses",),
    "ptr_to_ptr": ("test_conversions.test_pointers_are_addresses",),
    "alloca": ("test_miscellaneous.test_allocations_are_private_to_a_block",),
    "global": ("test_miscellaneous.test_globals_live_through_a_launch",),
    "get_global": ("test_miscellaneous.test_globals_live_through_a_launch",),
    "atomic_rmw_tko": ("test_accesses.test_atomic_modes", "test_atomics.test_modes"),
    "atomic_cas_tko": ("test_accesses.test_compare_and_swap",),
    "atomic_red_view_tko": ("test_atomics.test_reduction_into_a_view_leaves_out_what_is_outside",),
    "multimem_load_reduce_view_tko": ("test_tiles.test_multimem",),
    "multimem_reduce_view_tko": ("test_tiles.test_multimem",),
    "multimem_store_view_tko": ("test_tiles.test_multimem",),
    # outcomes of orders
    "make_token": ("..test_memory_order.test_a_chain_of_tokens_has_one_outcome",),
    "join_tokens": ("..test_memory_order.test_joined_tokens_wait_for_all",),
    "token.join": ("..test_memory_order.test_joined_tokens_wait_for_all",),
    "gdc_launch_dependents_tko": ("test_tiles.test_multimem",),
    "gdc_wait_tko": ("test_tiles.test_multimem",),
    "memory_fence_alias_tko": ("test_tiles.test_multimem",),
    # Python's own control flow
    "assert": ("test_control_flow.test_assert_names_the_element",),
    "break": ("test_control_flow.test_break_leaves_the_innermost_loop_only",),
    "continue": ("test_control_flow.test_continue_from_a_branch",),
    "for": ("test_control_flow.test_for_bounds", "test_control_flow.test_for_carries_values"),
    "if": ("test_control_flow.test_if_yields",),
    "loop": ("test_control_flow.test_loop_breaks_with_another_type",),
    "return": ("test_control_flow.test_return_from_a_branch_ends_the_block",),
    "yield": ("test_control_flow.test_if_yields",),
    # text, as C prints it
    "print_tko": ("test_miscellaneous.test_print", "test_miscellaneous.test_print_conversions"),
    "assume": (
        "test_miscellaneous.test_assume_passes_its_value",
        "test_undefined_behaviour.test_strict_mode",
    ),
    # coordinates of launches
    "entry": ("..test_launch.test_every_block_runs_once_whatever_the_order",),
    "get_tile_block_id": ("..test_launch.test_every_block_runs_once_whatever_the_order",),
    "get_num_tile_blocks": ("..test_launch.test_every_block_runs_once_whatever_the_order",),
    "module": ("..test_launch.test_every_block_runs_once_whatever_the_order",),
}
"""Operation -> tests; `..` is the folder above."""

WITHOUT_MEANING = {"experimental$func", "testing$func"}
"""Functions that only tests of the reference implementation use; nothing calls them."""


def _names() -> set[str]:
    return {op.name.removeprefix("cuda_tile.") for op in CudaTile.operations}


def test_every_operation_has_an_oracle() -> None:
    elementwise = {case.text.split()[0] for case in CASES}
    assert elementwise.isdisjoint(OTHER_ORACLES)
    assert elementwise | OTHER_ORACLES.keys() | WITHOUT_MEANING == _names()


@pytest.mark.parametrize("operation", OTHER_ORACLES)
def test_the_tests_exist_and_use_the_operation(operation: str) -> None:
    for name in OTHER_ORACLES[operation]:
        path, _, function = name.rpartition(".")
        up = path.startswith("..")
        module = importlib.import_module(path if up else f".{path}", __package__)
        assert callable(getattr(module, function))
        source = inspect.getsource(module)
        assert operation in source or operation.removeprefix("make_") in source
