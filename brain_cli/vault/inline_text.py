"""Convert markdown to the text a reader sees: links as their words, without hidden and decorative parts."""

from __future__ import annotations

import re
from collections.abc import Callable

# A code span is literal text: `{{ .Title }}` and `[[ -f x ]]` in one are neither templates nor links.
_CODE_SPAN = re.compile(r"(?<!`)(`{1,3})(?!`)[^`\n]+\1(?!`)")
# A formula is literal too: `$x_{ij}$` has no emphasis. An amount of dollars is not a formula.
_FORMULA = re.compile(r"\$\$[^$]+\$\$|\$(?=\S)[^$\n]*[\\_^{][^$\n]*(?<=\S)\$(?!\d)")
_SPAN = re.compile(f"(?:{_CODE_SPAN.pattern})|{_FORMULA.pattern}")
_COMMENT = re.compile(r"<!--.*?(?:-->|$)|%%.*?(?:%%|$)", re.DOTALL)
_SHORTCODE = re.compile(r"\{\{[<%#/]?.*?\}\}|\{\{[<%].*$|<%.*?%>|\{%.*?%\}", re.DOTALL)
_EMBED = re.compile(r"!\[\[[^\]]*\]\]|\[!\[[^\]]*\]\([^)]*\)\]\([^)]*\)|!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])")
# The words of a link may contain brackets.
_LINK = re.compile(
    r"\[\[(?:[^\]|]*\|)?([^\]|]*)\]\]"
    r"|\[([^\[\]]*(?:\[[^\[\]]*\](?!\()[^\[\]]*)?)\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\]]*\])"
)
_REFERENCE = re.compile(r"\[([^\[\]\n]+)\]\[[^\[\]\n]*\]")
_FOOTNOTE = re.compile(r"\[\^[^\]\s]+\]:?")
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
_TAG = re.compile(r"<(/?)([A-Za-z][^<>]*)>")
_TAG_SIGN = re.compile(r"[=/-]")
_AUTOLINK = re.compile(r"<((?:https?|mailto|obsidian):[^<>\s]*)>")
_BLOCK_ID = re.compile(r"[ \t]\^[\w-]+[ \t]*$", re.MULTILINE)
_ATTRIBUTES = re.compile(r"\s?\{[.#:][^{}]*\}")
_ICON = re.compile(
    r"(?<![\w:]):[A-Za-z][\w+]*(?:[-_][\w+]+)*:(?![\w:])|(?<!\S)(?:fas|fab|far|Li|Ri|Bo)[_-]?[A-Z]\w+:(?=\s)"
)
_HASHTAGS_AT_END = re.compile(r"(?:(?:^|\s)#[^\W\d_][\w/-]*)+\s*$")
_HASHTAG = re.compile(r"(?<!\S)#(?=[^\W\d_][\w/-]*)")
_FIELD = re.compile(r"[\[(]?(?<!\S)([^\W\d_][\w -]{0,40})::\s+([^\])\n]*)[\])]?")
_EMPHASIS = re.compile(r"\*\*|__|~~|==(?=\S)|(?<=\S)==|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)")
_EMPHASIS_MARK = re.compile(r"[*_~=]")
# Underscores alone are more often part of a name than emphasis.
_TITLE_MARKUP = re.compile(r"[\[*`<~=\\]")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
# A bold beginning is a label: it gets a colon if it has no final punctuation.
_LABEL = re.compile(r"^(?:\*\*|__)([^*_\n]{1,80}?[^\W_])(?:\*\*|__)\s+(?=[^\W\d_a-z])")
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
    return _CODE_SPAN.sub(lambda span: span[0].strip("`"), inline_text(markdown)) or markdown


def _outside_code(markdown: str, change: Callable[[str], str]) -> str:
    """Change a text outside its code spans and formulas."""
    if "`" not in markdown and "$" not in markdown:
        return change(markdown)
    spans: list[str] = []

    def keep(match: re.Match[str]) -> str:
        spans.append(match[0])
        return _PLACEHOLDER

    changed = change(_SPAN.sub(keep, markdown.replace(_PLACEHOLDER, "")))
    pieces = changed.split(_PLACEHOLDER)
    # A span inside a comment was removed with it, so the spans can no longer be matched by order.
    if len(pieces) != len(spans) + 1:
        return change(markdown)
    return "".join(part for pair in zip(pieces, [*spans, ""], strict=True) for part in pair)


def _without_markup(text: str) -> str:
    if "\\" in text:
        # Escaped characters are not markup, so they are replaced until all markup is gone.
        return _bare(_ESCAPE.sub(_hide, text)).translate(_UNESCAPED)
    return _bare(text)


def _hide(match: re.Match[str]) -> str:
    return chr(_ESCAPED_OFFSET + ord(match[1]))


def _bare(text: str) -> str:
    if "<" in text or "%" in text or "{" in text:
        text = _AUTOLINK.sub(r"\1", _SHORTCODE.sub("", _COMMENT.sub("", text)))
        text = _ATTRIBUTES.sub("", _TAG.sub(_without_tag, text))
    if "[" in text:
        text = _FOOTNOTE.sub("", _EMBED.sub("", text))
    if text.startswith(_LABEL_MARKS):
        text = _LABEL.sub(_as_label, text)
    text = _LINK.sub(_words_of_link, text) if "[" in text else text
    text = _ICON.sub("", text) if ":" in text else text
    text = _FIELD.sub(r"\1: \2", text) if "::" in text else text
    text = _HASHTAG.sub("", _HASHTAGS_AT_END.sub("", text)) if "#" in text else text
    text = _BLOCK_ID.sub("", text) if "^" in text else text
    text = _unescaped(text) if "&" in text else text
    return _EMPHASIS.sub("", text) if _EMPHASIS_MARK.search(text) else text


def _without_tag(match: re.Match[str]) -> str:
    closing, inner = match.groups()
    is_tag = closing or _TAG_SIGN.search(inner) or inner.split()[0].lower() in _TAG_NAMES
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
