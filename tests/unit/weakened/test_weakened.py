"""Weaker fences, barriers, waits and scopes in place of those the compiler emits: the emulator finds
them."""

from collections import defaultdict

import pytest

from tests.weakened.__main__ import read, still_open
from tests.weakened.forms import FORMS
from tests.weakened.kernels import MODES, kernels
from tests.weakened.planting import SITE, Weakening, ops_by_site, planted
from tests.weakened.reasons import all_weakenings, explained
from tests.weakened.sites import WRAPPERS, site_at, sites


def test_every_site_and_form_is_accounted_for():
    """A new call that emits a fence needs a row: `python -m tests.weakened` looks for one."""
    every, found, reasons = list(all_weakenings()), read(), explained()
    assert len(set(every)) == len(every) > 130
    assert set(found) | set(reasons) <= set(every)
    assert {name for name, _ in found.values()} <= set(kernels())
    assert not set(found) & set(reasons)
    assert not still_open(found)


def test_sites_are_found_in_the_sources():
    names = {str(site) for site in sites()}
    folder = "transforms/convert_tileas_to_llvm"
    assert f"{folder}/shared_memory/mbarriers.py: initialise: FenceMbarrierInitOp" in names
    assert f"{folder}/global_memory/device_tensor_maps.py: release_slot: barrier" in names
    assert not any(site.function.split(".")[-1] in WRAPPERS for site in sites())
    assert site_at("nowhere.py", 1, "BarrierOp") is None


BY_KERNEL: dict[str, list[tuple[Weakening, int]]] = defaultdict(list)
for weakening, (name, mode) in read().items():
    BY_KERNEL[name].append((weakening, mode))


@pytest.mark.one_in(10)
@pytest.mark.parametrize("name", sorted(BY_KERNEL))
def test_weaker_ops_are_found(name: str):
    kernel = kernels()[name]
    module = kernel.lowered()
    assert {type(op) for _, op in ops_by_site(module)} <= set(FORMS)
    assert all(SITE in op.attributes for _, op in ops_by_site(module))
    assert all(kernel.is_right(module, MODES[mode]) for mode in {m for _, m in BY_KERNEL[name]})
    for weakening, mode in BY_KERNEL[name]:
        changed = planted(module, weakening)
        assert changed is not None
        assert not kernel.is_right(changed, MODES[mode]), weakening
