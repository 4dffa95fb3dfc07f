"""Convert markdown to the text a reader sees: links as their words, without hidden and decorative parts."""

from __future__ import annotations

import re
from collections.abc import Callable

# The patterns are texts, which `re` compiles on first use and keeps: most texts have few of these marks.
# A code span is literal text: `{{ .Title }}` and `[[ -f x ]]` in one are neither templates nor links.
_CODE_SPAN = r"(?<!`)(`{1,3})(?!`)[^`\n]+\1(?!`)"
# A formula is literal too: `$x_{ij}$` has no emphasis. An amount of dollars is not a formula.
_FORMULA = r"\$\$[^$]+\$\$|\$(?=\S)[^$\n]*[\\_^{][^$\n]*(?<=\S)\$(?!\d)"
_SPAN = f"(?:{_CODE_SPAN})|{_FORMULA}"
_COMMENT = r"(?s)<!--.*?(?:-->|$)|%%.*?(?:%%|$)"
_SHORTCODE = r"(?s)\{\{[<%#/]?.*?\}\}|\{\{[<%].*$|<%.*?%>|\{%.*?%\}"
_EMBED = r"!\[\[[^\]]*\]\]|\[!\[[^\]]*\]\([^)]*\)\]\([^)]*\)|!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])"
# The words of a link may contain brackets.
_LINK = (
    r"\[\[(?:[^\]|]*\|)?([^\]|]*)\]\]"
    r"|\[([^\[\]]*(?:\[[^\[\]]*\](?!\()[^\[\]]*)?)\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\]]*\])"
)
_FOOTNOTE = r"\[\^[^\]\s]+\]:?"
# Tags of HTML and of components, which have an attribute, a dash or a closing slash; `<UNK>` is a word of the text.
_HTML = (
    "a abbr address article aside audio b bdi bdo big blockquote body br button caption center cite code col colgroup"
    " dd del details dfn div dl dt em embed fieldset figcaption figure font footer form frame h1 h2 h3 h4 h5 h6 head"
    " header hr html i iframe img input ins kbd label legend li link main map mark math menu meta nav noscript object"
    " ol optgroup option p param picture pre progress q rp rt ruby s samp script section select small source span"
    " strike strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr tt u ul var"
    " video wbr path rect g"
)
_TAG_NAMES = frozenset(_HTML.split())
_TAG = r"<(/?)([A-Za-z][^<>]*)>"
_TAG_SIGNS = frozenset("=/-")
_AUTOLINK = r"<((?:https?|mailto|obsidian):[^<>\s]*)>"
_BLOCK_ID = r"(?m)[ \t]\^[\w-]+[ \t]*$"
_ATTRIBUTES = r"\s?\{[.#:][^{}]*\}"
_ICON = r"(?<![\w:]):[A-Za-z][\w+]*(?:[-_][\w+]+)*:(?![\w:])|(?<!\S)(?:fas|fab|far|Li|Ri|Bo)[_-]?[A-Z]\w+:(?=\s)"
_HASHTAGS_AT_END = r"(?:(?:^|\s)#[^\W\d_][\w/-]*)+\s*$"
_HASHTAG = r"(?<!\S)#(?=[^\W\d_][\w/-]*)"
_FIELD = r"[\[(]?(?<!\S)([^\W\d_][\w -]{0,40})::\s+([^\])\n]*)[\])]?"
_EMPHASIS = r"\*\*|__|~~|==(?=\S)|(?<=\S)==|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)"
_EMPHASIS_MARK = r"[*_~=]"
# Underscores alone are more often part of a name than emphasis.
_TITLE_MARKUP = re.compile(r"[\[*`<~=\\]")
_ESCAPE = r"\\([!-/:-@\[-`{-~])"
# A bold beginning is a label: it gets a colon if it has no final punctuation.
_LABEL = r"^(?:\*\*|__)([^*_\n]{1,80}?[^\W_])(?:\*\*|__)\s+(?=[^\W\d_a-z])"
_LABEL_MARKS = ("**", "__")
_PLACEHOLDER = "\ue000"
# Escaped characters are moved into Unicode's private use area.
_ESCAPED_OFFSET = 0xE100
_UNESCAPED = {_ESCAPED_OFFSET + code: chr(code) for code in range(0x80)}


def inline_text(markdown: str) -> str:
    """Return a line or paragraph of markdown as plain text, on one line."""
    return " ".join(_outside_code(markdown, _without_markup).split())


def plain_title(markdown: str) -> str:
    """Return a title or a heading without markup, also without that of code; `__init__` stays as it is."""
    if not _TITLE_MARKUP.search(markdown):
        return markdown
    return re.sub(_CODE_SPAN, lambda span: span[0].strip("`"), inline_text(markdown)) or markdown


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


def _without_markup(text: str) -> str:
    if "\\" in text:
        # Escaped characters are not markup, so they are replaced until all markup is gone.
        return _bare(re.sub(_ESCAPE, _hide, text)).translate(_UNESCAPED)
    return _bare(text)


def _hide(match: re.Match[str]) -> str:
    return chr(_ESCAPED_OFFSET + ord(match[1]))


def _bare(text: str) -> str:
    if "<" in text or "%" in text or "{" in text:
        text = re.sub(_AUTOLINK, r"\1", re.sub(_SHORTCODE, "", re.sub(_COMMENT, "", text)))
        text = re.sub(_ATTRIBUTES, "", re.sub(_TAG, _without_tag, text))
    if "[" in text:
        text = re.sub(_FOOTNOTE, "", re.sub(_EMBED, "", text))
    if text.startswith(_LABEL_MARKS):
        text = re.sub(_LABEL, _as_label, text)
    text = re.sub(_LINK, _words_of_link, text) if "[" in text else text
    text = re.sub(_ICON, "", text) if ":" in text else text
    text = re.sub(_FIELD, r"\1: \2", text) if "::" in text else text
    text = re.sub(_HASHTAG, "", re.sub(_HASHTAGS_AT_END, "", text)) if "#" in text else text
    text = re.sub(_BLOCK_ID, "", text) if "^" in text else text
    text = _unescaped(text) if "&" in text else text
    return re.sub(_EMPHASIS, "", text) if re.search(_EMPHASIS_MARK, text) else text


def _without_tag(match: re.Match[str]) -> str:
    closing, inner = match.groups()
    is_tag = closing or not _TAG_SIGNS.isdisjoint(inner) or inner.split()[0].lower() in _TAG_NAMES
    return "" if is_tag else match[0]


def _as_label(match: re.Match[str]) -> str:
    return f"{match[1]}: "


def _words_of_link(match: re.Match[str]) -> str:
    """Return the visible words of a link; one to a heading names both the note and the heading."""
    if match[1] is None:
        return match[2]
    return match[1].strip("#").replace("#^", "").replace("#", " › ")


def _unescaped(text: str) -> str:
    # Imported here: its table of entities takes a millisecond, and few texts have any.
    from html import unescape

    return unescape(text)
