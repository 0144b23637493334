"""Changes of programs whose MMAs add to an accumulator in tensor memory."""

import re


def read_in_between(text: str) -> str:
    """A program whose accumulator is also waited for in the loop of MMAs."""
    dot = re.search(r"( *)(%\w+) = nv_tileas\.async\.dot.* -> (!async\.value<(tile<.*>)>)\n", text)
    assert dot is not None
    indent, name, type, tile = dot.groups()
    wait = f"{indent}%seen = nv_tileas.async.future_wait {name} : {type} -> {tile}\n"
    return text[: dot.end()] + wait + text[dot.end() :]
