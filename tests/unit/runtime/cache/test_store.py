"""The store: whole entries or none, bounded, whatever processes and disks do."""

import hashlib
import os
import random
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tileir_xdsl.runtime.cache.store import FOLDERS, Counts, Store


def key(name: object) -> str:
    return hashlib.sha256(str(name).encode()).hexdigest()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "cache", 1 << 20)


def test_what_is_put_is_got(store: Store):
    assert store.get(key(1)) is None
    for data in (b"", b"one", bytes(range(256)) * 7):
        store.put(key(1), data)
        assert store.get(key(1)) == data
    assert store.get(key(2)) is None
    assert store.counts() == Counts(hits=3, misses=2)


@given(st.dictionaries(st.integers(0, 40), st.binary(max_size=40)), st.integers(0, 10**9))
def test_a_store_is_a_mapping(
    tmp_path_factory: pytest.TempPathFactory, contents: dict[int, bytes], seed: int
):
    store = Store(tmp_path_factory.mktemp("store"), 1 << 20)
    names = list(contents)
    random.Random(seed).shuffle(names)
    for name in names:
        store.put(key(name), contents[name])
    assert {name: store.get(key(name)) for name in range(41)} == {
        name: contents.get(name) for name in range(41)
    }
    assert store.clear() == len(contents)
    assert store.entries() == []


@pytest.mark.parametrize("damage", ["cut", "longer", "flipped", "empty"])
def test_damage_is_found_and_removed(store: Store, damage: str):
    store.put(key(1), b"some data")
    (entry,) = store.entries()
    contents = bytearray(entry.path.read_bytes())
    match damage:
        case "cut":
            del contents[-3:]
        case "longer":
            contents += b"x"
        case "flipped":
            contents[-1] ^= 1
        case _:
            contents.clear()
    entry.path.write_bytes(contents)
    assert store.peek(entry) is None
    assert store.get(key(1)) is None
    assert not entry.path.exists()


def test_others_cannot_put_entries_into_a_store(store: Store):
    store.put(key(1), b"mine")
    (entry,) = store.entries()
    entry.path.chmod(0o666)
    assert store.get(key(1)) is None
    store.folder.chmod(0o777)
    store.put(key(2), b"mine, too")
    assert store.get(key(2)) is None


def test_files_are_for_this_user_only(store: Store):
    store.put(key(1), b"mine")
    (entry,) = store.entries()
    assert entry.path.stat().st_mode & 0o777 == 0o600
    assert store.folder.stat().st_mode & 0o777 == 0o700


def test_a_full_store_drops_what_was_used_least_recently(tmp_path: Path):
    store = Store(tmp_path, len(FOLDERS) * 1000)
    names = [name for name in range(2000) if key(name)[0] == "7"][:40]
    now = time.time()
    for at, name in enumerate(names):
        store.put(key(name), bytes(40))
        for entry in store.entries():
            assert entry.size < 1000
        newest = max(store.entries(), key=lambda entry: entry.used)
        os.utime(newest.path, (now - 1000 + at, now - 1000 + at))
    assert sum(entry.size for entry in store.entries()) <= 1000
    assert store.get(key(names[-1])) == bytes(40)
    assert store.get(key(names[0])) is None


def test_what_is_larger_than_a_folder_is_not_kept(tmp_path: Path):
    store = Store(tmp_path, len(FOLDERS) * 1000)
    store.put(key(1), bytes(1000))
    assert store.entries() == []


def test_what_killed_processes_left_is_removed(store: Store):
    store.put(key(1), b"one")
    (entry,) = store.entries()
    left = entry.path.parent / ".unfinished-0123"
    left.write_bytes(b"half of")
    os.utime(left, (0, 0))
    beside = entry.path.parent / ".unfinished-4567"
    beside.write_bytes(b"still being written")
    name = next(name for name in range(99) if key(name)[0] == key(1)[0] and name != 1)
    store.put(key(name), b"another")
    assert not left.exists()
    assert beside.exists()
    assert len(store.entries()) == 2
    store.clear()
    assert not beside.exists()


@pytest.mark.parametrize("place", ["/proc/nothing", "/dev/null/cache", "/dev/full"])
def test_a_place_that_cannot_be_written_is_no_cache(place: str):
    store = Store(Path(place), 1 << 20)
    store.put(key(1), b"one")
    assert store.get(key(1)) is None
    assert store.entries() == [] and store.clear() == 0
    assert store.counts() == Counts(0, 0)


def test_a_disk_that_fills_up_leaves_nothing_half_written(
    store: Store, monkeypatch: pytest.MonkeyPatch
):
    def full(_before: object, _after: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    store.put(key(1), b"one")
    monkeypatch.undo()
    assert store.get(key(1)) is None
    assert not list(store.folder.rglob(".unfinished-*"))


def test_many_processes_some_of_which_are_killed(tmp_path: Path):
    store = Store(tmp_path, 16 << 20)
    contents = {name: random.Random(name).randbytes(50_000) for name in range(12)}
    children: list[int] = []
    for number in range(60):
        child = os.fork()
        if not child:
            # The child leaves without the clean-up of the test's process.
            try:
                choices = random.Random(number).choices(range(12), k=6)
                for name in choices:
                    found = store.get(key(name))
                    if found not in (None, contents[name]):
                        os._exit(1)
                    store.put(key(name), contents[name])
            finally:
                os._exit(0)
        children.append(child)
        if number % 5 == 0:
            os.kill(child, signal.SIGKILL)
    statuses = [os.waitpid(child, 0)[1] for child in children]
    assert {status for status in statuses if not os.WIFSIGNALED(status)} == {0}
    assert sum(map(os.WIFSIGNALED, statuses)) <= 12
    for name, data in contents.items():
        assert store.get(key(name)) == data


def test_a_pipe_is_not_waited_for(store: Store):
    """In the place of an entry, and of what counts entries."""
    name = key(1)
    store.put(name, b"one")
    for place in (store.folder / name[0] / name[1:], store.folder / "misses"):
        place.unlink(missing_ok=True)
        os.mkfifo(place)
    assert store.get(name) is None
    store.put(name, b"two")
    assert store.get(name) == b"two"
    assert store.counts().misses == 0


def _put_again(store: Store, name: str, letter: bytes) -> None:
    """Puts one value under a key again and again; all that is got meanwhile must be whole."""
    for _ in range(200):
        store.put(name, letter * 5000)
        found = store.get(name)
        assert found is not None and len(found) == 5000 and len(set(found)) == 1


def test_writers_of_one_entry(store: Store):
    """Each leaves a whole entry, whichever is last."""
    with ThreadPoolExecutor(4) as executor:
        tasks = [executor.submit(_put_again, store, key(1), letter) for letter in (b"a", b"b")]
        tasks += [executor.submit(_put_again, store, key(1), letter) for letter in (b"c", b"d")]
        for task in tasks:
            task.result()
    assert store.clear() == 1
