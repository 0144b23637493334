"""Kernels whose tile blocks meet in memory: with a result of their own, or one that order decides."""

from __future__ import annotations

from collections.abc import Mapping

BLOCKS = 4


def kernel(body: str) -> str:
    """A kernel of flags `%f` and results `%o`, in which block `%b` of `%n` has `%fb` and `%ob`."""
    return f"""cuda_tile.module @m {{ entry @k(%f: tile<ptr<i32>>, %o: tile<ptr<i32>>) {{
  %b, %by, %bz = get_tile_block_id : tile<i32>
  %n, %ny, %nz = get_num_tile_blocks : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %three = constant <i32: 3> : tile<i32>
  %hundred = constant <i32: 100> : tile<i32>
  %none = make_token : token
  %next = addi %b, %one : tile<i32>
  %after = remi %next, %n signed : tile<i32>
  %f1 = offset %f, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %o1 = offset %o, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %fb = offset %f, %b : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %ob = offset %o, %b : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
{body}
  return }} }}
"""


def load(value: str, pointer: str, token: str = "%none", how: str = "weak") -> str:
    return f"  %{value}, %{value}_t = load_ptr_tko {how} {pointer} token = {token} : tile<ptr<i32>> -> tile<i32>, token"


def store(name: str, pointer: str, value: str, token: str = "%none", how: str = "weak") -> str:
    return f"  %{name} = store_ptr_tko {how} {pointer}, {value} token = {token} : tile<ptr<i32>>, tile<i32> -> token"


def rmw(
    value: str, pointer: str, mode: str, operand: str, token: str = "%none", how: str = "relaxed"
) -> str:
    return f"  %{value}, %{value}_t = atomic_rmw_tko {how} device {pointer}, {mode}, {operand} token = {token} : tile<ptr<i32>>, tile<i32> -> tile<i32>, token"


def cas(
    value: str, pointer: str, compare: str, new: str, token: str = "%none", how: str = "acquire"
) -> str:
    return f"  %{value}, %{value}_t = atomic_cas_tko {how} device {pointer}, {compare}, {new} token = {token} : tile<ptr<i32>>, tile<i32> -> tile<i32>, token"


def spin(attempt: str, goal: str) -> str:
    """Does `attempt`, which makes %got and %got_t, until %got is `goal`; then %taken is a token."""
    return f"""  %taken = loop iter_values(%lt = %none) : token -> token {{
{attempt}
    %is = cmpi equal %got, {goal}, signed : tile<i32> -> tile<i1>
    if %is {{ break %got_t : token }}
    continue %got_t : token
  }}"""


def tries(attempt: str, goal: str) -> str:
    """The same with at most three attempts, after which a block goes on all the same."""
    return f"""  %taken = for %i in (%zero to %three, step %one) : tile<i32> iter_values(%lt = %none) -> (token) {{
{attempt}
    continue %got_t : token
  }}"""


def adding(token: str, amount: str = "%b") -> str:
    """Adds to the first result, after `token`; %done is its token."""
    return "\n".join(
        (
            load("x", "%o", token),
            f"  %y = addi %x, {amount} : tile<i32>",
            store("done", "%o", "%y", "%x_t"),
        )
    )


LOCK = spin(cas("got", "%f", "%zero", "%one", "%lt"), "%zero")
UNLOCK = rmw("free", "%f", "xchg", "%zero", "%done", "release")

"""Takes the lock `%f`, and gives it back."""

DEPENDENT: Mapping[str, str] = {
    "ticket": rmw("t", "%f", "add", "%one") + "\n" + store("s", "%ob", "%t"),
    "winner": cas("t", "%f", "%zero", "%next") + "\n" + store("s", "%ob", "%t"),
    "last exchange": rmw("t", "%f", "xchg", "%next"),
    "stores to one place": store("s", "%o", "%next"),
    "relaxed stores to one place": store("s", "%o", "%next", how="relaxed device"),
    "read of a neighbour": store("s", "%fb", "%next")
    + "\n"
    + load("x", "%f1", "%s")
    + "\n"
    + store("r", "%ob", "%x", "%x_t"),
    "lost update": adding("%none", "%one"),
    "relaxed lost update": "\n".join(
        (
            load("x", "%o", how="relaxed device"),
            "  %y = addi %x, %one : tile<i32>",
            store("s", "%o", "%y", "%x_t", how="relaxed device"),
        )
    ),
    "product under a lock": "\n".join(
        (
            LOCK,
            load("x", "%o", "%taken"),
            "  %w = muli %x, %three : tile<i32>",
            "  %y = addi %w, %next : tile<i32>",
            store("done", "%o", "%y", "%x_t"),
            UNLOCK,
        )
    ),
    "lock that is left after some tries": tries(cas("got", "%f", "%zero", "%one", "%lt"), "%zero")
    + "\n"
    + adding("%taken", "%one")
    + "\n"
    + UNLOCK,
}
"""Kernels of which some element depends on the order of tile blocks."""

OPENED = rmw("free", "%f", "xchg", "%one", "%done", "release")

DETERMINED: Mapping[str, str] = {
    "histogram": rmw("t", "%o", "add", "%next"),
    "work by tickets": "\n".join(
        (
            rmw("t", "%f", "add", "%one"),
            "  %ot = offset %o, %t : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>",
            "  %v = addi %t, %three : tile<i32>",
            store("s", "%ot", "%v"),
        )
    ),
    "sum under a lock": "\n".join((LOCK, adding("%taken"), UNLOCK)),
    "lock that starts taken": "\n".join(
        (
            "  %is_last = cmpi equal %after, %zero, signed : tile<i32> -> tile<i1>",
            "  if %is_last {",
            rmw("open", "%f", "xchg", "%one", "%none", "release"),
            "  }",
            spin(cas("got", "%f", "%one", "%zero", "%lt"), "%one"),
            adding("%taken"),
            OPENED,
        )
    ),
    "last block reads all": "\n".join(
        (
            store("s", "%ob", "%next"),
            rmw("t", "%f", "add", "%one", "%s", "acq_rel"),
            "  %count = addi %t, %one : tile<i32>",
            "  %is_last = cmpi equal %count, %n, signed : tile<i32> -> tile<i1>",
            "  if %is_last {",
            load("x", "%o", "%t_t"),
            load("y", "%o1", "%t_t"),
            "    %z = addi %x, %y : tile<i32>",
            store("r", "%f1", "%z"),
            "  }",
        )
    ),
}
"""Kernels whose result no order changes, though what some of their accesses read does change."""

DEPENDENT_AND_DETERMINED = "\n".join(
    (
        DEPENDENT["ticket"],
        "  %own = offset %ob, %n : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>",
        "  %v = addi %b, %three : tile<i32>",
        store("d", "%own", "%v"),
    )
)
"""A ticket decides the first elements, the number of the block the others."""

FAILING = "\n".join(
    (
        store("s", "%fb", "%next"),
        "  %fn = offset %fb, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>",
        load("x", "%fn", "%s"),
        "  %wide = muli %x, %hundred : tile<i32>",
        "  %far = offset %o, %wide : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>",
        store("w", "%far", "%one"),
    )
)
"""A store out of bounds, where a block reads what the next one has stored."""
