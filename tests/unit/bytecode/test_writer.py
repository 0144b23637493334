"""What is written, and what is refused."""

import pytest
from xdsl.dialects.builtin import ModuleOp, UnitAttr

from tests.unit.bytecode.building import error_of, parse
from tileir_xdsl.bytecode import read, write
from tileir_xdsl.bytecode.container import Section, read_container
from tileir_xdsl.dialects.cuda_tile import MakeTokenOp
from tileir_xdsl.testing import tools


def module_of(items: str) -> ModuleOp:
    return tools.parse(f"cuda_tile.module @kernels {{ {items} }}")


def test_equal_modules_give_equal_bytes():
    text = "%0 = make_token : token %1 = constant <f32: [1.0, 2.0]> : tile<2xf32>"
    assert write(parse(text), "13.3") == write(parse(text), "13.3")


def test_tables_hold_no_entry_twice():
    once = "%0 = constant <i32: [1, 2]> : tile<2xi32>"
    twice = f"{once} %1 = constant <i32: [1, 2]> : tile<2xi32>"
    files = [write(parse(text), "13.3") for text in (once, twice)]
    first, second = ({s: d[a:b] for s, (a, b) in read_container(d).payloads.items()} for d in files)
    assert len(second.pop(Section.FUNC)) == len(first.pop(Section.FUNC)) + 3
    assert first == second


def test_discardable_attributes_are_left_out():
    module = parse("%0 = make_token : token")
    plain = write(module, "13.3")
    for operation in module.walk():
        operation.attributes["cuda_tile.note"] = UnitAttr()
    assert write(module, "13.3") == plain


def test_an_unused_result_of_a_later_version_is_left_out():
    body = '%0 = print_tko "a" -> token %1 = make_token : token %2 = join_tokens %1, %1 : token'
    module = parse(body)
    assert str(read(write(module, "13.1"))) == str(module)


@pytest.mark.parametrize(
    ("text", "version", "message"),
    [
        ("builtin.module {}", "13.3", "expected a single CUDA Tile IR module in the MLIR module"),
        (
            "cuda_tile.module @a {} cuda_tile.module @b {}",
            "13.3",
            "expected a single CUDA Tile IR module in the MLIR module",
        ),
        (
            "cuda_tile.module @a { testing$func @f() {} }",
            "13.3",
            "'cuda_tile.testing$func' op only function and global ops are allowed in the body",
        ),
        (
            "cuda_tile.module @a {}",
            "13.6",
            "unsupported Tile version 13.6, the supported versions are [13.1 - 13.5]",
        ),
        (
            "cuda_tile.module @a { global constant @g <i8: 1> : tile<2xi8> }",
            "13.1",
            "'cuda_tile.global' op constant global `g` cannot be encoded in bytecode version 13.1 "
            "(the `constant` attribute requires bytecode 13.3+)",
        ),
        (
            "cuda_tile.module @a { global private @g <i8: 1> : tile<2xi8> }",
            "13.2",
            "'cuda_tile.global' op global `g` uses non-public symbol visibility, which cannot be "
            "encoded in bytecode version 13.2 (requires bytecode 13.3+)",
        ),
        (
            "cuda_tile.module @a { entry @k(%x: tile<i32>) { %0 = negi %x overflow<no_signed_wrap> "
            ": tile<i32> } }",
            "13.1",
            "'cuda_tile.negi' op attribute 'overflow' requires bytecode version 13.2+, but "
            "targeting 13.1",
        ),
        (
            'cuda_tile.module @a { entry @k(%x: tile<i32>) { %0 = print_tko "a" -> token '
            '%1 = print_tko "b" token=%0 -> token } }',
            "13.1",
            "'cuda_tile.print_tko' op result 'result_token' is used but requires bytecode version "
            "13.2+, targeting 13.1",
        ),
        (
            "cuda_tile.module @a { entry @k(%x: tile<i32>) { %0 = make_token : token "
            '%1 = print_tko "b" token=%0 -> token } }',
            "13.1",
            "'cuda_tile.print_tko' op optional operand 'token' is provided but requires bytecode "
            "version 13.2, targeting 13.1",
        ),
        (
            "cuda_tile.module @a { entry @k(%x: tile<f32>) { %0 = atan2 %x, %x : tile<f32> } }",
            "13.1",
            "'cuda_tile.atan2' op requires bytecode version 13.2+, targeting 13.1",
        ),
    ],
)
def test_refusals(text: str, version: str, message: str):
    module = tools.parse(text)
    assert str(error_of(lambda: write(module, version))) == message


def test_other_dialects_are_refused():
    module = tools.parse(
        "cuda_tile.module @a { entry @k() { %0 = arith.constant 1 : i32 } }", verify=False
    )
    assert str(error_of(lambda: write(module, "13.3"))) == (
        "'arith.constant' op only ops from the 'cuda_tile' dialect are allowed"
    )


def test_values_must_come_before_their_use():
    module = parse("%0 = make_token : token %1 = join_tokens %0, %0 : token")
    (token,) = (op for op in module.walk() if isinstance(op, MakeTokenOp))
    block = token.parent
    assert block is not None and block.last_op is not None
    token.detach()
    block.insert_op_before(token, block.last_op)
    error = error_of(lambda: write(module, "13.3"))
    assert str(error) == "'cuda_tile.join_tokens' op an operand does not dominate this use"


def test_errors_name_the_innermost_operation():
    module = parse("if %c { %0 = atan2 %x, %x : tile<f32> }", "%c: tile<i1>, %x: tile<f32>")
    error = error_of(lambda: write(module, "13.1"))
    assert error.operation is not None
    assert error.operation.name == "cuda_tile.atan2"
