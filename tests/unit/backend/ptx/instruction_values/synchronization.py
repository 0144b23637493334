"""Barriers, barrier objects, clusters and fences: what passes from thread to thread through them."""

from collections.abc import Callable, Mapping

import numpy as np

from tests.unit.backend.ptx.instruction_values.value import Loaded, Stored, Value, no_value
from tests.unit.emulator.instructions.cases import Array


def _numbers(count: int) -> Array:
    return np.random.default_rng(count).integers(0, 2**31, count).astype(np.int32)


_ORDERS = 4
"""In one of so many orders of the warps, or blocks, a missing barrier is seen."""

# Threads of a block: each stores to shared memory, and loads what another one stored.

_PUT = """%mine = llvm.getelementptr %smem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
llvm.store %a, %mine : i32, !llvm.ptr<3>
"""
_GET = """%last = llvm.sub %c{last}_i32, %tid : i32
%theirs = llvm.getelementptr %smem[%last] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
%d = llvm.load %theirs : !llvm.ptr<3> -> i32
"""


def _exchange(barrier: str, threads: int) -> Value:
    return Value(
        f"{_PUT}{barrier}\n{_GET.format(last=threads - 1)}",
        lambda before: {"d": before["a"][::-1]},
        loads={"a": Loaded("i32", _numbers(threads))},
        stores={"d": Stored("i32", np.zeros(threads, np.int32))},
        threads=threads,
        orders=_ORDERS,
    )


def _vote(kind: str, result: str, function: Callable[[Array], object]) -> Value:
    """What all threads of the block say of their numbers; they agree for `and`."""
    numbers = np.random.default_rng(64).integers(kind == "and", 3, 64).astype(np.int32)
    dtype = np.int32 if result == "i32" else np.bool_
    return Value(
        f"%d = nvvm.barrier #nvvm.reduction<{kind}> %a -> i32"
        if result == "i32"
        else f"%v = nvvm.barrier #nvvm.reduction<{kind}> %a -> i32\n"
        '%d = llvm.icmp "ne" %v, %c0_i32 : i32',
        lambda before: {"d": np.full(64, function(before["a"] != 0), dtype)},
        loads={"a": Loaded("i32", numbers)},
        stores={"d": Stored(result, np.zeros(64, dtype))},
        threads=64,
        orders=_ORDERS,
    )


_ARRIVE = Value(
    f"""{_PUT}%low = llvm.icmp "slt" %tid, %c64_i32 : i32
llvm.cond_br %low, ^arrives, ^waits
^arrives:
nvvm.barrier.arrive id = %c1_i32 number_of_threads = %c128_i32
llvm.br ^end(%a : i32)
^waits:
nvvm.barrier id = %c1_i32 number_of_threads = %c128_i32
{_GET.format(last=127).replace("%d", "%got")}
llvm.br ^end(%got : i32)
^end(%d: i32):""",
    lambda before: {"d": np.concatenate([before["a"][:64], before["a"][63::-1]])},
    loads={"a": Loaded("i32", _numbers(128))},
    stores={"d": Stored("i32", np.zeros(128, np.int32))},
    threads=128,
    orders=_ORDERS,
)
_EXIT = Value(
    """%low = llvm.icmp "slt" %tid, %c13_i32 : i32
llvm.cond_br %low, ^out, ^on
^out:
nvvm.exit
llvm.br ^on
^on:
%d = llvm.add %a, %c1_i32 : i32""",
    lambda before: {"d": np.where(np.arange(32) < 13, 0, before["a"] + 1)},
    loads={"a": Loaded("i32", _numbers(32))},
    stores={"d": Stored("i32", np.zeros(32, np.int32))},
)
_ELECT = Value(
    "%d = nvvm.elect.sync -> i1",
    lambda _: {"d": np.arange(64) % 32 == 0},
    stores={"d": Stored("i1", np.zeros(64, np.bool_))},
    threads=64,
)


# A barrier object: one thread arrives, and looks whether the phase is complete after each step.

_STATE = "%state = nvvm.mbarrier.arrive %object : !llvm.ptr<3> -> i64"
_SIMPLE = "nvvm.mbarrier.arrive %object : !llvm.ptr<3>"


_LOOK = "test.wait %object, %c0_i32 : !llvm.ptr<3>, i32"
_INIT = "nvvm.mbarrier.init %object, %c{}_i32 : !llvm.ptr<3>, i32"


def _phases(
    count: int, steps: tuple[str, ...], complete: str, look: str = _LOOK, init: str = _INIT
) -> Value:
    """`complete` has for each step whether `look` finds its phase complete: 1, or 0."""
    ops = [init.format(count)]
    stores: dict[str, Stored] = {}
    for index, step in enumerate(steps):
        ops += [step, f"%p{index} = nvvm.mbarrier.{look} -> i1"]
        stores[f"p{index}"] = Stored("i1", np.zeros(1, np.bool_))
    expected = {f"p{i}": np.array([flag == "1"]) for i, flag in enumerate(complete)}
    return Value("\n".join(ops), lambda _: expected, stores=stores, threads=1)


_CLUSTER = "{scope = #nvvm.mem_scope<cluster>}"
_COMPLETE = f"nvvm.mbarrier.complete_tx %object7, %c16_i32 {_CLUSTER} : !llvm.ptr<7>, i32"
_OBJECTS: Mapping[str, Value] = {
    "mbarrier.init.shared::cta.b64": _phases(3, (_SIMPLE, _SIMPLE, _SIMPLE), "001"),
    "mbarrier.init.b64": _phases(
        2,
        (_SIMPLE, _SIMPLE),
        "01",
        init="%generic = llvm.addrspacecast %object : !llvm.ptr<3> to !llvm.ptr\n"
        "nvvm.mbarrier.init %generic, %c{}_i32, predicate = %first : !llvm.ptr, i32, i1",
    ),
    "mbarrier.arrive.release.cluster.shared::cta.b64": _phases(
        3,
        (
            f"%none = nvvm.mbarrier.arrive %object, %c2_i32 {_CLUSTER} : !llvm.ptr<3> -> i64",
            _SIMPLE,
        ),
        "01",
    ),
    "mbarrier.try_wait.acquire.cluster.shared::cta.b64": _phases(
        2,
        (_STATE, _SIMPLE),
        "01",
        f"try_wait %object, %state, %c100_i32 {_CLUSTER} : !llvm.ptr<3>, i64, i32",
    ),
    "mbarrier.arrive.expect_tx.shared::cluster.b64 _": _phases(
        1,
        ("nvvm.mbarrier.arrive.expect_tx %object7, %c16_i32 : !llvm.ptr<7>, i32", _COMPLETE),
        "01",
    ),
    "mbarrier.inval.shared::cta.b64": _phases(
        3,
        (
            _SIMPLE,
            "nvvm.mbarrier.inval %object : !llvm.ptr<3>\n"
            "nvvm.mbarrier.init %object, %c2_i32 : !llvm.ptr<3>, i32",
            _SIMPLE,
            _SIMPLE,
        ),
        "0001",
    ),
    "mbarrier.arrive.shared::cta.b64": _phases(2, (_SIMPLE, _SIMPLE), "01"),
    "mbarrier.arrive.noComplete.shared::cta.b64": _phases(
        4,
        (
            "%none = nvvm.mbarrier.arrive.nocomplete %object, %c3_i32 : !llvm.ptr<3>, i32 -> i64",
            _SIMPLE,
        ),
        "01",
    ),
    # In the second phase one thread less is expected, so that its first arrival completes it.
    "mbarrier.arrive_drop.shared::cta.b64": _phases(
        2,
        (
            "%none = nvvm.mbarrier.arrive_drop %object : !llvm.ptr<3> -> i64",
            _SIMPLE,
            _SIMPLE,
        ),
        "010",
    ),
    "mbarrier.test_wait.shared::cta.b64": _phases(
        2, (_STATE, _SIMPLE), "01", "test.wait %object, %state : !llvm.ptr<3>, i64"
    ),
    "mbarrier.test_wait.parity.shared::cta.b64": _phases(
        1, (_SIMPLE, _SIMPLE), "01", "test.wait %object, %c1_i32 : !llvm.ptr<3>, i32"
    ),
    "mbarrier.try_wait.shared::cta.b64": _phases(
        2, (_STATE, _SIMPLE), "01", "try_wait %object, %state : !llvm.ptr<3>, i64"
    ),
    "mbarrier.try_wait.parity.shared::cta.b64": _phases(
        1, (_SIMPLE, _SIMPLE), "10", "try_wait %object, %c0_i32 : !llvm.ptr<3>, i32"
    ),
    "mbarrier.arrive.expect_tx.shared::cta.b64 _": _phases(
        1,
        ("nvvm.mbarrier.arrive.expect_tx %object, %c16_i32 : !llvm.ptr<3>, i32", _COMPLETE),
        "01",
    ),
    "mbarrier.expect_tx.relaxed.cta.shared::cta.b64": _phases(
        1,
        (
            "nvvm.mbarrier.expect_tx %object, %c16_i32 : !llvm.ptr<3>, i32",
            _SIMPLE,
            _COMPLETE,
        ),
        "001",
    ),
    "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64": _phases(
        1,
        (
            "nvvm.mbarrier.arrive.expect_tx %object, %c32_i32 : !llvm.ptr<3>, i32",
            _COMPLETE,
            _COMPLETE,
        ),
        "001",
    ),
}


# Clusters of two blocks: each loads what the other one stored, in shared memory of the other.

_PEER = """%peer = llvm.xor %rank, %c1_i32 : i32
%place = nvvm.mapa %mine, %peer : !llvm.ptr<3> -> !llvm.ptr<7>
%d = llvm.load %place : !llvm.ptr<7> -> i32
nvvm.cluster.arrive {aligned}
nvvm.cluster.wait {aligned}
"""
_FLIPPED = np.arange(64).reshape(2, 32)[::-1].ravel()


def _between_blocks(barrier: str) -> Value:
    return Value(
        f"{_PUT}{barrier}\n{_PEER}",
        lambda before: {"d": before["a"][_FLIPPED]},
        loads={"a": Loaded("i32", _numbers(64))},
        stores={"d": Stored("i32", np.zeros(64, np.int32))},
        blocks=2,
        cluster=2,
        orders=_ORDERS,
    )


_REMOTE_ARRIVAL = Value(
    """llvm.store %a, %other : i32, !llvm.ptr<3>
nvvm.mbarrier.init %object, %c1_i32 : !llvm.ptr<3>, i32
nvvm.cluster.arrive
nvvm.cluster.wait
%peer = llvm.xor %rank, %c1_i32 : i32
%theirs = nvvm.mapa %object, %peer : !llvm.ptr<3> -> !llvm.ptr<7>
%place = nvvm.mapa %other, %peer : !llvm.ptr<3> -> !llvm.ptr<7>
nvvm.mbarrier.arrive %theirs, %c1_i32 : !llvm.ptr<7>
nvvm.mbarrier.try_wait.parity %object, %c0_i32, %c1000_i32 : !llvm.ptr<3>, i32, i32
%d = llvm.load %place : !llvm.ptr<7> -> i32
nvvm.cluster.arrive
nvvm.cluster.wait""",
    lambda before: {"d": before["a"][::-1]},
    loads={"a": Loaded("i32", _numbers(2))},
    stores={"d": Stored("i32", np.zeros(2, np.int32))},
    threads=1,
    blocks=2,
    cluster=2,
    orders=_ORDERS,
)
_ALIGNED = "nvvm.cluster.arrive {aligned}\nnvvm.cluster.wait {aligned}"

_EXPLICIT = (
    'nvvm.inline_ptx "barrier.cluster.arrive.release;"\n'
    'nvvm.inline_ptx "barrier.cluster.wait.acquire;"'
)

_PROXY = "nvvm.fence.proxy {kind = #nvvm.proxy_kind<"
_RESTRICTED = "nvvm.fence.{}sync_restrict {{order = #nvvm.mem_order<{}>}}"
_FENCES = {
    "fence.acq_rel.gpu;": "nvvm.memory.barrier <gpu>",
    "fence.acq_rel.cluster;": "nvvm.memory.barrier <cluster>",
    "fence.proxy.async;": f"{_PROXY}async>}}",
    "fence.proxy.async.shared::cta;": f"{_PROXY}async.shared>, space = #nvvm.shared_space<cta>}}",
    "fence.mbarrier_init.release.cluster;": "nvvm.fence.mbarrier.init",
    "fence.proxy.async.global;": f"{_PROXY}async.global>}}",
    "fence.proxy.alias;": f"{_PROXY}alias>}}",
    "fence.sc.cluster;": "nvvm.fence.sc.cluster",
    "fence.acquire.sync_restrict::shared::cluster.cluster;": _RESTRICTED.format("", "acquire"),
    "fence.release.sync_restrict::shared::cta.cluster;": _RESTRICTED.format("", "release"),
    "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;": (
        _RESTRICTED.format("proxy.", "acquire")
    ),
    "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;": (
        _RESTRICTED.format("proxy.", "release")
    ),
    "fence.release.cluster;": 'nvvm.inline_ptx "fence.release.cluster;"',
    "fence.acquire.cluster;": 'nvvm.inline_ptx "fence.acquire.cluster;"',
    "fence.proxy.tensormap::generic.release.gpu;": "nvvm.fence.proxy.release <gpu>",
    "griddepcontrol.wait;": "nvvm.griddepcontrol wait",
    "griddepcontrol.launch_dependents;": "nvvm.griddepcontrol launch_dependents",
    "nanosleep.u32": "nvvm.nanosleep %tid",
}

VALUES: Mapping[str, Value] = {
    "bar.sync 0;": _exchange("nvvm.barrier", 64),
    "bar.sync 1, 128;": _exchange("nvvm.barrier id = %c1_i32 number_of_threads = %c128_i32", 128),
    "barrier.cta.sync 1, 64;": _exchange('nvvm.inline_ptx "barrier.cta.sync 1, 64;"', 64),
    "bar.arrive 1, 128;": _ARRIVE,
    "bar.red.popc.u32": _vote("popc", "i32", np.count_nonzero),
    "bar.red.and.pred": _vote("and", "i1", np.all),
    "bar.red.or.pred": _vote("or", "i1", np.any),
    "bar.warp.sync -1;": _exchange("nvvm.bar.warp.sync %all : i32", 32),
    "exit;": _EXIT,
    "elect.sync": _ELECT,
    **_OBJECTS,
    "mbarrier.arrive.shared::cluster.b64 _": _REMOTE_ARRIVAL,
    "mapa.shared::cluster.u32": _between_blocks(_ALIGNED),
    "barrier.cluster.arrive.aligned;": _between_blocks(_ALIGNED),
    "barrier.cluster.arrive;": _between_blocks("nvvm.cluster.arrive\nnvvm.cluster.wait"),
    "barrier.cluster.arrive.relaxed;": _between_blocks(
        "nvvm.memory.barrier <cluster>\nnvvm.cluster.arrive.relaxed\nnvvm.cluster.wait"
    ),
    "barrier.cluster.arrive.release;": _between_blocks(_EXPLICIT),
    "barrier.cluster.wait.acquire;": _between_blocks(_EXPLICIT),
    "barrier.cluster.wait;": _between_blocks("nvvm.cluster.arrive\nnvvm.cluster.wait"),
    "barrier.cluster.wait.aligned;": _between_blocks(_ALIGNED),
    **{opcode: no_value(op) for opcode, op in _FENCES.items()},
    "setmaxnreg.inc.sync.aligned.u32 232;": no_value(
        "nvvm.setmaxregister increase 232", threads=128
    ),
    "setmaxnreg.dec.sync.aligned.u32 40;": no_value("nvvm.setmaxregister decrease 40", threads=128),
}
