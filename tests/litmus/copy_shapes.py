"""Generated litmus tests of copies: `cp.async`, bulk copies, and what is between their proxies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tests.litmus.shapes import Shape, forbidden, load, store


def copies() -> Iterator[Shape]:
    copy, commit = "cp.async.ca.shared.global [x], [y], 4", "cp.async.commit_group"
    other = "cp.async.ca.shared.global [z], [y], 4"
    wait, read = "cp.async.wait_group", load("r0", "x", space="shared")
    state = "y=7; shared x=0; shared z=0"
    rows: tuple[tuple[str, str, tuple[tuple[str, ...], ...], str, bool], ...] = (
        (
            "wait_group",
            "A copy is done after the wait.",
            ((copy, commit, f"{wait} 0", read),),
            "forall (0:r0=7)",
            False,
        ),
        (
            "wait_all",
            "It is not committed, but waited for.",
            ((copy, "cp.async.wait_all", read),),
            "forall (0:r0=7)",
            False,
        ),
        ("no-wait", "Nothing waits.", ((copy, commit, read),), "exists (0:r0=0)", True),
        (
            "no-commit",
            "A copy that is not committed is in no group.",
            ((copy, f"{wait} 0", read),),
            "exists (0:r0=0)",
            True,
        ),
        (
            "pending",
            "The group is one that may be pending.",
            ((copy, commit, f"{wait} 1", read),),
            "exists (0:r0=0)",
            True,
        ),
        (
            "older",
            "The older one of two groups is done.",
            ((copy, commit, other, commit, f"{wait} 1", read),),
            "forall (0:r0=7)",
            False,
        ),
        (
            "newer",
            "The newer one is not.",
            ((other, commit, copy, commit, f"{wait} 1", read),),
            "exists (0:r0=0)",
            True,
        ),
        (
            "bar",
            "Other threads see a copy after the wait and a barrier.",
            ((copy, commit, f"{wait} 0", "bar.sync 0"), ("bar.sync 0", read)),
            "forall (1:r0=7)",
            False,
        ),
        (
            "bar.early",
            "The wait comes after the barrier.",
            ((copy, commit, "bar.sync 0", f"{wait} 0"), ("bar.sync 0", read)),
            "exists (1:r0=0)",
            True,
        ),
        (
            "source",
            "What is copied is overwritten before the wait.",
            ((copy, commit, store("y", 8), f"{wait} 0", read),),
            "exists (0:r0=8)",
            True,
        ),
        (
            "before",
            "A store before the copy is copied.",
            ((store("y", 9), copy, commit, f"{wait} 0", read),),
            "forall (0:r0=9)",
            False,
        ),
    )
    for name, comment, columns, condition, race in rows:
        yield Shape("cp.async", name, comment, columns, condition, race, state, "cta")
    for name, first, race in (
        ("noinc", (copy, "cp.async.mbarrier.arrive.noinc.shared.b64 [m]"), False),
        ("noinc.early", ("cp.async.mbarrier.arrive.noinc.shared.b64 [m]", copy), True),
    ):
        yield Shape(
            "cp.async",
            name,
            "An object counts the copies that were started before.",
            (
                ("mbarrier.init.shared.b64 [m], 1", "bar.sync 0", *first),
                ("bar.sync 0", "mbarrier.test_wait.parity.shared.b64 p0, [m], 0", f"@p0 {read}"),
            ),
            forbidden("1:p0=1 /\\ 1:r0=0", when=not race),
            race,
            state + "; mbarrier m",
            "cta",
        )


def copies_across_proxies() -> Iterator[Shape]:
    """What `cp.async` writes is written through the generic proxy."""
    copy = ("cp.async.ca.shared.global [x], [y], 4", "cp.async.commit_group")
    wait, fence = "cp.async.wait_group 0", "fence.proxy.async"
    store_tile = (
        "cp.async.bulk.global.shared::cta.bulk_group [z], [x], 16",
        "cp.async.bulk.commit_group",
        "cp.async.bulk.wait_group 0",
        load("r0", "z"),
    )
    rows: tuple[tuple[str, str, tuple[tuple[str, ...], ...], bool], ...] = (
        ("fence", "A fence follows the wait.", ((*copy, wait, fence, *store_tile),), False),
        ("no-fence", "There is no proxy fence.", ((*copy, wait, *store_tile),), True),
        (
            "fence.early",
            "The fence is before the wait.",
            ((*copy, fence, wait, *store_tile),),
            True,
        ),
        (
            "fence.bar",
            "Who copied has the fence.",
            ((*copy, wait, fence, "bar.sync 0"), ("bar.sync 0", *store_tile)),
            False,
        ),
        (
            "bar.fence",
            "Who stores has the fence.",
            ((*copy, wait, "bar.sync 0"), ("bar.sync 0", fence, *store_tile)),
            False,
        ),
        (
            "bar.no-fence",
            "A barrier is no proxy fence.",
            ((*copy, wait, "bar.sync 0"), ("bar.sync 0", *store_tile)),
            True,
        ),
    )
    for name, comment, columns, race in rows:
        outcome = f"({len(columns) - 1}:r0={0 if race else 7})"
        yield Shape(
            "cp.async",
            f"bulk.{name}",
            comment,
            columns,
            f"exists {outcome}" if race else f"forall {outcome}",
            race,
            "y=7; z=5; shared x=0",
            "cta",
        )


_TO_SHARED = "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [x], [y], 16, [m]"
_TO_GLOBAL = "cp.async.bulk.global.shared::cta.bulk_group [y], [x], 16"


def bulk_copies() -> Iterator[Shape]:
    read = load("r0", "x", space="shared")
    test = "mbarrier.test_wait.parity.shared.b64 p0, [m], 0"
    expect = "mbarrier.arrive.expect_tx.shared.b64 _, [m], 16"
    start = ("mbarrier.init.shared.b64 [m], 1", "fence.proxy.async", "bar.sync 0")
    for name, comment, last, race in (
        ("load", "Who sees the phase complete sees the copy.", f"@p0 {read}", False),
        ("load.unguarded", "Nothing waits for the copy.", read, True),
    ):
        yield Shape(
            "bulk",
            name,
            comment,
            ((*start, expect, _TO_SHARED), ("bar.sync 0", test, last)),
            forbidden("1:p0=1 /\\ 1:r0=0", when=True) if not race else "exists (1:r0=0)",
            race,
            "y=7; shared x=0; mbarrier m",
            "cta",
        )
    for fence, race in (("fence.mbarrier_init.release.cluster", False), ("", True)):
        yield Shape(
            "bulk",
            f"load.{'mbarrier_init' if fence else 'no-fence'}",
            "A copy counts at a barrier object whose initialisation it has to see.",
            (
                (
                    "mbarrier.init.shared.b64 [m], 1",
                    *((fence,) if fence else ()),
                    expect,
                    _TO_SHARED,
                    test,
                    f"@p0 {read}",
                ),
                (load("r1", "y"),),
            ),
            "~exists (0:p0=1 /\\ 0:r0=0)",
            race,
            "y=7; shared x=0; mbarrier m",
            "cluster",
        )
    commit = "cp.async.bulk.commit_group"
    wait, wait_read = "cp.async.bulk.wait_group 0", "cp.async.bulk.wait_group.read 0"
    write, fence = store("x", 3, space="shared"), "fence.proxy.async"
    seen = load("r0", "y")
    rows: tuple[tuple[str, str, tuple[tuple[str, ...], ...], str, bool], ...] = (
        (
            "store",
            "A fence makes a store visible to the asynchronous proxy.",
            ((write, fence, _TO_GLOBAL, commit, wait, seen),),
            "forall (0:r0=3)",
            False,
        ),
        (
            "store.no-fence",
            "The copy may read what was there before.",
            ((write, _TO_GLOBAL, commit, wait, seen),),
            "exists (0:r0=0)",
            True,
        ),
        (
            "store.fence.late",
            "The fence comes too late.",
            ((write, _TO_GLOBAL, commit, fence, wait, seen),),
            "exists (0:r0=0)",
            True,
        ),
        (
            "store.bar",
            "The writer has the fence, another thread copies.",
            ((write, fence, "bar.sync 0"), ("bar.sync 0", _TO_GLOBAL, commit, wait, seen)),
            "forall (1:r0=3)",
            False,
        ),
        (
            "store.bar.after",
            "The thread that copies has the fence.",
            ((write, "bar.sync 0"), ("bar.sync 0", fence, _TO_GLOBAL, commit, wait, seen)),
            "forall (1:r0=3)",
            False,
        ),
        (
            "store.bar.no-fence",
            "A barrier is no proxy fence.",
            ((write, "bar.sync 0"), ("bar.sync 0", _TO_GLOBAL, commit, wait, seen)),
            "exists (1:r0=0)",
            True,
        ),
        (
            "store.no-wait",
            "Nothing waits for the copy to write.",
            ((write, fence, _TO_GLOBAL, commit, wait_read, seen),),
            "exists (0:r0=5)",
            True,
        ),
        (
            "store.reuse",
            "After the wait for reads the source may be overwritten.",
            (
                (
                    write,
                    fence,
                    _TO_GLOBAL,
                    commit,
                    wait_read,
                    store("x", 4, space="shared"),
                    wait,
                    seen,
                ),
            ),
            "forall (0:r0=3)",
            False,
        ),
        (
            "store.reuse.early",
            "The source is overwritten before the copy has read it.",
            ((write, fence, _TO_GLOBAL, commit, store("x", 4, space="shared"), wait, seen),),
            "exists (0:r0=4)",
            True,
        ),
        (
            "store.over",
            "A fence lets the copy overwrite a store to global memory.",
            ((write, store("y", 4), fence, _TO_GLOBAL, commit, wait, seen),),
            "forall (0:r0=3)",
            False,
        ),
        (
            "store.over.shared-fence",
            "A fence of shared memory does not order the store to global memory.",
            ((write, store("y", 4), f"{fence}.shared::cta", _TO_GLOBAL, commit, wait, seen),),
            "exists (0:r0=4)",
            True,
        ),
    )
    for name, comment, columns, condition, race in rows:
        yield Shape("bulk", name, comment, columns, condition, race, "y=5; shared x=0", "cta")


_RESTRICTED = "fence.proxy.async::generic"
PROXY_FENCES: Mapping[str, tuple[str, ...]] = {
    "fence.proxy.async": ("shared", "global"),
    "fence.proxy.async.shared::cta": ("shared",),
    "fence.proxy.async.shared::cluster": ("shared",),
    "fence.proxy.async.global": ("global",),
    f"{_RESTRICTED}.acquire.sync_restrict::shared::cluster.cluster": ("shared",),
    f"{_RESTRICTED}.release.sync_restrict::shared::cta.cluster": ("shared",),
    "fence.proxy.alias": (),
}
"""The state spaces that each form is for (PTX ISA, "membar / fence")."""


def proxy_fences() -> Iterator[Shape]:
    """Every form of a proxy fence between a store and a bulk copy that reads it."""
    expect = "mbarrier.arrive.expect_tx.shared.b64 _, [m], 16"
    test = "mbarrier.test_wait.parity.shared.b64 p0, [m], 0"
    done = ("cp.async.bulk.commit_group", "cp.async.bulk.wait_group 0")
    for fence, spaces in PROXY_FENCES.items():
        name = fence.removeprefix("fence.proxy.").replace("::", "-")
        for space in ("shared", "global"):
            works = space in spaces
            if space == "shared":
                state = "y=5; shared x=0"
                column = (store("x", 3, space="shared"), fence, _TO_GLOBAL, *done, load("r0", "y"))
                stale = "0:r0=0"
            else:
                state = "y=5; shared x=0; mbarrier m"
                read = f"@p0 {load('r0', 'x', space='shared')}"
                init = ("mbarrier.init.shared.b64 [m], 1", "fence.proxy.async.shared::cta")
                column = (*init, store("y", 3), fence, expect, _TO_SHARED, test, read)
                stale = "0:p0=1 /\\ 0:r0=5"
            comment = f"A fence {'' if works else 'not '}for {space} memory."
            condition = forbidden(stale, when=works)
            yield Shape(
                "proxy", f"{space}.{name}", comment, (column,), condition, not works, state, "cta"
            )


def copy_shapes() -> Iterator[Shape]:
    yield from proxy_fences()
    yield from copies()
    yield from copies_across_proxies()
    yield from bulk_copies()
