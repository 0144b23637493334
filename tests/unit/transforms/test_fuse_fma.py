"""Products that are added: which become one operation."""

import pytest

from tests.unit.transforms.bodies import transformed
from tileir_xdsl.transforms.fuse_fma import FuseFmaPass

USE = 'print_tko "%f", %r : tile<f32> -> token'
PRODUCT = "%m = mulf %f, %g : tile<f32>"
ZERO = "rounding<zero>"

CASES = {
    "sum": (
        f"{PRODUCT} %r = addf %m, %h : tile<f32> {USE}",
        f"%r = fma %f, %g, %h : tile<f32> %0 = {USE}",
    ),
    "product on the right": (
        f"{PRODUCT} %r = addf %h, %m : tile<f32> {USE}",
        f"%r = fma %f, %g, %h : tile<f32> %0 = {USE}",
    ),
    "difference": (
        f"{PRODUCT} %r = subf %m, %h : tile<f32> {USE}",
        f"%r = negf %h : tile<f32> %r_1 = fma %f, %g, %r : tile<f32> %0 = "
        f"{USE.replace('%r', '%r_1')}",
    ),
    "modifiers": (
        f"%m = mulf %f, %g {ZERO} flush_to_zero : tile<f32> "
        f"%r = addf %m, %h {ZERO} flush_to_zero : tile<f32> {USE}",
        f"%r = fma %f, %g, %h {ZERO} flush_to_zero : tile<f32> %0 = {USE}",
    ),
    "two products": (
        f"{PRODUCT} %n = mulf %g, %h : tile<f32> %r = addf %m, %n : tile<f32> {USE}",
        f"%n = mulf %g, %h : tile<f32> %r = fma %f, %g, %n : tile<f32> %0 = {USE}",
    ),
    "chain": (
        f"{PRODUCT} %s = addf %m, %h : tile<f32> %n = mulf %s, %h : tile<f32> "
        f"%r = addf %g, %n : tile<f32> {USE}",
        "%s = fma %f, %g, %h : tile<f32> %r = fma %s, %h, %g : tile<f32> %0 = " + USE,
    ),
    "product on the right that cannot fuse": (
        f"{PRODUCT} %r = addf %h, %m {ZERO} : tile<f32> {USE}",
        f"{PRODUCT} %r = addf %m, %h {ZERO} : tile<f32> %0 = {USE}",
    ),
}

UNCHANGED = {
    "other uses": f"{PRODUCT} %s = addf %m, %h : tile<f32> %r = addf %m, %s : tile<f32> %0 = {USE}",
    "rounding": f"{PRODUCT} %r = addf %m, %h {ZERO} : tile<f32> %0 = {USE}",
    "flushing": f"{PRODUCT} %r = addf %m, %h flush_to_zero : tile<f32> %0 = {USE}",
    "difference from a product": f"{PRODUCT} %r = subf %h, %m : tile<f32> %0 = {USE}",
    "dead code": f"{PRODUCT}",
}


@pytest.mark.parametrize("name", CASES)
def test_becomes(name: str):
    before, after = CASES[name]
    assert transformed(before, FuseFmaPass()) == after


@pytest.mark.parametrize("name", UNCHANGED)
def test_stays(name: str):
    assert transformed(UNCHANGED[name], FuseFmaPass()) == UNCHANGED[name]
