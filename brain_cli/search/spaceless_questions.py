"""The phrases that make a question in Chinese, Japanese and Korean, whose words are not set apart by spaces.

These scripts are searched by pairs of characters, so a list of words (search/question_words.py) cannot leave them out.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

# A phrase is left out wherever it stands, an ending only after a word, where the text or a part of it ends.
PHRASES = {
    "chinese": "为什么 为何 什么是 是什么 什么 怎么办 怎么样 怎么 怎样 如何 哪里 哪儿 哪个 哪些 哪种 请问"
    " 是多少 多少 在哪里 能不能 可不可以 是不是 有没有 谁",
    "traditional chinese": "為什麼 為何 什麼是 是什麼 什麼 怎麼辦 怎麼樣 怎麼 怎樣 哪裡 哪個 請問 在哪裡 誰",
    "japanese": "とは何ですか とはなんですか とは何 何ですか どうやって どうすれば どうしたら どのように どうして"
    " どちら 教えてください 教えて いいですか よいですか できますか ありますか ください",
    "korean": "어떻게 무엇인가요 무엇 어디에서 어디서 어디 누가 누구 뭔가요 알려주세요 알려줘 주세요",
}
ENDINGS = {
    "chinese": "吗 呢 嗎",
    "japanese": "とは ですか ますか でしょうか するには には",
    "korean": "인가요 하나요 되나요 합니까 입니까 나요 은 는",
}
# Short words of hiragana are also parts of others (のど, たどれる, 見どころ). They ask only where a word may begin:
# at the beginning, after other characters than hiragana, and after a particle.
SHORT = "なぜ どこ どれ どの"
_WORD_MAY_BEGIN = r"(?:(?<![ぁ-ゖ])|(?<=[はがをにでへ])|(?<=[^\Wぁ-ゖ][のと]))"


def without_question(text: str) -> str:
    """Return a text without the phrases of a question; the text itself if there are none."""
    if text.isascii():
        return text
    phrase = _phrase()
    return phrase.sub(" ", unicodedata.normalize("NFC", text)) if phrase.search(text) else text


@cache
def _phrase() -> re.Pattern[str]:
    phrases, endings = (sorted(" ".join(table.values()).split(), key=len, reverse=True) for table in (PHRASES, ENDINGS))
    asking = f"{'|'.join(phrases)}|{_WORD_MAY_BEGIN}(?:{'|'.join(SHORT.split())})(?!ろ)"
    return re.compile(rf"(?:{asking})|(?<=\w)(?:{'|'.join(endings)})(?=\W|$|{asking})")
