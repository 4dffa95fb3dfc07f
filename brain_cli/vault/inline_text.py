"""Convert markdown to the text a reader sees: links as their words, without hidden and decorative
parts; and join the words that markup cuts: `**A**tomicity`, `H<sub>2</sub>O`, `caf&eacute;`.

Texts are measured in columns of a terminal, and joined as their script does it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import accumulate, chain

# The patterns are texts, which `re` compiles on first use and keeps: most texts have few of these
# marks. A code span is literal text: `{{ .Title }}` and `[[ -f x ]]` in one are neither templates
# nor links.
_CODE_SPAN = r"(?<!`)(`{1,3})(?!`)[^`\n]+\1(?!`)"
# A formula is literal too: `$x_{ij}$` has no emphasis. An amount of dollars is not a formula.
_FORMULA = r"\$\$[^$]+\$\$|\$(?=\S)[^$\n]*[\\_^{][^$\n]*(?<=\S)\$(?!\d)"
_SPAN = f"(?:{_CODE_SPAN})|{_FORMULA}"
# A long heading is stored cut, perhaps within a badge.
_CUT_EMBED = (
    r"\s*\[?!\[(?:[^\]]*|[^\]]*\]\([^)]*)$|\s*\[!\[[^\]]*\]\([^)]*\)(?:\](?:\([^)]*)?)?$"
)
# Tags of HTML and of components, which have an attribute, a dash or a closing slash; `<UNK>` is a
# word of the text.
_HTML = """
    a abbr address article aside audio b bdi bdo big blockquote body br button caption center
    cite code col colgroup dd del details dfn div dl dt em embed fieldset figcaption figure font
    footer form frame h1 h2 h3 h4 h5 h6 head header hr html i iframe img input ins kbd label
    legend li link main map mark math menu meta nav noscript object ol optgroup option p param
    picture pre progress q rp rt ruby s samp script section select small source span strike
    strong style sub summary sup svg table tbody td template textarea tfoot th thead time title
    tr tt u ul var video wbr path rect g
"""
_TAG_NAMES = frozenset(_HTML.split())
_TAG_SIGNS = frozenset("=/-")
# Underscores alone are more often part of a name than emphasis.
_TITLE_MARKUP = re.compile(r"[\[*`<~=\\&]")
_ESCAPE = r"\\([!-/:-@\[-`{-~])"
_PLACEHOLDER = "\ue000"
# Escaped characters are moved into Unicode's private use area.
_ESCAPED_OFFSET = 0xE100
_UNESCAPED = {_ESCAPED_OFFSET + code: chr(code) for code in range(0x80)}


def inline_text(markdown: str) -> str:
    """Return a line or paragraph of markdown as plain text, on one line."""
    return " ".join(_outside_code(markdown, _without_markup).split())


def plain_title(markdown: str) -> str:
    """Return a title or a heading without markup, also without that of code; `__init__` stays as it
    is.
    """
    if not _TITLE_MARKUP.search(markdown):
        return markdown
    text = inline_text(re.sub(_CUT_EMBED, "", markdown) if "![" in markdown else markdown)
    return (
        re.sub(_CODE_SPAN, lambda span: span[0].strip("`"), text.replace("~~", "")) or markdown
    )


def _outside_code(markdown: str, change: Callable[[str], str]) -> str:
    """Change a text outside its code spans and formulas."""
    if "`" not in markdown and "$" not in markdown:
        return change(markdown)
    spans: list[str] = []

    def keep(match: re.Match[str]) -> str:
        spans.append(match[0])
        return _PLACEHOLDER

    changed = change(re.sub(_SPAN, keep, markdown.replace(_PLACEHOLDER, "")))
    pieces = changed.split(_PLACEHOLDER)
    # A span inside a comment was removed with it, so the spans can no longer be matched by order.
    if len(pieces) != len(spans) + 1:
        return change(markdown)
    return "".join(part for pair in zip(pieces, [*spans, ""], strict=True) for part in pair)


def _without_tag(match: re.Match[str]) -> str:
    closing, inner = match.groups()
    is_tag = (
        closing or not _TAG_SIGNS.isdisjoint(inner) or inner.split()[0].lower() in _TAG_NAMES
    )
    return "" if is_tag else match[0]


def _words_of_link(match: re.Match[str]) -> str:
    """Return the visible words of a link; one to a heading names both the note and the heading."""
    if match[1] is None:
        return match[2]
    return match[1].strip("#").replace("#^", "").replace("#", " › ")


def _unescaped(entity: re.Match[str]) -> str:
    # Imported here: its table of entities takes a millisecond, and few texts have any.
    from html import unescape

    return unescape(entity[0])


# Markup in the order in which it is replaced: its signs, of which a text has at least one, and what
# a reader sees in its place.
_MARKUP: tuple[tuple[str, str, str | Callable[[re.Match[str]], str]], ...] = (
    ("<%", r"(?s)<!--.*?(?:-->|$)|%%.*?(?:%%|$)", ""),
    ("{<", r"(?s)\{\{[<%#/]?.*?\}\}|\{\{[<%].*$|<%.*?%>|\{%.*?%\}", ""),
    ("<", r"<((?:https?|mailto|obsidian):[^<>\s]*)>", r"\1"),
    ("<", r"<(/?)([A-Za-z][^<>]*)>", _without_tag),
    ("{", r"\s?\{[.#:][^{}]*\}", ""),
    # Embeds, and the marks of footnotes.
    (
        "[",
        r"!\[\[[^\]]*\]\]|\[!\[[^\]]*\]\([^)]*\)\]\([^)]*\)|!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])",
        "",
    ),
    ("[", r"\[\^[^\]\s]+\]:?", ""),
    # A bold beginning is a label: it gets a colon if it has no final punctuation.
    ("*_", r"^(?:\*\*|__)([^*_\n]{1,80}?[^\W_])(?:\*\*|__)\s+(?=[^\W\d_a-z])", r"\1: "),
    # The words of a link may contain brackets.
    (
        "[",
        (
            r"\[\[(?:[^\]|]*\|)?([^\]|]*)\]\]|\[([^\[\]]*(?:\[[^\[\]]*\](?!\()[^\[\]]*)?)\]"
            r"(?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\]]*\])"
        ),
        _words_of_link,
    ),
    # Icons, and fields: `name:: value`.
    (
        ":",
        (
            r"(?<![\w:]):[A-Za-z][\w+]*(?:[-_][\w+]+)*:(?![\w:])"
            r"|(?<!\S)(?:fas|fab|far|Li|Ri|Bo)[_-]?[A-Z]\w+:(?=\s)"
        ),
        "",
    ),
    (":", r"[\[(]?(?<!\S)([^\W\d_][\w -]{0,40})::\s+([^\])\n]*)[\])]?", r"\1: \2"),
    # A text of nothing but tags.
    ("#", r"\A(?:\s*#[^\W\d_][\w/-]*)+\s*\Z", ""),
    # The ids of blocks.
    ("^", r"(?m)[ \t]\^[\w-]+[ \t]*$", ""),
    ("&", r"&(?:#\w+|[^\t\n\f <&#;]{1,32});?", _unescaped),
    # `~~struck~~` stays: without its marks, it would say what no longer holds.
    ("*_=", r"\*\*|__|==(?=\S)|(?<=\S)==|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)", ""),
)


def _without_markup(text: str) -> str:
    if "\\" in text:
        # Escaped characters are not markup, so they are replaced until all markup is gone.
        text = re.sub(_ESCAPE, lambda match: chr(_ESCAPED_OFFSET + ord(match[1])), text)
    chars = {*text}
    for signs, pattern, seen in _MARKUP:
        if not chars.isdisjoint(signs):
            text = re.sub(pattern, seen, text)
    return text.translate(_UNESCAPED)


# Each piece of markup begins with other characters than the one before it, and no repetition gives
# back what it has, so that no text takes quadratic time.
_TAGS_IN_WORDS = (
    "a abbr b bdi big cite code del dfn em font i ins kbd mark q s samp small span strike strong"
    " sub sup tt u var wbr"
).replace(" ", "|")
_TAG_IN_WORD = rf"<(?:/?(?i:{_TAGS_IN_WORDS})(?:\s[^<>]{{0,500}}+)?/?|!--[^<>]{{0,300}}+)>"
_LINK_BEGIN = r"\[\[(?:[^\[\]|\n]{0,300}+\|)?|\[(?=[^\[\]\n]{1,300}+\][(\[])"
_LINK_END = r"\]\]|\]\([^()\n]{0,1000}+\)|\]\[[^\[\]\n]{0,200}+\]"
# A character that is escaped within a word: `snake\_case`.
_ESCAPE_IN_WORD = r"\\(?=[-_.'’])"
# Few texts have markup in a word, so that these two are compiled for the first that has.
_INSIDE = (
    rf"(?:(?<=\w)|(?<=\w[-_.'’]))(?:\*|~~|==|`|{_TAG_IN_WORD}|{_LINK_BEGIN}|{_LINK_END}|"
    rf"{_ESCAPE_IN_WORD})++"
    r"(?=[-_.'’]?\w)"
)
# It begins with the sign, which `re` finds at full speed, and then looks behind it.
_MAY_BE_INSIDE = re.compile(
    r"[*~=`<\\\[\]](?:(?<=\w.)|(?<=\w[-_.'’].))"
    r"(?:(?<=\])(?:\]|\([^()\n]*+\)|\[[^\[\]\n]*+\])|(?<=<)[a-zA-Z/!][^<>]*+>|(?<=[~=])[~=]|"
    r"(?<=[*`\\\[]))"
    r"(?=[*~=`<\\\[\]]*+[-_.'’]?\w)"
)
# `H~2~O` and `10^th^` of Pandoc, and the numbers of `H$_2$O` and `C_{6}H_{12}` of LaTeX, whose
# other letters are variables.
_RAISED = re.compile(
    r"([~^$_])(?<=\w.)"
    r"(?:(?<=[~^])(\w{1,20})\1|(?<=\$)[_^]\{?(\d{1,3})\}?\$|(?:(?<=[A-Z]_)|(?<=[A-Z][a-z]_))"
    r"\{(\d{1,3})\})"
)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z]{2,31}\d{0,2});")
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
_JOINERS = "-‐_.'’·"
# It takes the place of markup in a word.
_JOINT = "\u2060"
_WORD = rf"[\w{_JOINT}]+(?:[{_JOINERS}][\w{_JOINT}]+)*"


def with_joined_words(text: str) -> str:
    """Return a text with the words that its markup cuts, each at the end of its line."""
    if _has_markup_inside(text):
        return "\n".join(map(_with_joined_words, text.split("\n")))
    return text


def _has_markup_inside(text: str) -> bool:
    return bool(
        _MAY_BE_INSIDE.search(text)
        or _RAISED.search(text)
        or ("&" in text and _ENTITY.search(text))
    )


def _with_joined_words(line: str) -> str:
    if not _has_markup_inside(line):
        return line
    plain = _ENTITY.sub(_joint_of_entity, line) if "&" in line else line
    plain = re.sub(_INSIDE, _JOINT, _RAISED.sub(rf"{_JOINT}\2\3\4{_JOINT}", plain))
    if _JOINT not in plain:
        return line
    words = (word for word in re.findall(_WORD, plain) if _JOINT in word)
    joined = [word.replace(_JOINT, "") for word in words]
    return " ".join((line, *joined))


def _joint_of_entity(entity: re.Match[str]) -> str:
    """Return the letter that an entity of HTML stands for; other entities stay as they are."""
    char = _unescaped(entity)
    if char in _INVISIBLE:
        return _JOINT
    return f"{_JOINT}{char}" if char.isalnum() or char in _JOINERS else entity[0]


# The lengths of the longest line of a text that was wrapped by hand or by an editor.
WRAPPED = 60, 130
# Lines wrapped by hand are shorter than the longest one by up to so many characters.
RAGGED = 12
# Characters that are two columns wide: Chinese, Japanese, Korean, their punctuation, and pictures.
_WIDE = (
    "[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f"
    "\uff00-\uff60\uffe0-\uffe6"
    "\U0001f300-\U0001f64f\U0001f680-\U0001f6ff\U0001f900-\U0001f9ff\U00020000-\U0003fffd]"
)
# Of these, the characters that stand without spaces between them: Korean has spaces between its
# words.
_FIRST_SPACELESS = "\u2e80"
_SPACELESS = (
    "[\u2e80-\u312f\u3190-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\U00020000-\U0003fffd]"
)
_FULL_WIDTH_STOPS = tuple("。！？，；：、」』）")


def columns(text: str) -> int:
    """Return how many columns a text takes on one line."""
    return len(text) if text.isascii() else len(text) + len(re.findall(_WIDE, text))


def chars_within(text: str, limit: int) -> int:
    """Return how many characters of a text fit into so many columns."""
    if text.isascii():
        return min(len(text), limit)
    # No more characters than columns fit.
    widths = accumulate(2 if re.match(_WIDE, char) else 1 for char in text[: limit + 1])
    return sum(width <= limit for width in widths)


def beginning(text: str, limit: int) -> str:
    """Return the beginning of a text that fits into so many columns, without half a word."""
    end = chars_within(text, limit)
    if (
        end == len(text)
        or is_spaceless_char(text[end - 1 : end])
        or is_spaceless_char(text[end])
    ):
        return text[:end]
    return text[:end].rsplit(" ", 1)[0]


def breaks_of(lines: Sequence[str]) -> list[bool]:
    """Return for each line of a paragraph whether its end was meant as one, and not made by
    wrapping the text.

    A line was not wrapped if the next word would have fitted easily. Nobody wraps at very short or
    very long lines.
    """
    longest = max(map(len, lines), default=0)
    if not WRAPPED[0] <= longest <= WRAPPED[1]:
        return [True] * len(lines)
    first_words = [line.split(maxsplit=1)[:1] for line in lines]
    return [
        not following or len(line.rstrip()) + 1 + len(following[0]) <= longest - RAGGED
        for line, following in zip(lines, chain(first_words[1:], ([],)), strict=True)
    ]


def separator(before: str, after: str) -> str:
    """Return what separates two texts on one line: a space, or nothing between characters written
    without spaces.
    """
    # The space after a full stop is part of that character.
    has_space = before.endswith(_FULL_WIDTH_STOPS) or (
        is_spaceless_char(before[-1:]) and is_spaceless_char(after[:1])
    )
    return "" if has_space else " "


def is_spaceless_char(char: str) -> bool:
    return char >= _FIRST_SPACELESS and re.match(_SPACELESS, char) is not None
