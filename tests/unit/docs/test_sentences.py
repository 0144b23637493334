"""The draw of sentences: what counts as one, where it is, and that a seed draws the same."""

from pathlib import Path

import pytest

from docs import sentences

TEXT = """\
# A title of four words

One sentence goes on
in two lines. `Another` one follows here.

- An item has a sentence.
- Too short.

    some code of four words

| a | table of four words |

```
more code of four words
```
The last one has words.
"""


def test_sentences_of_a_page():
    path = Path("page.md")
    assert list(sentences.sentences(path, 10, TEXT)) == [
        (path, 12, "One sentence goes on in two lines."),
        (path, 12, "`Another` one follows here."),
        (path, 15, "An item has a sentence."),
        (path, 25, "The last one has words."),
    ]


def test_a_seed_draws_the_same(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    drawn: list[str] = []
    for seed in ("3", "3", "4"):
        monkeypatch.setattr("sys.argv", ["sentences", "--seed", seed])
        sentences.main()
        drawn.append(capsys.readouterr().out)
    assert drawn[0] == drawn[1] != drawn[2]
    lines = drawn[0].splitlines()
    assert len(lines) == 3 * sentences.EACH
    # Diagnostics are where they are raised.
    name, number, _ = lines[-1].split(":", 2)
    source = (sentences.REPOSITORY / name).read_text("utf-8").splitlines()
    assert "(" in source[int(number) - 1]
