"""Join the words that markup cuts: `**A**tomicity`, `H<sub>2</sub>O`, `[un](x)believable`,
`caf&eacute;`.
"""

import re

# Each piece of markup begins with other characters than the one before it, and no repetition gives
# back what it has, so that no text takes quadratic time.
_TAGS = (
    "a abbr b bdi big cite code del dfn em font i ins kbd mark q s samp small span strike strong"
    " sub sup tt u var wbr"
).replace(" ", "|")
_TAG = rf"<(?:/?(?i:{_TAGS})(?:\s[^<>]{{0,500}}+)?/?|!--[^<>]{{0,300}}+)>"
_LINK_BEGIN = r"\[\[(?:[^\[\]|\n]{0,300}+\|)?|\[(?=[^\[\]\n]{1,300}+\][(\[])"
_LINK_END = r"\]\]|\]\([^()\n]{0,1000}+\)|\]\[[^\[\]\n]{0,200}+\]"
# A character that is escaped within a word: `snake\_case`.
_ESCAPE = r"\\(?=[-_.'’])"
_INSIDE = re.compile(
    rf"(?:(?<=\w)|(?<=\w[-_.'’]))(?:\*|~~|==|`|{_TAG}|{_LINK_BEGIN}|{_LINK_END}|{_ESCAPE})++"
    r"(?=[-_.'’]?\w)"
)
# It begins with the sign, which `re` finds at full speed, and then looks behind it.
_MAY_BE_INSIDE = re.compile(
    r"[*~=`<\\\[\]](?:(?<=\w.)|(?<=\w[-_.'’].))"
    r"(?:(?<=\])(?:\]|\([^()\n]*+\)|\[[^\[\]\n]*+\])|(?<=<)[a-zA-Z/!][^<>]*+>|(?<=[~=])[~=]|(?<=[*`\\\[]))"
    r"(?=[*~=`<\\\[\]]*+[-_.'’]?\w)"
)
# `H~2~O` and `10^th^` of Pandoc, and the numbers of `H$_2$O` and `C_{6}H_{12}` of LaTeX, whose other
# letters are variables.
_RAISED = re.compile(
    r"([~^$_])(?<=\w.)"
    r"(?:(?<=[~^])(\w{1,20})\1|(?<=\$)[_^]\{?(\d{1,3})\}?\$|(?:(?<=[A-Z]_)|(?<=[A-Z][a-z]_))\{(\d{1,3})\})"
)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z]{2,31}\d{0,2});")
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
_JOINERS = "-‐_.'’·"
# It takes the place of markup in a word.
_JOINT = "\u2060"
_WORD = re.compile(rf"[\w{_JOINT}]+(?:[{_JOINERS}][\w{_JOINT}]+)*")


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
    plain = _INSIDE.sub(_JOINT, _RAISED.sub(rf"{_JOINT}\2\3\4{_JOINT}", plain))
    if _JOINT not in plain:
        return line
    words = (word for word in _WORD.findall(plain) if _JOINT in word)
    joined = [word.replace(_JOINT, "") for word in words]
    return " ".join((line, *joined))


def _joint_of_entity(entity: re.Match[str]) -> str:
    """Return the letter that an entity of HTML stands for; other entities stay as they are."""
    # Imported here: its table of entities takes a millisecond, and few texts have any.
    from html import unescape

    char = unescape(entity[0])
    if char in _INVISIBLE:
        return _JOINT
    return f"{_JOINT}{char}" if char.isalnum() or char in _JOINERS else entity[0]
