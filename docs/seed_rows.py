"""The examples and the rows of the tables of the five seeds, each with the test that holds it.

A seed is one of the documents that define the system: 000 "TileAS Layout and Buffer Family", 001
"Lowering: cuda_tile to nv_tileaa", 002 "Tile IR Specification, 8. Operations", 003 "nv_tileas
Operation Roster and Builders", 004 "nv_tileas Folds and Memory Consistency".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bench.road_rows import ATTRIBUTES, OPS

REPOSITORY = Path(__file__).resolve().parents[1]
FILECHECK = "tests/filecheck"
DIALECT = f"{FILECHECK}/dialects/nv_tileas"
PASSES = f"{FILECHECK}/transforms"
UNIT = "tests/unit"
TRANSFORMS = f"{UNIT}/transforms"


@dataclass(frozen=True)
class SeedRow:
    """An example or a row of a table, and the test that holds it."""

    seed: str
    section: str
    row: str
    file: str
    """A path in the repository."""
    anchor: str
    """The name of a test of a Python file; of another file, a text in it."""


Named = Sequence[tuple[str, str, str]]
"""Rows, each with its file and anchor."""


def _section(seed: str, section: str, rows: Named) -> Iterator[SeedRow]:
    for row, file, anchor in rows:
        yield SeedRow(seed, section, row, file, anchor)


LAYOUTS_EXAMPLE = f"{PASSES}/tileas-assign-load-store-layouts-example.mlir"
STAGES = f"{TRANSFORMS}/test_assign_layouts_stages.py"
CONVERSIONS = f"{TRANSFORMS}/test_tileas_remove_layout_conversions.py"
ALIASES = f"{TRANSFORMS}/tileas_remove_buffer_alias/test_aliases.py"
SLICING = f"{TRANSFORMS}/tileas_slicing/test_diagnostics.py"
COSTS = f"{UNIT}/analysis/access/test_copy_costs.py"
DESCRIPTORS = f"{UNIT}/dialects/nv_tileas/test_layout.py"
FOLDS = f"{PASSES}/canonicalization_patterns/nv_tileas.mlir"
FOLD_TESTS = f"{TRANSFORMS}/canonicalization_patterns/test_nv_tileas.py"
INTERFACES = f"{UNIT}/dialects/nv_tileas/test_interfaces.py"
EXAMPLES_001 = f"{PASSES}/convert-cuda-tile-to-tileaa-examples.mlir"
LOWERING = f"{TRANSFORMS}/test_convert_cuda_tile_to_tileaa.py"
SINGLETONS = f"{TRANSFORMS}/test_singletons.py"
BAD_TILES = f"{DIALECT}/invalid_tiled_memory.mlir"
BAD_TMA = f"{DIALECT}/invalid_tma.mlir"
BAD_PIPELINES = f"{DIALECT}/invalid_async_pipeline.mlir"
TILES = f"{DIALECT}/ops_tiled_memory.mlir"
MASKED = f"{UNIT}/dialects/nv_tileas/test_masked_accesses.py"
TMA = f"{DIALECT}/ops_tma.mlir"
PIPELINES = f"{DIALECT}/ops_async_pipeline.mlir"
BUILDERS = f"{UNIT}/builders"
INPUTS = f"{UNIT}/test_seed_inputs.py"
MODIFICATIONS = f"{UNIT}/dialects/nv_tileas/test_modifications.py"
NESTS = f"{TRANSFORMS}/canonicalization_patterns/test_nests.py"
SCALARS = f"{UNIT}/pipelines/test_padding_scalars.py"
WORDS = f"{UNIT}/dialects/cuda_tile/test_optional_words.py"
CHOICES_TEST = "test_the_choices_of_the_worked_example"
REWRITE_TEST = "test_the_body_may_not_change_between_plan_and_rewrite"

LAYOUT_FAMILY: tuple[tuple[str, Named], ...] = (
    (
        "Pass roster",
        [
            (f"`{name}`", f"{PASSES}/{name}.mlir", f"-p {name}")
            for name in (
                "tileas-assign-load-store-layouts",
                "tileas-remove-layout-conversions",
                "tileas-remove-buffer-alias",
                "tileas-remove-dead-args",
                "tileas-resolve-agent-boundary",
                "tileas-slicing",
            )
        ],
    ),
    (
        "Assign load/store layouts",
        [
            ("diagnostic: no common memKind", STAGES, "test_no_common_memory"),
            ("`produce_one`", STAGES, "test_the_value_is_a_buffer_under_all_its_names"),
            ("`consume_one`", STAGES, "test_a_warpgroup_takes_its_operand_from_the_stage"),
            ("`view`", STAGES, "test_storage_that_is_open_goes_to_shared_memory_and_views_follow"),
            ("`convert_layout`", STAGES, "test_a_warp_takes_its_operand_by_a_conversion"),
            ("input and output", LAYOUTS_EXAMPLE, "RUN"),
        ],
    ),
    (
        "Cost model",
        [
            ("`LDSM_M88`: 12", COSTS, "test_the_worked_example"),
            ("`LDSM_M816`: 18", COSTS, "test_the_worked_example"),
            ("`CP_ASYNC_BULK_TENSOR`: 1", COSTS, "test_the_worked_example"),
            (
                "the choice among three and among two",
                COSTS,
                CHOICES_TEST,
            ),
            ("ties", COSTS, "test_ties_are_broken_by_registers_then_transactions"),
            ("shared memory: bank conflicts", COSTS, "test_vector_transactions"),
            ("tensor memory: cycles", COSTS, "test_tensor_memory_cycles"),
            ("registers", COSTS, "test_registers"),
        ],
    ),
    (
        "Candidate records",
        [
            (
                "A register, A memory, B register, B memory",
                f"{TRANSFORMS}/test_assign_layouts_options.py",
                "test_the_report_of_conversions_and_products",
            ),
        ],
    ),
    (
        "Remove layout conversions",
        [
            ("what folds", CONVERSIONS, "test_a_conversion_goes"),
            ("failure modes", CONVERSIONS, "test_a_conversion_stays"),
            (
                "diagnostic of the buffer side",
                CONVERSIONS,
                "test_a_buffer_that_cannot_be_made_in_a_layout",
            ),
            (
                "diagnostic of the register side",
                CONVERSIONS,
                "test_an_op_that_does_not_take_the_layout_it_is_given",
            ),
            ("input and output", f"{PASSES}/tileas-remove-layout-conversions.mlir", "RUN"),
        ],
    ),
    (
        "Remove buffer aliases",
        [
            ("select on a condition", f"{PASSES}/tileas-remove-buffer-alias.mlir", "select"),
            ("carried by a loop", f"{PASSES}/tileas-remove-buffer-alias.mlir", "scf.for"),
            ("tracer, its diagnostic", ALIASES, "test_untraced_aliases_stay_and_all_others_go"),
            ("another layout is copied", ALIASES, "test_an_alias_in_another_layout_is_copied"),
            ("convergence", ALIASES, "test_a_second_run_changes_nothing"),
        ],
    ),
    (
        "Remove dead region arguments",
        [("input and output", f"{PASSES}/tileas-remove-dead-args.mlir", "%pre_acc")],
    ),
    (
        "Slicing",
        [
            ("six diagnostics", SLICING, "test_refused"),
            (
                "diagnostic of the rewrite",
                SLICING,
                REWRITE_TEST,
            ),
            ("input and output", f"{PASSES}/tileas-slicing.mlir", "sliceCount = 2"),
        ],
    ),
    (
        "Layout descriptor grammar",
        [
            (f"`{text}`", DESCRIPTORS, "test_descriptor_round_trips")
            for text in (
                "<(1,1),(0,0)>",
                "<(16,16),(1,16)>",
                "<(16,16),(1,16),swizzle<2,5,2>>",
                "<(16,(8,2)),(1,(16,8))>",
                "<(128,64),(64,1),swizzle<3,4,3>,elem=nvfp4>",
                "<((4,32),64),((1,512),16),elem=mxf4>",
            )
        ]
        + [
            ("unknown names", DESCRIPTORS, "test_bad_descriptor_is_a_parse_error_with_a_place"),
            ("`integer` is decimal", DESCRIPTORS, "test_integers_are_decimal"),
            ("`tuple` of one and of none", DESCRIPTORS, "test_layout_of_each_rank_is_read_back"),
        ],
    ),
)

LOWERING_SECTIONS: tuple[tuple[str, Named], ...] = (
    (
        "Examples",
        [
            (f"`{op}`", EXAMPLES_001, f"nv_tileaa.{op}")
            for op in ("addi", "rsqrt", "trunci", "fma", "dot", "reduce", "scan", "join_mem_token")
        ]
        + [
            ("join of one token", EXAMPLES_001, "A join of one token is that token."),
            ("join of none", EXAMPLES_001, "A join of none is a new one."),
            ("inputs to the letter", INPUTS, "test_inputs_become_what_the_seed_says"),
        ],
    ),
    (
        "Three populators",
        [(f"part {part}", LOWERING, "test_the_groups_share_no_op") for part in ("A", "B", "C")],
    ),
    (
        "Singleton pattern adders",
        [
            (f"`{op}`", SINGLETONS, "test_a_singleton_converts_its_op_alone")
            for op in ["trunci", "rsqrt", "maxi", "itof", "global", "fma", "constant", "assume"]
        ],
    ),
    (
        "Materialisers",
        [
            ("casts are reconciled", SINGLETONS, "test_later_conversions_reconcile_the_casts"),
            ("block arguments", LOWERING, "test_region_ops_change_their_block_arguments_with_them"),
        ],
    ),
    (
        "Failure modes",
        [
            (
                "what is left over",
                LOWERING,
                "test_what_is_left_over_is_named_with_its_location",
            ),
            (
                "block arguments that do not match",
                LOWERING,
                "test_a_region_op_whose_block_arguments_nobody_converts_is_rejected",
            ),
            (
                "compute capability",
                f"{TRANSFORMS}/test_diagnostics.py",
                "test_compute_capability",
            ),
        ],
    ),
)

ENUMERATION = f"{UNIT}/dialects/nv_tileas/test_pipeline_enumeration.py"

ENUMERATED = """
    create_pipeline produce_one produce_one_async consume_one consume_one_async consumer_read
    producer_write producer_acquire producer_commit consumer_wait consumer_release yield inc_iter
    create_iterator agent_switch
"""

ROSTER_TABLES: tuple[tuple[str, Named], ...] = (
    (
        "PipelineOp enum",
        [
            (f"{number} `{name}`", ENUMERATION, "test_op_has_the_shape_of_its_entry")
            for number, name in enumerate(ENUMERATED.split())
        ]
        + [("15", ENUMERATION, "test_sixteen_entries_of_which_the_last_is_reserved")],
    ),
    (
        "Worked example",
        [("producer and consumer", f"{DIALECT}/producer_consumer.mlir", "produce_one")],
    ),
    (
        "`make_tiled_tma_desc`",
        [
            ("global view", BAD_TMA, "expects a view of global memory"),
            ("element stride", BAD_TMA, "only support element_stride = 1 tma desc"),
            ("box dims", BAD_TMA, "tmaBoxDim and atomBoxDim length mismatch"),
            ("descriptor", TMA, "nv_tileas.make_tiled_tma_desc"),
            ("atom", BAD_TMA, "invalid TMA atom type"),
            ("swizzle_mode", TMA, "swizzle_mode"),
            ("oob_mode", TMA, "oob_mode"),
            (
                "alignment",
                BAD_TMA,
                "expected tma descriptor pointer to have alignment at",
            ),
            ("captures", BAD_TMA, "expected MakeTiledTMADescOp not depends on scf"),
        ],
    ),
    (
        "`async.tiled_tma_load`",
        [
            ("descriptor", BAD_TMA, "tma box-dim and copy atom box-dim mismatch"),
            ("shared destination", BAD_TMA, "expects a view of shared memory"),
            ("layout of the destination", BAD_TMA, "smem layout is not TMA compatible"),
            ("coords", BAD_TMA, "expects 2 coordinates, but got 3"),
            ("barrier and async token", TMA, "nv_tileas.async.tiled_tma_load"),
            ("atom", BAD_TMA, "expect a tma_load atom type"),
            ("padding_value", BAD_TMA, "TmaLoad only support padding of floating-point elements"),
        ],
    ),
    (
        "`async.tiled_tma_store`",
        [
            ("operands and async token", TMA, "nv_tileas.async.tiled_tma_store"),
            ("atom", BAD_TMA, "expect a tma_store atom type"),
        ],
    ),
    (
        "`async.gather_tma_load`, `async.scatter_tma_store`",
        [
            ("modes of the gather", BAD_TMA, "unsupported tma load mode 'tiled'"),
            ("modes of the scatter", BAD_TMA, "unsupported tma store mode 'tiled'"),
            ("padding of the gather", BAD_TMA, "GatherTmaLoad only support zero padding now"),
            ("padding of the scatter", BAD_TMA, "scatter_tma_store does not support padding_value"),
        ],
    ),
    (
        "`create_pipeline`",
        [
            ("buffer view", BAD_PIPELINES, "expects at least one buffer view"),
            ("numStages", BAD_PIPELINES, "expects at least one stage"),
            *(
                (name, PIPELINES, name)
                for name in ("producerGroupId", "consumerGroupId", "sharedMem", "dynamic")
            ),
        ],
    ),
    (
        "`produce_one`, `consume_one` and their asynchronous forms",
        [
            ("producer types", BAD_PIPELINES, "expects region arguement types to match"),
            ("iterator", BAD_PIPELINES, "expects iterator payload to match"),
            ("results", BAD_PIPELINES, "expects region result types to be match"),
            ("terminator", BAD_PIPELINES, "pipeline regions must end with"),
            ("consumer_idx", BAD_PIPELINES, "consumer_idx out of range for consumer group"),
            ("async token of a producer", PIPELINES, "produce_one_async"),
            ("async token of a consumer", PIPELINES, "consume_one_async"),
        ],
    ),
    (
        "Handshake",
        [
            ("`producer_acquire`", BAD_PIPELINES, "expects a producer's iterator"),
            ("`producer_commit`", PIPELINES, "producer_commit"),
            ("`consumer_wait`", PIPELINES, "consumer_wait"),
            ("`consumer_release`", PIPELINES, "consumer_release"),
            ("`create_iterator`", PIPELINES, "create_iterator"),
            ("`inc_iter`", PIPELINES, "inc_iter"),
        ],
    ),
    (
        "`tiled_load`",
        [
            ("view and coords", BAD_TILES, "expects 2 coordinates, but got 1"),
            ("offsets", BAD_TILES, "expects 2 offsets, but got 1"),
            ("token and result token", BAD_TILES, "requires a result token exactly where"),
            ("tile", BAD_TILES, "requires the same shape for tileSize and tensor value"),
            ("powers of two", BAD_TILES, "all dimensions must be powers of two"),
            ("atom", BAD_TILES, "expect a ldgsts, tma_load, ldg or unknown_copy atom type"),
            ("mem_semantic", BAD_TILES, "unsupported mem_semantic: acq_rel"),
            ("mem_scope", BAD_TILES, "mem_scope required when mem_semantic is not weak"),
            ("in_bounds", BAD_TILES, "incorrect number of in_bounds elements"),
            ("padding_value", BAD_TILES, "inbounds must be false when paddingValue is set"),
            ("padding_value, a scalar", SCALARS, "test_a_scalar_has_the_type_of_the_elements"),
            ("padding_value, to PTX", SCALARS, "test_tiles_are_padded_with_scalars"),
            ("residency", MODIFICATIONS, "test_accesses_are_of_memory"),
            ("operandSegmentSizes", TILES, "operandSegmentSizes = array<i32: 1, 2, 2, 1, 0>"),
            (
                "operandSegmentSizes without a mask",
                MASKED,
                "test_a_segment_for_the_mask_may_be_missing",
            ),
            ("mask", BAD_TILES, "expects a mask with a bit for each element"),
        ],
    ),
    (
        "`tiled_store`",
        [
            ("value", BAD_TILES, "requires the same size for tileSize and tensor"),
            ("token and result token", BAD_TILES, "%u = nv_tileas.tiled_store weak"),
            ("atom", BAD_TILES, "expect a stg, tma_store or unknown_copy atom type"),
            ("mem_semantic", BAD_TILES, "unsupported mem_semantic: acquire"),
            ("mask", BAD_TILES, "expects a view to access with a mask, but got memref"),
        ],
    ),
    (
        "`tiled_atomic_rmw`",
        [
            ("old value", BAD_TILES, "requires the same type for value and result"),
            ("atom", BAD_TILES, "expect a tma_redg or unknown_copy atom type"),
            ("mem_scope", BAD_TILES, "memScope required when memSemantic is not weak"),
            ("rmw_mode of 16-bit floats", BAD_TILES, "only supports add, max, min operations"),
            ("8-bit elements", BAD_TILES, "tiled_atomic_rmw not supported for 8-bit types"),
            ("16-bit integers", BAD_TILES, "tiled_atomic_rmw not supported for 16-bit integer"),
            ("rmw_mode", MODIFICATIONS, "test_elements_of_modifications"),
            ("view", MODIFICATIONS, "test_modifications_are_of_global_memory"),
        ],
    ),
    (
        "Builders",
        [
            (
                "pipelines",
                f"{BUILDERS}/test_pipelines.py",
                "test_regions_get_what_a_stage_holds_and_end_by_themselves",
            ),
            (
                "`agent_switch`",
                f"{BUILDERS}/test_pipelines.py",
                "test_agents_keep_bodies_groups_and_registers_together",
            ),
            (
                "view and tiled access",
                f"{BUILDERS}/test_tiled_memory.py",
                "test_load_carries_order_bounds_padding_and_token",
            ),
            ("zero accumulator", f"{BUILDERS}/test_dots.py", "test_zero_accumulator"),
            (
                "zero accumulator, to PTX",
                f"{TRANSFORMS}/convert_tileas_to_llvm/test_register_allocations.py",
                "test_what_is_computed",
            ),
            ("guarded dot", f"{BUILDERS}/test_dots.py", "test_predicate_guards_the_product"),
            ("mask", f"{BUILDERS}/test_dots.py", "test_mask_comes_from_indices"),
            (
                "dot simplification",
                f"{BUILDERS}/test_dot_simplification.py",
                "test_known_condition",
            ),
            ("arithmetic", f"{BUILDERS}/test_arithmetic.py", "test_wrappers_build_plain_ops"),
            ("index expression", f"{BUILDERS}/test_arithmetic.py", "test_index_expression"),
            (
                "materialize schedule",
                f"{BUILDERS}/test_schedule.py",
                "test_accesses_within_and_across_stages",
            ),
            (
                "build stages",
                f"{BUILDERS}/test_schedule.py",
                "test_stages_follow_the_longest_path",
            ),
            (
                "expand single tiled op",
                f"{BUILDERS}/test_schedule.py",
                "test_replicas_use_replicas_of_their_own_stage",
            ),
        ],
    ),
)

OPERATIONS: Mapping[str, str] = {
    "8.3 Core": """
        broadcast cat cmpf cmpi constant entry extract get_global get_num_tile_blocks
        get_tile_block_id global iota mmaf mmai module offset pack permute reduce
        reshape scan select unpack
    """,
    "8.4 Conversions": """
        bitcast exti ftof ftoi itof int_to_ptr ptr_to_int ptr_to_ptr trunci
    """,
    "8.5 Control flow": """
        assert break continue for if loop return yield
    """,
    "8.6 Memory": """
        join_tokens load_ptr_tko make_token store_ptr_tko
    """,
    "8.7 Floating point": """
        absf addf atan2 ceil cosh cos divf exp2 exp floor fma log2 log maxf minf mulf
        negf pow remf rsqrt sinh sin sqrt subf tanh tan
    """,
    "8.8 Integer and 8.9 bitwise": """
        absi addi divi maxi mini muli mulhii negi ori remi shli shri subi xori andi
    """,
    "8.10 Atomics": """
        atomic_cas_tko atomic_rmw_tko
    """,
    "8.11 Views": """
        get_index_space_shape get_tensor_shape load_view_tko make_partition_view
        make_tensor_view store_view_tko
    """,
    "8.12 Miscellaneous": """
        assume print_tko
    """,
}
"""The operations of the specification, section by section."""

OTHER_FILES: Mapping[str, str] = {
    "module": f"{FILECHECK}/dialects/cuda_tile/ops_integer.mlir",
}
"""Where an operation is shown by its full name alone."""

FOLD_SECTIONS: tuple[tuple[str, Named], ...] = (
    (
        "Patterns",
        [
            ("simplify extract slice", FOLDS, "A slice at constants gets a static type."),
            ("decompose loop iter args", FOLD_TESTS, "test_loop_allocates_in_its_body"),
            ("decompose if by insert slice", FOLDS, "Each arm allocates a tile of its own."),
            ("decompose if by extract slice", FOLD_TESTS, "test_equal_slices_become_one"),
            ("swap view and extract slice", FOLD_TESTS, "test_slice_comes_before_the_view"),
            ("coalesce perfectly nested loops", FOLD_TESTS, "test_loops_of_known_length"),
            ("nests of any depth", NESTS, "test_nests_of_every_depth_become_one_loop"),
            (
                "simplify extract from insert",
                FOLDS,
                "What has just been inserted is taken",
            ),
        ],
    ),
    (
        "Legality",
        [
            ("loops", FOLD_TESTS, "test_loop_is_kept"),
            ("slices", FOLD_TESTS, "test_slice_is_kept"),
            ("branches", FOLD_TESTS, "test_branch_is_kept"),
            ("views", FOLD_TESTS, "test_view_stays_before_the_slice"),
            ("extract from insert", FOLD_TESTS, "test_extract_from_insert_is_kept"),
            ("nests", FOLD_TESTS, "test_nest_is_kept"),
        ],
    ),
    (
        "Memory consistency interface",
        [
            ("which ops are in it, which not", INTERFACES, "test_members"),
            ("order", INTERFACES, "test_op_whose_order_matters_is_not_pure"),
            (
                "no pattern moves ordered ops",
                f"{TRANSFORMS}/canonicalization_patterns/test_nv_tileas_programs.py",
                "test_values_and_ordered_ops_are_kept",
            ),
        ],
    ),
    (
        "Layout conversion folding",
        [("a chain of conversions", CONVERSIONS, "test_a_chain_becomes_one_conversion")],
    ),
)


def shown_in(folder: str, word: str) -> str:
    """The first FileCheck file of valid IR that has a word.

    Raises ValueError if none has.
    """
    for path in sorted((REPOSITORY / folder).glob("ops_*.mlir")):
        if re.search(rf"(?<![\w.]){re.escape(word)}(?![\w.])", _text(path)):
            return path.relative_to(REPOSITORY).as_posix()
    raise ValueError(f"expected {word} in a FileCheck test of {folder}")


@cache
def _text(path: Path) -> str:
    return path.read_text("utf-8")


ATOMIC_FORMS: Named = (
    ("`atomic_rmw_tko` without a mode", WORDS, "test_an_absent_mode_is_addition_at_every_level"),
    ("a comma before `token =`", WORDS, "test_a_comma_may_be_before_each_token"),
)


def seed_rows() -> tuple[SeedRow, ...]:
    """Every row, seed by seed."""
    rows: list[SeedRow] = []
    for section, named in LAYOUT_FAMILY:
        rows += _section("000", section, named)
    for section, named in LOWERING_SECTIONS:
        rows += _section("001", section, named)
    for section, names in OPERATIONS.items():
        for op in names.split():
            file = OTHER_FILES.get(op) or shown_in(f"{FILECHECK}/dialects/cuda_tile", op)
            rows.append(SeedRow("002", section, f"`{op}`", file, op))
    rows += _section("002", "8.10.2 Defaults and examples", ATOMIC_FORMS)
    for family, names in OPS.items():
        for name in names:
            word = f"nv_tileas.{name}"
            rows.append(
                SeedRow("003", f"Family {family}", f"`{name}`", shown_in(DIALECT, word), word)
            )
    for name in ATTRIBUTES["003 attribute roster"]:
        spelled = {"mem_semantic": "acquire", "mem_scope": "gpu"}.get(name, name)
        rows.append(
            SeedRow("003", "Attribute roster", f"`{name}`", shown_in(DIALECT, spelled), spelled)
        )
    for section, named in ROSTER_TABLES:
        rows += _section("003", section, named)
    for section, named in FOLD_SECTIONS:
        rows += _section("004", section, named)
    return tuple(rows)
