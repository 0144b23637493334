"""The drawings of whole modules: each layout once, at its level, with the ids of its ops."""

from functools import cache

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tests.unit.drawings.svg_reading import check_drawing
from tests.unit.tools import REPOSITORY
from tileir_xdsl.drawings.kernel import drawings_of
from tileir_xdsl.passes import PASSES
from tileir_xdsl.runtime.reader import new_context, read_text
