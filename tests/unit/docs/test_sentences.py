"""The draw of sentences: what counts as one, where it is, and that a seed draws the same."""

import ast
from pathlib import Path

from docs import sentences

TEXT = """\
# A title of four words

One sentence goes on
in two lines. `Another` one follows here.

- An item has a sentence.
- Too short.
1. A step has one, too: a - b.

    some code of four words

| a | table of four words |

```
more code of four words
```
The last one has words.
"""


def test_sentences_of_a_page():
    path = Path("page.md")
    title, sentence = "A title of four words", "One sentence goes on in two lines."
    lead = f"{title} {sentence} `Another` one follows here."
    assert list(sentences.sentences(path, 10, TEXT)) == [
        (path, 12, title, sentence),
        (path, 12, f"{title} {sentence}", "`Another` one follows here."),
        (path, 15, lead, "An item has a sentence."),
        (path, 17, lead, "A step has one, too: a - b."),
        (path, 26, title, "The last one has words."),
    ]


def test_declarations_of_docstrings():
    source = (
        '"""A."""\nB: int = 1\n"""B."""\n'
        'class C:\n    """C."""\n    def d(self, e: int) -> str:\n        """D."""\n'
    )
    found = [(name, node.value) for name, node in sentences.declared(ast.parse(source))]
    assert sentences.around(ast.parse(source), 7) == "class C def d"
    assert found == [
        ("", "A."),
        ("B: int", "B."),
        ("class C", "C."),
        ("class C def d(self, e: int) -> str", "D."),
    ]


def test_a_seed_draws_the_same():
    kinds = [
        [(Path(kind), line, "", "") for line in range(100)] for kind in ("pages", "diagnostics")
    ]
    first = sentences.drawn(kinds, 3)
    assert first == sentences.drawn(kinds, 3) != sentences.drawn(kinds, 4)
    assert [str(path) for path, *_ in first] == ["pages"] * 20 + ["diagnostics"] * 20
