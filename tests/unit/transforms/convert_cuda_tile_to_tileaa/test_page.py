"""docs/conversion.md says what the conversion does."""

from docs import conversion


def test_the_page_is_up_to_date():
    assert conversion.PAGE.read_text() == conversion.page(), "run python -m docs.conversion"


def test_every_op_that_has_a_pattern_is_shown_converted():
    shown = conversion.replacements()
    assert set(conversion.groups()) - set(shown) == set()
