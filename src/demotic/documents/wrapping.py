"""Line breaks for translations: spaces become line ends, so that places in the text stay."""

from __future__ import annotations


def balanced(text: str, lines: int) -> str:
    """At most so many lines of about one length.

    >>> balanced("the cat sat on the mat", 2)
    'the cat sat\\non the mat'
    """
    if lines < 2:
        return text
    width = -(-len(text) // lines)
    return wrapped(text, max(width, _widest_needed(text, lines, width)))


def wrapped(text: str, width: int) -> str:
    """Lines of at most so many characters, as far as words allow."""
    characters = list(text)
    start, space = 0, -1
    for place, character in enumerate(text):
        if character == "\n":
            start, space = place + 1, -1
            continue
        if place - start >= width and space >= 0:
            characters[space] = "\n"
            start, space = space + 1, -1
        if character == " ":
            space = place
            if place - start > width:  # a word that is too long by itself
                characters[place] = "\n"
                start, space = place + 1, -1
    return "".join(characters)


def _widest_needed(text: str, lines: int, width: int) -> int:
    """A width that gives no more lines, hardly more than the least one."""
    while wrapped(text, width).count("\n") >= lines and width < len(text):
        width += max(1, width // 20)
    return width
