"""Replace the data in a note by `[image]`: pictures in base64, certificates, long runs of code.

Data are no words, so they are neither indexed nor shown. The text keeps its lines.
"""

import re

SHOWN = "[image]"
# It takes the place of data until the markup around it is known.
_MARK = "\ue0f0"
# A shorter address of data is an example in a text.
_LEAST_DATA = 24
# A shorter run may be a name, an address or a hash; a line of wrapped data is shorter.
_LEAST_RUN = 100
_LEAST_LINE = 48
# Changes between small letters, capitals and digits for each character: .64 in base64, .47 in
# hexadecimal. Names in camel case have as many, but not between letters and digits.
_CHANGE = re.compile(r"[a-z](?=[A-Z\d])|[A-Z](?=[a-z\d])|\d(?=[A-Za-z])")
_CHANGE_OF_DIGIT = re.compile(r"[A-Za-z](?=\d)|\d(?=[A-Za-z])")
_MIN_CHANGES = 0.25
_MIN_CHANGES_OF_DIGITS = 0.08
_ONE_KIND = re.compile(r"[a-z]{64}|[A-Z]{64}|\d{64}")

# No repetition gives back what it has, so that no text takes quadratic time.
_INDENT = r"[ \t>]*+"
_MORE_LINES = (
    rf"(?:\n{_INDENT}[\w+/]{{{_LEAST_LINE},}}+={{0,2}}+)"
    rf"*+(?:\n{_INDENT}[\w+/]++={{0,2}}+(?=[\"')>]))?+"
)
_HEAD_OF_DATA = r"data:(?:[\w.+-]+/[\w.+-]+)?+(?:;[\w.+=-]++)*+,"
_ADDRESS = re.compile(
    rf"(?<=\"){_HEAD_OF_DATA}[^\"\n]{{{_LEAST_DATA},}}+{_MORE_LINES}"
    rf"|(?<='){_HEAD_OF_DATA}[^'\n]{{{_LEAST_DATA},}}+{_MORE_LINES}"
    rf"|(?<=<){_HEAD_OF_DATA}[^<>\n]{{{_LEAST_DATA},}}+{_MORE_LINES}"
    rf"|(?<!\w){_HEAD_OF_DATA}[^\s\"'<>()\[\]`]{{{_LEAST_DATA},}}+{_MORE_LINES}",
    re.IGNORECASE,
)
_LINE_END = r"(?:\n|\\r\\n|\\n)"
_ARMOUR = re.compile(
    r"(?P<begin>-{4,5} ?BEGIN [^\n-]{1,60}+-{4,5})"
    rf"(?:{_LINE_END}{_INDENT}(?:[\w-]++: [^\n]*+|[\w+/=]*+(?=[\r\n\\])))*+"
    rf"{_LINE_END}{_INDENT}-{{4,5}} ?END [^\n-]{{1,60}}+-{{4,5}}"
)
_LONG = re.compile(rf"[\w+/=.-]{{{_LEAST_LINE},}}+", re.ASCII)
_TOKEN = r"eyJ[\w-]{10,}+(?:\.[\w-]{10,}+)++"
_RUN = re.compile(
    rf"(?<![\w+/=-])(?:{_TOKEN}"
    rf"|[\w+/-]{{{_LEAST_LINE},}}+={{0,2}}+(?:\n{_INDENT}[\w+/-]{{{_LEAST_LINE},}}+={{0,2}}+)"
    rf"++(?:\n{_INDENT}[\w+/-]++={{0,2}}+(?=\s|\Z))?+"
    rf"|[\w+/-]{{{_LEAST_RUN},}}+={{0,2}}+)",
    re.ASCII,
)
_DEFINITION = re.compile(rf"^ {{0,3}}\[([^\]\n]+)\]:[ \t]*<?{_MARK}[^\n]*", re.MULTILINE)
_REFERENCE = re.compile(r"!?\[([^\[\]\n]*)\](?:\[([^\[\]\n]*)\])?")
_LINK = re.compile(rf"!?\[([^\[\]\n]*)\]\(<?{_MARK}[^()\n]*\)")
_TAG = re.compile(rf"<[A-Za-z][^<>{_MARK}]*{_MARK}[^<>]*>")
_ALT = re.compile(r"""\balt\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_VALUE = re.compile(rf"(?<=[:-][ \t]){_MARK}[ \t]*$", re.MULTILINE)


def without_data(text: str) -> str:
    """Return a text with `[image]` in the place of data."""
    long_words = (word for word in text.split() if len(word) >= _LEAST_LINE)
    runs = filter(None, map(_LONG.search, long_words))
    if "data:" not in text and not any(_is_data(run[0]) for run in runs):
        return text
    marked = _ADDRESS.sub(_on_its_lines, text)
    marked = _ARMOUR.sub(lambda data: f"{data['begin']} {_on_its_lines(data)}", marked)
    marked = _RUN.sub(lambda run: _on_its_lines(run) if _is_data(run[0]) else run[0], marked)
    if marked == text:
        return text
    marked = _with_plain_references(marked)
    marked = _TAG.sub(_of_tag, _LINK.sub(_of_words, marked))
    if re.match(r"---\s*\n", text):
        # In YAML, brackets around a value make a list.
        head, boundary, body = marked.partition("\n---")
        marked = _VALUE.sub(f'"{_MARK}"', head) + boundary + body
    return marked.replace(_MARK, SHOWN)


def _on_its_lines(data: re.Match[str]) -> str:
    return _MARK + "\n" * data[0].count("\n")


def _is_data(chars: str) -> bool:
    has_changes = (
        len(_CHANGE_OF_DIGIT.findall(chars)) >= len(chars) * _MIN_CHANGES_OF_DIGITS
        and len(_CHANGE.findall(chars)) >= len(chars) * _MIN_CHANGES
    )
    return has_changes or bool(_ONE_KIND.search(chars))


def _with_plain_references(text: str) -> str:
    """Return a text in which links to a definition of data are their words, and the definition is
    gone.
    """
    labels = {label.casefold() for label in _DEFINITION.findall(text)}
    if not labels:
        return text

    def plain(link: re.Match[str]) -> str:
        label = (link[2] or link[1]).casefold()
        return _of_words(link) if label in labels else link[0]

    return _REFERENCE.sub(plain, _DEFINITION.sub("", text))


def _of_words(link: re.Match[str]) -> str:
    return f"{link[1]} {_MARK}".strip()


def _of_tag(tag: re.Match[str]) -> str:
    alt = _ALT.search(tag[0])
    words = (alt[1] or alt[2] or "") if alt else ""
    return f"{words} {_MARK}".strip() + "\n" * tag[0].count("\n")
