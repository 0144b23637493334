"""After the pass every buffer is an allocation or a view of one, and programs compute the same."""

import json
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path

import pytest
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, UnregisteredOp
from xdsl.ir import Attribute, SSAValue
from xdsl.parser import Parser
from xdsl.utils.hints import isa

from tileir_xdsl.analysis.buffers.origin import is_buffer
from tileir_xdsl.checking.dominance import verify_dominance
from tileir_xdsl.checking.observation import find_difference
from tileir_xdsl.diagnostics import REMARKS_ATTRIBUTE
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.tile import SelectOp
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.programs.comparison import observe
from tileir_xdsl.testing.tileas_programs import generate
from tileir_xdsl.transforms.tileas_remove_buffer_alias.layout_changes import changes_layout

PASS = "tileas-remove-buffer-alias"
SLOT = "tensor<16xf32, #nv_tileas.memory<smem>>"
BOTH = "tensor<2x16xf32, #nv_tileas.memory<smem>>"

SLOTS = f"""
%m = nv_tileas.alloc_tensor : {BOTH}
%a = nv_tileas.view %m {{offset = 0 : i64}} : {BOTH} to {SLOT}
%b = nv_tileas.view %m {{offset = 16 : i64}} : {BOTH} to {SLOT}
"""


def _function(body: str) -> ModuleOp:
    text = (
        "nv_tileaa.func @f(%flag: i1, %n: index, %c0: index, %c1: index) {\n"
        f"{body}\nnv_tileaa.return\n}}"
    )
    return tools.parse(text, allow_unregistered=True)


def _use(value: str, type_: str = SLOT) -> str:
    return f'"use"({value}) : ({type_}) -> ()\n'


def _after(body: str) -> str:
    return tools.to_text(tools.run_passes(_function(body), PASS))


def _other_names(module: ModuleOp) -> list[str]:
    """The ops that still give a buffer another name, or look at one through another view."""

    def names(values: list[SSAValue]) -> bool:
        return any(is_buffer(value.type) for value in values)

    found: list[str] = []
    for op in module.walk():
        match op:
            case SelectOp() | arith.SelectOp() | scf.ForOp() | scf.IfOp() | scf.WhileOp():
                if names([*op.results, *(op.arguments if isinstance(op, scf.WhileOp) else ())]):
                    found.append(op.name)
            case nv_tileas.ViewOp() if is_buffer(op.result.type):
                if isinstance(op.source.owner, nv_tileas.ViewOp):
                    found.append(op.name)
            case nv_tileas.AgentSwitchOp():
                given = [value for value in op.inputs if is_buffer(value.type)]
                makers = [value.owner for value in given]
                if len(set(makers)) < len(makers) or not all(
                    isinstance(maker, nv_tileas.AllocTensorOp) for maker in makers
                ):
                    found.append(op.name)
            case _:
                pass
    return found


@pytest.mark.parametrize("first", range(0, 100, 50))
def test_random_programs_have_one_name_for_each_allocation(first: int):
    for seed in range(first, first + 50):
        module = tools.run_passes(generate(seed).module.clone(), PASS)
        assert _other_names(module) == [], f"seed {seed}"


def test_a_second_run_changes_nothing():
    for seed in range(30):
        module = tools.run_passes(generate(seed).module.clone(), PASS)
        text = tools.to_text(module)
        assert tools.to_text(tools.run_passes(module, PASS)) == text, f"seed {seed}"


def test_a_choice_between_names_of_one_slot_chooses_nothing():
    after = _after(SLOTS + f"%s = tile.select %flag, %b, %b : {SLOT}\n" + _use("%s"))
    tools.check(
        after,
        f"""
// CHECK:      %m = nv_tileas.alloc_tensor
// CHECK-NEXT: %s = nv_tileas.view %m {{offset = 16 : i64}} : {BOTH} to {SLOT}
// CHECK-NEXT: "use"(%s)
""",
    )


def test_choices_between_choices():
    body = (
        f"%s = arith.select %flag, %a, %b : {SLOT}\n"
        f"%t = tile.select %flag, %s, %a : {SLOT}\n" + _use("%t")
    )
    tools.check(
        _after(SLOTS + body),
        """
// CHECK:      %[[S:.*]] = tile.select %flag, %{{.*}}, %{{.*}} : index
// CHECK:      %[[T:.*]] = tile.select %flag, %[[S]], %{{.*}} : index
// CHECK-NEXT: %t = nv_tileas.view %m offset %[[T]] :
// CHECK-NEXT: "use"(%t)
""",
    )


def test_offsets_of_views_add_up():
    body = (
        f"%v = nv_tileas.view %b offset %n : {SLOT} to tensor<8xf32, #nv_tileas.memory<smem>>\n"
        "%w = nv_tileas.view %v {offset = 4 : i64} : tensor<8xf32, #nv_tileas.memory<smem>> "
        "to tensor<4xf32, #nv_tileas.memory<smem>>\n"
        + _use("%w", "tensor<4xf32, #nv_tileas.memory<smem>>")
    )
    tools.check(
        _after(SLOTS + body),
        """
// CHECK:      %[[C:.*]] = arith.constant 20 : index
// CHECK-NEXT: %[[SUM:.*]] = arith.addi %n, %[[C]] : index
// CHECK-NEXT: %w = nv_tileas.view %m offset %[[SUM]] :
// CHECK-NEXT: "use"(%w)
""",
    )


def test_a_branch_gives_an_offset():
    body = (
        f"%r = scf.if %flag -> ({SLOT}) {{\n{_use('%a')}scf.yield %a : {SLOT}\n}} else {{\n"
        f"scf.yield %b : {SLOT}\n}}\n" + _use("%r")
    )
    tools.check(
        _after(SLOTS + body),
        """
// CHECK:      %[[R:.*]] = scf.if %flag -> (index) {
// CHECK:        scf.yield %{{.*}} : index
// CHECK:        scf.yield %{{.*}} : index
// CHECK:      %r = nv_tileas.view %m offset %[[R]] :
// CHECK-NEXT: "use"(%r)
""",
    )


def test_a_loop_with_a_test_carries_an_offset():
    body = (
        f"%r = scf.while (%x = %a) : ({SLOT}) -> ({SLOT}) {{\n"
        f"scf.condition(%flag) %x : {SLOT}\n}} do {{\n^bb0(%y: {SLOT}):\n"
        f"{_use('%y')}scf.yield %b : {SLOT}\n}}\n" + _use("%r")
    )
    tools.check(
        _after(SLOTS + body),
        """
// CHECK:      %[[R:.*]] = scf.while (%[[X:.*]] = %{{.*}}) : (index) -> index {
// CHECK-NEXT:   scf.condition(%flag) %[[X]] : index
// CHECK:      ^bb0(%[[Y:.*]]: index):
// CHECK-NEXT:   %y = nv_tileas.view %m offset %[[Y]] :
// CHECK-NEXT:   "use"(%y)
// CHECK:        scf.yield %{{.*}} : index
// CHECK:      %r = nv_tileas.view %m offset %[[R]] :
""",
    )


PIPE = "nv_tileas.async.pipeline"
STAGE = ", ".join(["tile<16xf32, #nv_tileas.memory<smem>>"] * 3)
ITERATOR = f"!{PIPE}.iterator<{STAGE}>"
CONSUMER = f"!{PIPE}.consumer_token"


def _stage_loop(forwarded: Sequence[int]) -> str:
    """A loop whose test forwards some of the three buffers of a stage, and the token."""
    slots, pairs = ", ".join([SLOT] * 3), ", ".join([BOTH] * 3)
    count = len(forwarded)
    types = ", ".join([*[SLOT] * count, CONSUMER])
    values = ", ".join([*(f"%stage_{n}" for n in forwarded), "%token"])
    arguments = ", ".join([*(f"%inside_{n}: {SLOT}" for n in range(count)), f"%held: {CONSUMER}"])

    def uses(name: str) -> str:
        names = ", ".join(name.format(n) for n in range(count))
        return f'"use"({names}) : ({", ".join([SLOT] * count)}) -> ()\n'

    return f"""
    %m:3 = "made"() : () -> ({pairs})
    %p, %c = {PIPE}.create_pipeline %m#0, %m#1, %m#2 {{numStages = 2 : i32, producerGroupId = 0 : i8,
        consumerGroupId = 1 : i8, sharedMem = true}} : {pairs} -> !{PIPE}.producer_token, {CONSUMER}
    %at = {PIPE}.create_iterator %c : {CONSUMER} -> {ITERATOR}
    %r:{count + 1} = scf.while (%i = %at) : ({ITERATOR}) -> ({types}) {{
      %w = {PIPE}.consumer_wait %c, %i {{consumer_idx = 0 : i32}} : {CONSUMER}, {ITERATOR} -> {CONSUMER}
      %token, %stage_0, %stage_1, %stage_2 = {PIPE}.consumer_read %w {{consumer_idx = 0 : i32}} : {CONSUMER} -> {CONSUMER}, {slots}
      scf.condition(%flag) {values} : {types}
    }} do {{
    ^bb0({arguments}):
      {uses("%inside_{}")}
      scf.yield %at : {ITERATOR}
    }}
    {uses("%r#{}")}"""


def _place_in_read(value: SSAValue) -> int:
    """Which of the buffers of a stage a value is."""
    read = value.owner
    assert isinstance(read, nv_tileas.ConsumerReadOp)
    return next(place for place, buffer in enumerate(read.values) if buffer is value)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_each_buffer_of_a_stage_is_read_again_as_itself(count: int):
    """All have one type, so that their place alone tells them apart."""
    for forwarded in permutations(range(3), count):
        module = tools.run_passes(_function(_stage_loop(forwarded)), PASS)
        used = [
            op.operands
            for op in module.walk()
            if isinstance(op, UnregisteredOp) and op.op_name.data == "use"
        ]
        places = [[_place_in_read(value) for value in operands] for operands in used]
        assert places == [[*forwarded]] * 2


def test_what_else_a_loop_carries_stays():
    body = (
        "%t = arith.constant dense<1.0> : tensor<16xf32>\n"
        f"%p, %r, %q = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t, %x = %a, %v = %t)"
        f" -> (tensor<16xf32>, {SLOT}, tensor<16xf32>) {{\n"
        f"{_use('%x')}scf.yield %v, %x, %u : tensor<16xf32>, {SLOT}, tensor<16xf32>\n"
        "} {kept = 1 : i32}\n" + _use("%q", "tensor<16xf32>")
    )
    tools.check(
        _after(SLOTS + body),
        """
// CHECK:      %p, %q = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t, %v = %t) -> (tensor<16xf32>, tensor<16xf32>) {
// CHECK-NEXT:   "use"(%a)
// CHECK-NEXT:   scf.yield %v, %u : tensor<16xf32>, tensor<16xf32>
// CHECK-NEXT: } {kept = 1 : i32}
""",
    )


def test_isolated_agents_are_handed_the_allocation_and_offsets():
    switch = "nv_tileas.async.pipeline.agent_switch"
    body = (
        f"%v = nv_tileas.view %m offset %n : {BOTH} to {SLOT}\n"
        f"{switch} %flag, %v, %b {{num_agents_per_group = 1 : i32, isolated = true}} : "
        f"(i1, {SLOT}, {SLOT}) {{\n^bb0(%c: i1, %x: {SLOT}, %y: {SLOT}):\n"
        f"%s = tile.select %c, %x, %y : {SLOT}\n{_use('%s')}{_use('%y')}"
        "nv_tileas.async.pipeline.yield\n}\n"
    )
    module = tools.run_passes(_function(SLOTS + body), PASS)
    module.verify()
    tools.check(
        tools.to_text(module),
        f"""
// CHECK:      {switch} %flag, %m, %n {{num_agents_per_group = 1 : i32, isolated = true}} :
// CHECK-NEXT: ^bb0(%c : i1, %[[M:[a-z_0-9]+]] : {BOTH.replace("tensor", "tile")}, %[[N:[a-z_0-9]+]] : index):
// CHECK-NEXT:   %y = nv_tileas.view %[[M]] {{offset = 16 : i64}} :
// CHECK-NEXT:   %[[B:.*]] = arith.constant 16 : index
// CHECK-NEXT:   %[[S:.*]] = tile.select %c, %[[N]], %[[B]] : index
// CHECK-NEXT:   %s = nv_tileas.view %[[M]] offset %[[S]] :
// CHECK-NEXT:   "use"(%s)
// CHECK-NEXT:   "use"(%y)
""",
    )


def test_isolated_agents_are_handed_an_allocation_once():
    """By their first argument for it, also where another is the same or a view of it."""
    switch = "nv_tileas.async.pipeline.agent_switch"
    body = (
        f"{switch} %m, %flag, %m, %a {{num_agents_per_group = 1 : i32, isolated = true}} : "
        f"({BOTH}, i1, {BOTH}, {SLOT}) {{\n^bb0(%x: {BOTH}, %c: i1, %y: {BOTH}, %z: {SLOT}):\n"
        f"{_use('%x', BOTH)}{_use('%y', BOTH)}{_use('%z')}"
        "nv_tileas.async.pipeline.yield\n}\n"
    )
    tools.check(
        _after(SLOTS + body),
        f"""
// CHECK:      {switch} %m, %flag {{num_agents_per_group = 1 : i32, isolated = true}} :
// CHECK-NEXT: ^bb0(%x : {BOTH.replace("tensor", "tile")}, %c : i1):
// CHECK-NEXT:   %z = nv_tileas.view %x {{offset = 0 : i64}} :
// CHECK-NEXT:   "use"(%x)
// CHECK-NEXT:   "use"(%x)
// CHECK-NEXT:   "use"(%z)
""",
    )


def test_offsets_of_views_of_views_are_added():
    many = "tensor<8x2x16xf32, #nv_tileas.memory<smem>>"
    body = (
        f"%l = nv_tileas.alloc_tensor : {many}\n"
        f"%p = nv_tileas.view %l offset %n : {many} to {BOTH}\n"
        f"%q = nv_tileas.view %p offset %c0 : {BOTH} to {BOTH}\n"
        f"%r = nv_tileas.view %q {{offset = 16 : i64}} : {BOTH} to {SLOT}\n"
    )
    tools.check(
        _after(body + _use("%r")),
        """
// CHECK:      arith.addi %n, %c0 : index
// CHECK-NEXT: %[[BOTH:.*]] = arith.addi %n, %c0 : index
// CHECK-NEXT: %[[PART:.*]] = arith.constant 16 : index
// CHECK-NEXT: %[[ALL:.*]] = arith.addi %[[BOTH]], %[[PART]] : index
// CHECK-NEXT: %r = nv_tileas.view %l offset %[[ALL]] :
// CHECK-NEXT: "use"(%r)
""",
    )


def test_views_are_where_the_aliases_were():
    body = f'%s = tile.select %flag, %a, %b : {SLOT} loc("kernel.py":3:4)\n' + _use("%s")
    module = tools.run_passes(_function(SLOTS + body), PASS)
    (view,) = [op for op in module.walk() if isinstance(op, nv_tileas.ViewOp)]
    assert str(view.location) == 'loc("kernel.py":3:4)'


def test_choices_between_tiles_stay():
    body = (
        "%t = arith.constant dense<1.0> : tensor<16xf32>\n"
        "%s = tile.select %flag, %t, %t : tensor<16xf32>\n" + _use("%s", "tensor<16xf32>")
    )
    assert "tile.select %flag, %t, %t : tensor<16xf32>" in _after(body)


# What cannot be traced.

UNTRACED = {
    "a choice between two allocations": (
        f"%o = nv_tileas.alloc_tensor : {SLOT}\n%s = tile.select %flag, %a, %o : {SLOT}\n"
        + _use("%s"),
        f"tile.select %flag, %a, %o : {SLOT}",
    ),
    "a choice of what another op gives": (
        f'%o = "somewhere"() : () -> {SLOT}\n%s = tile.select %flag, %a, %o : {SLOT}\n'
        + _use("%s"),
        f"tile.select %flag, %a, %o : {SLOT}",
    ),
    "a loop that goes on with another allocation": (
        f"%o = nv_tileas.alloc_tensor : {SLOT}\n"
        f"%r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> ({SLOT}) {{\n"
        f"{_use('%x')}scf.yield %o : {SLOT}\n}}\n",
        f"iter_args(%x = %a) -> ({SLOT})",
    ),
    "a branch that gives one allocation or another": (
        f"%o = nv_tileas.alloc_tensor : {SLOT}\n"
        f"%r = scf.if %flag -> ({SLOT}) {{\nscf.yield %a : {SLOT}\n}} else {{\n"
        f"scf.yield %o : {SLOT}\n}}\n" + _use("%r"),
        f"%r = scf.if %flag -> ({SLOT})",
    ),
}


def _remarks(module: ModuleOp) -> list[str]:
    remarks = module.attributes.get(REMARKS_ATTRIBUTE, ArrayAttr(()))
    assert isa(remarks, ArrayAttr[DictionaryAttr])
    return [str(remark.data["message"]).strip('"') for remark in remarks]


@pytest.mark.parametrize("name", UNTRACED)
def test_untraced_aliases_stay_and_all_others_go(name: str):
    body, stays = UNTRACED[name]
    other = f"%other = tile.select %flag, %a, %b : {SLOT}\n" + _use("%other")
    module = _function(SLOTS + other + body + other.replace("%other", "%third"))
    tools.run_passes(module, PASS)
    assert _remarks(module) == ["Cannot find last written SSA."]
    after = tools.to_text(module)
    assert stays in after
    for value in ("%other", "%third"):
        assert f"{value} = nv_tileas.view %m offset" in after
    # What stays is found again, and changes nothing more.
    assert tools.to_text(tools.run_passes(module, PASS)) == after


def test_what_is_left_of_random_programs_computes_the_same():
    untraced = 0
    for seed in range(80):
        program = generate(seed, 14, mixes_allocations=True)
        module = tools.run_passes(program.module.clone(), PASS)
        if remarks := _remarks(module):
            assert set(remarks) == {"Cannot find last written SSA."}
            untraced += 1
            verify_dominance(module)
            before, after = (observe(program, m) for m in (program.module, module))
            assert find_difference(before, after, exact=True) is None, f"seed {seed}"
    assert untraced > 2


# Layouts.

ROWS = "tensor<16x8xf32, #nv_tileas.memory<smem, <(16, 8), (8, 1)>>>"
COLUMNS = "tensor<16x8xf32, #nv_tileas.memory<smem, <(16, 8), (1, 16)>>>"
TILE = "tensor<16x8xf32>"
RELAID = f"""
%m = nv_tileas.alloc_tensor : {ROWS}
%t = arith.constant dense<1.0> : {TILE}
%f = nv_tileas.copy %t into %m : {TILE} into {ROWS} -> {ROWS}
%a = nv_tileas.view %m : {ROWS} to {COLUMNS}
%b = nv_tileas.view %m : {ROWS} to {COLUMNS}
%s = tile.select %flag, %a, %b : {COLUMNS}
"""
READ = f"%r = nv_tileas.copy %s : {COLUMNS} -> {TILE}\n" + _use("%r", TILE)


def test_an_alias_in_another_layout_is_copied():
    tools.check(
        _after(RELAID + READ),
        f"""
// CHECK:      %f = nv_tileas.copy %t into %m
// CHECK-NEXT: %[[TILE:.*]] = nv_tileas.copy %m {{atom = #nv_tileas<atom lds_32>}} : {ROWS} -> tensor<16x8xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
// CHECK-NEXT: %[[NEW:.*]] = nv_tileas.alloc_tensor : {COLUMNS}
// CHECK-NEXT: %s = nv_tileas.copy %[[TILE]] into %[[NEW]] {{atom = #nv_tileas<atom sts_32>}} :
// CHECK-NEXT: %r = nv_tileas.copy %s : {COLUMNS} -> {TILE}
""",
    )


def _stored(layout: str) -> Attribute:
    shape, encoding = "2x16x8" if layout.startswith("(2,") else "16x8", f"smem, <{layout}>"
    text = f"tensor<{shape}xf32, #nv_tileas.memory<{encoding if layout else 'smem'}>>"
    return Parser(tools.context(), text).parse_type()


@pytest.mark.parametrize(
    ("storage", "alias", "changes"),
    [
        ("(16, 8), (8, 1)", "(16, 8), (8, 1)", False),
        ("(16, 8), (8, 1)", "(16, 8), (1, 16)", True),
        ("(16, 8), (8, 1)", "(16, 8), (16, 1)", True),
        # An open layout is that of the allocation, whichever has it.
        ("", "(16, 8), (8, 1)", False),
        ("(16, 8), (8, 1), swizzle<1, 4, 3>", "", False),
        # The swizzle counts, whatever the strides.
        ("(16, 8), (8, 1), swizzle<1, 4, 3>", "(16, 8), (8, 1)", True),
        ("(16, 8), (8, 1)", "(16, 8), (8, 1), swizzle<1, 4, 3>", True),
        (
            "(16, 8), (8, 1), swizzle<2, 4, 3>",
            "(16, 8), (8, 1), swizzle<1, 4, 3>",
            True,
        ),
        # A stage has the strides of its dimensions.
        ("(2, 16, 8), (128, 8, 1)", "(16, 8), (8, 1)", False),
        ("(2, 16, 8), (128, 8, 1)", "(16, 8), (1, 16)", True),
        (
            "(2, 16, 8), (128, 8, 1), swizzle<1, 4, 3>",
            "(16, 8), (8, 1), swizzle<1, 4, 3>",
            False,
        ),
    ],
)
def test_which_aliases_have_another_layout(storage: str, alias: str, changes: bool):
    assert changes_layout(_stored(storage), _stored(alias)) == changes


WRITES = {
    "through the alias": f"%g = nv_tileas.copy %t into %s : {TILE} into {COLUMNS} -> {COLUMNS}\n",
    "to the allocation": f"%g = nv_tileas.copy %t into %m : {TILE} into {ROWS} -> {ROWS}\n",
    "to the allocation, sometimes": (
        f"scf.if %flag {{\n%g = nv_tileas.copy %t into %m : {TILE} into {ROWS} -> {ROWS}\n}}\n"
    ),
    "by an op of unknown effect": _use("%m", ROWS),
}

EARLIER_STORE = f"nv_tileas.tiled_store weak %t, %m : {TILE}, {ROWS}\n"
"""A store that tokens would order, if there were any."""


@pytest.mark.parametrize("name", WRITES)
def test_an_alias_that_is_written_stays_a_view(name: str):
    after = _after(RELAID + WRITES[name] + READ)
    assert f"%s = nv_tileas.view %m : {ROWS} to {COLUMNS}" in after
    assert after.count("alloc_tensor") == 1


def test_an_alias_of_what_is_written_at_any_time_stays_a_view():
    head, fill, tail = RELAID.partition("%f = ")
    after = _after(head + EARLIER_STORE + fill + tail + READ)
    assert after.count("alloc_tensor") == 1


def test_parts_with_the_strides_of_the_whole_are_no_copies():
    whole = "tensor<32x8xf32, #nv_tileas.memory<smem, <(32, 8), (8, 1)>>>"
    body = (
        f"%m = nv_tileas.alloc_tensor : {whole}\n"
        f"%a = nv_tileas.view %m {{offset = 0 : i64}} : {whole} to {ROWS}\n"
        f"%b = nv_tileas.view %m {{offset = 128 : i64}} : {whole} to {ROWS}\n"
        f"%s = tile.select %flag, %a, %b : {ROWS}\n" + _use("%s", ROWS)
    )
    assert _after(body).count("alloc_tensor") == 1


# The report.


def test_the_report_tells_of_every_alias(tmp_path: Path):
    body = (
        f"%s = tile.select %flag, %a, %b : {SLOT}\n"
        f"%r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %b) -> ({SLOT}) {{\n"
        f"{_use('%x')}scf.yield %x : {SLOT}\n}}\n" + _use("%s")
    )
    file = tmp_path / "report.json"
    tools.run_passes(_function(SLOTS + body), f'{PASS}{{explain="{file}"}}')
    assert json.loads(file.read_text()) == {
        "pass": PASS,
        "functions": {
            "f": [
                {
                    "alias": "#3 tile.select %s",
                    "position": 0,
                    "allocation": "#0 nv_tileas.alloc_tensor %m",
                    "offset": "known when the program runs",
                    "became": "chooses an offset",
                },
                {
                    "alias": "#4 scf.for %r",
                    "position": 0,
                    "allocation": "#0 nv_tileas.alloc_tensor %m",
                    "offset": "16",
                    "became": "names the allocation",
                },
            ]
        },
    }


def test_ops_outside_of_functions_are_rewritten_too(tmp_path: Path):
    body = '%flag = "flag"() : () -> i1\n' + SLOTS
    body += f"%s = tile.select %flag, %a, %b : {SLOT}\n" + _use("%s")
    file = tmp_path / "report.json"
    module = tools.parse(body, allow_unregistered=True)
    tools.run_passes(module, f'{PASS}{{explain="{file}"}}')
    assert "%s = nv_tileas.view %m offset" in tools.to_text(module)
    assert list(json.loads(file.read_text())["functions"]) == ["module"]


def test_the_report_tells_of_aliases_that_stay(tmp_path: Path):
    body = UNTRACED["a choice between two allocations"][0]
    file = tmp_path / "report.txt"
    tools.run_passes(_function(SLOTS + body), f'{PASS}{{explain="{file}"}}')
    assert "became: stays: it leads to no allocation, or to several" in file.read_text()
