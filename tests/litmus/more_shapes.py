"""Generated litmus tests of single places, atomics, barriers and barrier objects, and all others."""

from __future__ import annotations

from collections.abc import Iterator

from tests.litmus.copy_shapes import copy_shapes
from tests.litmus.shapes import SCOPES, Column, Shape, forbidden, if_one, load, reaches, store

_CTA = "x=0"


def coherence() -> Iterator[Shape]:
    """One place. Strong accesses of scopes that include both threads, and weak ones."""
    for order in ("relaxed.gpu", "relaxed.cta", ""):
        works = order == "relaxed.gpu"
        name = order or "weak"
        race = not works

        def write(value: int, order: str = order) -> str:
            return store("x", value, order)

        def read(register: str, order: str = order) -> str:
            return load(register, "x", order)

        rows = (
            ("CoRR", ((write(1),), (read("r0"), read("r1"))), "1:r0=1 /\\ 1:r1=0"),
            ("CoRW1", ((read("r0"), write(1)),), "0:r0=1"),
            ("CoRW2", ((write(2),), (read("r0"), write(1))), "1:r0=2 /\\ x=2"),
            ("CoWR", ((write(1), read("r0")),), "0:r0=0"),
            ("CoWR2", ((write(1), read("r0")), (write(2),)), "0:r0=2 /\\ x=1"),
            ("CoWW", ((write(1), write(2)),), "x=1"),
        )
        for shape, columns, condition in rows:
            alone = len(columns) == 1
            yield Shape(
                "coherence",
                f"{shape}+{name}",
                "All threads agree on the order of what they see of one place."
                if works
                else "One thread sees its own accesses in order."
                if alone
                else "Accesses that are not morally strong race.",
                columns,
                forbidden(condition, when=works or alone),
                race=race and not alone,
                state="x=0",
            )
    yield Shape(
        "coherence",
        "CoRR+four",
        "Two readers agree on the order of two writes.",
        (
            (store("x", 1, "relaxed.gpu"),),
            (store("x", 2, "relaxed.gpu"),),
            (load("r0", "x", "relaxed.gpu"), load("r1", "x", "relaxed.gpu")),
            (load("r0", "x", "relaxed.gpu"), load("r1", "x", "relaxed.gpu")),
        ),
        "~exists (2:r0=1 /\\ 2:r1=2 /\\ 3:r0=2 /\\ 3:r1=1)",
        race=False,
        state="x=0",
    )


def atomics() -> Iterator[Shape]:
    for places, scope, works in (
        ("cta", "cta", True),
        ("cluster", "cta", False),
        ("cluster", "cluster", True),
        ("gpu", "gpu", True),
        ("gpu", "cluster", False),
    ):
        add = f"atom.relaxed.{scope}.global.add.u32 r0, [x], 1"
        yield Shape(
            "atomics",
            f"add.{scope}.{places}",
            "Two additions: no update is lost where the scope includes both threads.",
            ((add,), (add,)),
            forbidden("0:r0=0 /\\ 1:r0=0", when=works),
            race=not works,
            state="x=0",
            places=places,
        )
    exchange = "atom.relaxed.gpu.global.exch.b32 r0, [x]"
    yield Shape(
        "atomics",
        "exch+store",
        "No store comes between what an exchange reads and what it writes.",
        ((f"{exchange}, 1",), (store("x", 2, "relaxed.gpu"),)),
        "~exists (0:r0=0 /\\ x=1 /\\ ~(x=1))",
        race=False,
        state="x=0",
    )
    yield Shape(
        "atomics",
        "add+store",
        "An addition is before a store, or adds to it.",
        (
            ("atom.relaxed.gpu.global.add.u32 r0, [x], 1",),
            (store("x", 4, "relaxed.gpu"),),
        ),
        "forall ((0:r0=0 /\\ x=4) \\/ (0:r0=4 /\\ x=5))",
        race=False,
        state="x=0",
    )
    yield Shape(
        "atomics",
        "add+weak-store",
        "A weak store races with an addition.",
        (("atom.relaxed.gpu.global.add.u32 r0, [x], 1",), (store("x", 4),)),
        "exists (0:r0=0 /\\ x=1)",
        race=True,
        state="x=0",
    )
    swap = "atom.relaxed.gpu.global.cas.b32 r0, [x], 0"
    yield Shape(
        "atomics",
        "cas",
        "One of two compare-and-swaps wins.",
        ((f"{swap}, 1",), (f"{swap}, 2",)),
        "forall ((0:r0=0 /\\ 1:r0=1 /\\ x=1) \\/ (0:r0=2 /\\ 1:r0=0 /\\ x=2))",
        race=False,
        state="x=0",
    )
    yield from _weak_accesses_and_swaps()
    for order, works in (("acquire", True), ("relaxed", False)):
        yield Shape(
            "atomics",
            f"lock+{order}",
            "What was done under a lock is seen by who takes it next.",
            (
                (store("x"), "atom.release.gpu.global.exch.b32 r9, [lock], 0"),
                (
                    f"atom.{order}.gpu.global.cas.b32 r2, [lock], 0, 1",
                    "setp.eq.u32 p0, r2, 0",
                    f"@p0 {load('r1', 'x')}",
                ),
            ),
            forbidden("1:r2=0 /\\ 1:r1=0", when=works),
            race=not works,
            state="x=0; lock=1",
        )
    for middle, works in (("relaxed", True), ("release", True)):
        yield Shape(
            "atomics",
            f"release-sequence+{middle}",
            "An acquire reads from an update of what was released.",
            (
                (store("x"), store("y", 1, "release.gpu")),
                (f"atom.{middle}.gpu.global.add.u32 r0, [y], 1",),
                (
                    load("r0", "y", "acquire.gpu"),
                    "setp.eq.u32 p0, r0, 2",
                    f"@p0 {load('r1', 'x')}",
                ),
            ),
            forbidden("2:r0=2 /\\ 2:r1=0", when=works),
            race=False,
        )
    yield Shape(
        "atomics",
        "release-sequence+store",
        "A relaxed store of another thread ends what was released.",
        (
            (store("x"), store("y", 1, "release.gpu")),
            (load("r0", "y", "relaxed.gpu"), *if_one("r0", store("y", 2, "relaxed.gpu"))),
            (
                load("r0", "y", "acquire.gpu"),
                "setp.eq.u32 p0, r0, 2",
                f"@p0 {load('r1', 'x')}",
            ),
        ),
        "exists (2:r0=2 /\\ 2:r1=0)",
        race=True,
    )


def _weak_accesses_and_swaps() -> Iterator[Shape]:
    """Compare-and-swaps and weak accesses: one that fails is a read."""
    swap = "atom.relaxed.gpu.global.cas.b32 r0, [x]"
    works, fails = f"{swap}, 0, 1", f"{swap}, 5, 1"
    release = (
        "atom.release.gpu.global.cas.b32 r0, [y], 0, 1",
        "atom.release.gpu.global.cas.b32 r0, [y], 5, 1",
    )
    flag = (load("r1", "y", "acquire.gpu"), "setp.eq.u32 p0, r1, 1", f"@p0 {load('r2', 'x')}")
    rows: tuple[tuple[str, str, tuple[tuple[str, ...], ...], str, bool], ...] = (
        (
            "cas+weak-load",
            "A weak load races with what a compare-and-swap writes.",
            ((works,), (load("r1", "x"),)),
            "exists (1:r1=0)",
            True,
        ),
        (
            "cas.fails+weak-load",
            "A compare-and-swap that fails is a read.",
            ((fails,), (load("r1", "x"),)),
            "forall (0:r0=0 /\\ 1:r1=0 /\\ x=0)",
            False,
        ),
        (
            "cas.fails+weak-store",
            "A weak store races with the read of a compare-and-swap that fails.",
            ((fails,), (store("x", 4),)),
            "exists (0:r0=0 /\\ x=4)",
            True,
        ),
        (
            "cas+weak-load.own",
            "A weak load of the same thread is ordered.",
            ((load("r1", "x"), works, load("r2", "x")),),
            "forall (0:r1=0 /\\ 0:r0=0 /\\ 0:r2=1)",
            False,
        ),
        (
            "cas.fails.cta+cas.fails.cta",
            "Reads do not race, however narrow their scopes are.",
            ((fails.replace("gpu", "cta"),), (fails.replace("gpu", "cta"),)),
            "forall (0:r0=0 /\\ 1:r0=0)",
            False,
        ),
        (
            "cas.cta+cas.fails.cta",
            "A write and a read whose scopes do not include each other race.",
            ((works.replace("gpu", "cta"),), (fails.replace("gpu", "cta"),)),
            "exists (1:r0=0)",
            True,
        ),
        (
            "cas+flag",
            "A compare-and-swap that writes releases.",
            ((store("x"), release[0]), flag),
            "~exists (1:r1=1 /\\ 1:r2=0)",
            False,
        ),
        (
            "cas.fails+flag",
            "One that fails releases nothing: who sees the flag has not synchronized.",
            (
                (store("x"), release[1], store("y", 1, "relaxed.gpu")),
                flag,
            ),
            "exists (1:r1=1 /\\ 1:r2=0)",
            True,
        ),
    )
    for name, comment, columns, condition, race in rows:
        yield Shape("atomics", name, comment, columns, condition, race)


def barriers() -> Iterator[Shape]:
    write, read = store("x", space="shared"), load("r0", "x", space="shared")
    weak, seen = store("x"), load("r0", "x")
    arrive, wait = "barrier.cluster.arrive", "barrier.cluster.wait"
    rows: tuple[tuple[str, str, tuple[tuple[str, ...], ...], str, bool, str, str], ...] = (
        (
            "bar.shared",
            "A barrier orders shared memory.",
            ((write, "bar.sync 0"), ("bar.sync 0", read)),
            "forall (1:r0=1)",
            False,
            "shared x=0",
            "cta",
        ),
        (
            "bar.global",
            "A barrier orders global memory within a block.",
            ((weak, "bar.sync 0"), ("bar.sync 0", seen)),
            "forall (1:r0=1)",
            False,
            "x=0",
            "cta",
        ),
        (
            "bar.after",
            "A write after the barrier is not seen, if another barrier follows the read.",
            (("bar.sync 0", "bar.sync 0", write), ("bar.sync 0", read, "bar.sync 0")),
            "~exists (1:r0=1)",
            False,
            "shared x=0",
            "cta",
        ),
        (
            "bar.missing",
            "Nothing orders the accesses.",
            ((write,), (read,)),
            "exists (1:r0=0)",
            True,
            "shared x=0",
            "cta",
        ),
        (
            "bar.late",
            "The write comes after the barrier.",
            (("bar.sync 0", write), ("bar.sync 0", read)),
            "exists (1:r0=0)",
            True,
            "shared x=0",
            "cta",
        ),
        (
            "bar.relaxed",
            "A barrier after a relaxed load acquires nothing from another block.",
            (
                (weak, store("y", 1, "release.gpu")),
                (load("r1", "y", "relaxed.gpu"), "bar.sync 0", *if_one("r1", seen)),
            ),
            "exists (1:r1=1 /\\ 1:r0=0)",
            True,
            "x=0; y=0",
            "gpu",
        ),
        (
            "bar.twice",
            "Each of two barriers orders what comes before it.",
            (
                (write, "bar.sync 0", "bar.sync 0", load("r1", "y", space="shared")),
                ("bar.sync 0", read, store("y", 2, space="shared"), "bar.sync 0"),
            ),
            "forall (1:r0=1 /\\ 0:r1=2)",
            False,
            "shared x=0; shared y=0",
            "cta",
        ),
        (
            "bar.arrive",
            "Who only arrives is seen by who waits.",
            ((write, "bar.arrive 1, 64"), ("bar.sync 1, 64", read)),
            "forall (1:r0=1)",
            False,
            "shared x=0",
            "cta",
        ),
        (
            "bar.arrive.back",
            "Who only arrives sees nothing.",
            (("bar.arrive 1, 64", read), (write, "bar.sync 1, 64")),
            "exists (0:r0=0)",
            True,
            "shared x=0",
            "cta",
        ),
        (
            "cluster",
            "The barrier of a cluster orders global memory.",
            ((weak, arrive, wait), (arrive, wait, seen)),
            "forall (1:r0=1)",
            False,
            "x=0",
            "cluster",
        ),
        (
            "cluster.shared",
            "It orders shared memory of other blocks.",
            (
                (store("x", space="shared::cluster"), arrive, wait),
                (arrive, wait, load("r0", "x", space="shared")),
            ),
            "forall (1:r0=1)",
            False,
            "shared(1) x=0",
            "cluster",
        ),
        (
            "cluster.relaxed",
            "A relaxed arrival releases nothing.",
            ((weak, "barrier.cluster.arrive.relaxed", wait), (arrive, wait, seen)),
            "exists (1:r0=0)",
            True,
            "x=0",
            "cluster",
        ),
        *(
            (
                f"cluster.relaxed.fence.{scope}",
                f"A fence of scope {scope} before a relaxed arrival.",
                ((weak, f"fence.acq_rel.{scope}", f"{arrive}.relaxed", wait), (arrive, wait, seen)),
                "forall (1:r0=1)" if reaches(scope, "cluster") else "exists (1:r0=0)",
                not reaches(scope, "cluster"),
                "x=0",
                "cluster",
            )
            for scope in SCOPES[:3]
        ),
        (
            "cluster.twice",
            "The barrier can be used again.",
            ((weak, arrive, wait, arrive, wait), (arrive, wait, seen, arrive, wait)),
            "forall (1:r0=1)",
            False,
            "x=0",
            "cluster",
        ),
        (
            "cluster.early",
            "The write comes between the arrival and the wait.",
            ((arrive, weak, wait), (arrive, wait, seen)),
            "exists (1:r0=0)",
            True,
            "x=0",
            "cluster",
        ),
    )
    for name, comment, columns, condition, race, state, places in rows:
        yield Shape("barriers", name, comment, columns, condition, race, state, places)


def _object(
    name: str,
    comment: str,
    first: tuple[str, ...],
    then: tuple[str, ...],
    *,
    works: bool,
    wait: str = "mbarrier.test_wait.parity.shared.b64 p0, [m], 0",
    count: int = 1,
) -> Shape:
    """A phase of a barrier object in place of a flag."""
    return Shape(
        "mbarrier",
        name,
        comment,
        (
            (f"mbarrier.init.shared.b64 [m], {count}", "bar.sync 0", *first),
            ("bar.sync 0", wait, *then),
        ),
        forbidden("1:p0=1 /\\ 1:r0=0", when=works),
        race=not works,
        state="shared x=0; mbarrier m",
        places="cta",
    )


def _scopes_of_objects() -> Iterator[Shape]:
    """Arrivals from another block of the cluster, and waits, at each scope and strength."""
    write = store("x")
    read = f"@p0 {load('r0', 'x')}"
    relaxed = _remote("relaxed.cluster")
    test = "mbarrier.test_wait.parity{}.shared.b64 p0, [m], 0"
    own = "mbarrier.test_wait.parity.acquire.cluster.shared.b64 p0, [m], 0"
    fence = "fence.acq_rel.{}"
    rows: list[tuple[str, str, Column, Column, bool]] = []
    for arrival in SCOPES[:2]:
        for wait in SCOPES[:2]:
            rows.append(
                (
                    f"remote.{arrival}.{wait}",
                    f"An arrival of scope {arrival} at another block, and a wait of scope {wait}.",
                    (_remote(f"release.{arrival}"),),
                    (test.format(f".acquire.{wait}"),),
                    arrival == wait == "cluster",
                )
            )
    for scope in SCOPES[:3]:
        works = reaches(scope, "cluster")
        rows += [
            (
                f"remote.fence.{scope}",
                f"A fence of scope {scope} and a relaxed arrival.",
                (fence.format(scope), relaxed),
                (own,),
                works,
            ),
            (
                f"remote.wait.fence.{scope}",
                f"A relaxed wait and a fence of scope {scope}.",
                (_remote("release.cluster"),),
                (test.format(".relaxed.cluster"), fence.format(scope)),
                works,
            ),
        ]
    restricted = {
        "release": ("fence.release.sync_restrict::shared::cta.cluster", relaxed),
        "acquire": (
            test.format(".relaxed.cluster"),
            "fence.acquire.sync_restrict::shared::cluster.cluster",
        ),
    }
    start, meet = (
        "mbarrier.init.shared.b64 [m], 1",
        ("barrier.cluster.arrive", "barrier.cluster.wait"),
    )
    for name, comment, first, then, works in rows:
        yield Shape(
            "mbarrier",
            name,
            comment,
            ((*meet, write, *first), (start, *meet, *then, read)),
            forbidden("1:p0=1 /\\ 1:r0=0", when=works),
            race=not works,
            state="x=0; mbarrier(1) m",
            places="cluster",
        )
    # A fence for shared memory alone, and what is passed in either memory.
    for space, (write, read, state) in {
        "global": (store("x"), load("r0", "x"), "x=0"),
        "shared": (
            store("x", space="shared"),
            load("r0", "x", space="shared::cluster"),
            "shared x=0",
        ),
    }.items():
        for direction, column in restricted.items():
            first = column if direction == "release" else (_remote("release.cluster"),)
            then = column if direction == "acquire" else (own,)
            works = space == "shared"
            yield Shape(
                "mbarrier",
                f"remote.restricted.{direction}.{space}",
                f"The fence of one side is for shared memory, the data in {space} memory.",
                ((*meet, write, *first), (start, *meet, *then, f"@p0 {read}")),
                forbidden("1:p0=1 /\\ 1:r0=0", when=works),
                race=not works,
                state=f"{state}; mbarrier(1) m",
                places="cluster",
            )


def _remote(semantics: str) -> str:
    return f"mbarrier.arrive.{semantics}.shared::cluster.b64 _, [m]"


def barrier_objects() -> Iterator[Shape]:
    write, read = store("x", space="shared"), f"@p0 {load('r0', 'x', space='shared')}"
    arrive = "mbarrier.arrive.shared.b64 _, [m]"
    yield _object(
        "arrive",
        "Who sees the phase complete sees what came before.",
        (write, arrive),
        (read,),
        works=True,
    )
    yield _object(
        "arrive.early", "The write comes after the arrival.", (arrive, write), (read,), works=False
    )
    yield _object(
        "arrive.relaxed",
        "A relaxed arrival releases nothing.",
        (write, "mbarrier.arrive.relaxed.cta.shared.b64 _, [m]"),
        (read,),
        works=False,
    )
    yield _object(
        "wait.relaxed",
        "A relaxed test acquires nothing.",
        (write, arrive),
        (read,),
        works=False,
        wait="mbarrier.test_wait.parity.relaxed.cta.shared.b64 p0, [m], 0",
    )
    yield _object(
        "arrive.twice",
        "The write comes between the two arrivals of a phase.",
        (arrive, write, arrive),
        (read,),
        works=True,
        count=2,
    )
    yield from _scopes_of_objects()
    yield Shape(
        "mbarrier",
        "unguarded",
        "The read does not wait for the phase.",
        (
            ("mbarrier.init.shared.b64 [m], 1", "bar.sync 0", write, arrive),
            (
                "bar.sync 0",
                "mbarrier.test_wait.parity.shared.b64 p0, [m], 0",
                load("r0", "x", space="shared"),
            ),
        ),
        "exists (1:p0=0 /\\ 1:r0=0)",
        race=True,
        state="shared x=0; mbarrier m",
        places="cta",
    )
    yield Shape(
        "mbarrier",
        "init.missing",
        "A barrier object is used before its initialisation is visible.",
        (
            ("mbarrier.init.shared.b64 [m], 1",),
            ("mbarrier.test_wait.parity.shared.b64 p0, [m], 0",),
        ),
        "exists (1:p0=0)",
        race=True,
        state="x=0; mbarrier m",
        places="cta",
    )


def more_shapes() -> Iterator[Shape]:
    yield from coherence()
    yield from atomics()
    yield from barriers()
    yield from barrier_objects()
    yield from copy_shapes()
