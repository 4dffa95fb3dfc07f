"""Choose the notes to show for a prompt in the middle of a session: the results of `brain remember`
in the same order, or none.

Most prompts ask for no memory ("run the tests"), so a note is shown only if its score is near the
best possible one, or reaches the threshold of a published formula, and if it has a word of the
prompt that names something.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from itertools import islice

from brain_cli.answer.find import Found, find_asked
from brain_cli.answer.pieces import TermWeights
from brain_cli.answer.recall import choose, rank
from brain_cli.answer.results import Ranked, Recall
from brain_cli.answer.shown import with_shown
from brain_cli.index.snapshot import AskedWords, Snapshot
from brain_cli.library.recalling import (
    SessionOptions,
    note_history_of,
    ranking_options,
    retriever_of,
)
from brain_cli.library.vault import Vault
from brain_cli.plugins.agents.surfacing import (
    PERSONAL_KINDS,
    ShownNote,
    open_points,
    prose,
    told,
)
from brain_cli.plugins.agents.typed import ORDERS, asked, is_common, is_order, without_words
from brain_cli.ranking.scorers import load_scorer
from brain_cli.ranking.threshold import Threshold, surfaced
from brain_cli.search.asked_time import HANDOFF, recency_intent
from brain_cli.search.bm25 import look_up
from brain_cli.search.query import Query
from brain_cli.search.question_words import content_words
from brain_cli.types import DEFAULT_SCORER, USUAL_SCREEN, Intent, Quotes, Shown
from brain_cli.vault.analyzer import Word, terms
from brain_cli.vault.languages import phrases_of

# A prompt brings up at most so many notes.
MAX_PROMPTED = 3
# The score of a note that answers, 0..1. “Make it faster” has .45 with its best note.
LEAST_SCORE = 0.8
# A word names something if few sections of the vault have it.
DISTINCTIVE_SHARE = 0.15
DISTINCTIVE_SECTIONS = 20
# A handoff, and any note for an order, has to have so many words that name something.
LEAST_WORDS = 2


class PromptedNotes:
    """Chooses the notes that surely answer a prompt. “Commit this for today” asks for no note of
    today.

    With the default formula notes need a fixed score, with another one the `threshold` of its
    publication.
    """

    def __init__(
        self,
        prompt: str,
        vault: Vault,
        work: SessionOptions,
        snapshot: Snapshot,
        threshold: Threshold,
    ) -> None:
        text = asked(prompt)
        when = recency_intent(text, None, vault.clock)
        of_topic = recency_intent(when.topic, None, vault.clock)
        is_on_time = when.spans and (of_topic.resumes or not when.only_time)
        self._subject = when.topic if is_on_time else text
        is_recent = (of_topic if is_on_time else when).intent is Intent.RECENCY
        words = content_words(self._subject, snapshot.note_table.languages)
        self._vault = vault
        self._session = work.session(vault, snapshot)
        self._snapshot = snapshot.about(AskedWords(words), vault.clock)
        # The recall looks up the same words.
        scores = {word.text: look_up(self._snapshot, word).scores for word in words}
        unknown = {text for text, each in scores.items() if not each.frequency}
        # “Switch the PDFs to wkhtmltopdf”: where no note says “switch”, it is only an order.
        idle = ORDERS & unknown
        if len(words) - len(idle) >= LEAST_WORDS:
            self._subject = without_words(self._subject, idle)
            words = tuple(word for word in words if word.text not in idle)
            unknown -= idle
        # A prompt of whose words no note has more than half is not about these notes.
        is_about = len(words) >= max(LEAST_WORDS, 2 * len(unknown))
        # A word names something if few sections have it, unless the prompt asks for what is new,
        # and few prompts.
        share = 1 if is_recent else DISTINCTIVE_SHARE
        most = max(DISTINCTIVE_SECTIONS, share * snapshot.note_table.fragments)
        self._names = [
            word
            for word in (words if is_about else ())
            if not is_common(word.text) and 0 < len(scores[word.text].sections) <= most
        ]
        # “But not today” asks for nothing.
        is_declined = not set(phrases_of("negations").split("|")).isdisjoint(
            self._subject.casefold().split()
        )
        # Such a prompt has no other subject.
        self._asks_for_time = when.only_time and not is_declined
        self._least_words = LEAST_WORDS if is_order(text) else 1
        config = vault.config
        self._scorer = load_scorer(config.scorer, config.scorers.get(config.scorer, {}))
        # Another formula needs the score of its publication.
        is_fixed = config.scorer == DEFAULT_SCORER and not is_recent
        self._threshold = None if is_fixed else threshold

    def notes(self, seen: Container[str]) -> list[ShownNote]:
        """Return the notes, best first, without those `seen` before."""
        if len(self._names) < self._least_words and not self._asks_for_time:
            return []
        recall, found = self._recalled()
        best = max(map(self._own_share, recall.results), default=0.0)
        # Who asks what is new gets what is next; a question has the best notes, or none if they
        # were shown.
        kept = [
            each
            for each in recall.results[: None if self._asks_for_time else MAX_PROMPTED]
            if not (recall.is_off_topic or each.candidate.fuzzy or each.metadata.path in seen)
            # What has ended or was replaced is found by asking, and never brought up.
            and not (each.candidate.ended or each.candidate.signals.superseded)
            and self._is_sure(each, best)
            and self._is_meant(each)
        ]
        if not kept:
            return []
        quoted = with_shown(
            recall._replace(results=tuple(kept), archive=()), found, Quotes.EVERY, USUAL_SCREEN
        )
        weights = TermWeights(dict.fromkeys(recall.terms, 1.0))
        find = open_points if self._asks_for_time else _shown_passage
        passages = (
            find(each, self._snapshot) or prose(each, self._snapshot, weights)
            for each in quoted.results
        )
        # A bare title says nothing, and code is hard to read out of context.
        shown = (
            ShownNote(each.candidate, passage=passage)
            for each, passage in zip(kept, passages, strict=True)
            if passage
        )
        return [*islice(shown, MAX_PROMPTED)]

    def _recalled(self) -> tuple[Recall, Found]:
        """Return the answer of `brain remember`, which quotes nothing yet, and what was found."""
        vault = self._vault
        options = ranking_options(vault)
        query = Query(self._subject, literal=True, synonyms=options.synonyms)
        snapshot = self._snapshot.about(query, vault.clock)
        found = find_asked(query, self._session, snapshot, options.weights, retriever_of(vault))
        return choose(rank(found, options, note_history_of(vault, snapshot))), found

    def _is_sure(self, ranked: Ranked, best: float) -> bool:
        """Return whether a note scores enough by itself: without links and joint recalls."""
        share = self._own_share(ranked)
        if self._threshold is None:
            return share >= LEAST_SCORE
        return bool(surfaced([best, share], self._threshold)[1:])

    def _own_share(self, ranked: Ranked) -> float:
        candidate = ranked.candidate
        alone = candidate.signals._replace(spreading=None, co_recalls=0)
        return min(candidate.score.share, self._scorer.score(alone).share)

    def _is_meant(self, ranked: Ranked) -> bool:
        """Return whether the prompt means a note: by a word that names it, and in another project
        by its title or path.
        """
        metadata = ranked.metadata
        projects = {metadata.project, self._session.project} - {None, ""}
        is_elsewhere = len(projects) > 1
        may_cross = self._vault.config.of_plugins["cross_project"]
        if is_elsewhere and not (may_cross and metadata.kind not in PERSONAL_KINDS):
            return False
        if self._asks_for_time:
            return not is_elsewhere
        language = self._snapshot.language(ranked.note_id)
        head = f"{metadata.title} {metadata.path} {' '.join(metadata.files)}"
        in_head = _having(self._names, head, language)
        text = "\n".join((head, *(part.text for part in told(ranked, self._snapshot))))
        named = _having(self._names, text, language)
        is_handoff = metadata.kind == HANDOFF and len(self._names) > 1
        least = LEAST_WORDS if is_handoff else self._least_words
        return named >= least and (in_head > 0 or not is_elsewhere)


def _having(words: Iterable[Word], text: str, language: str) -> int:
    """Return how many of the words a text has."""
    found = {*terms(text, language)}
    return sum(not found.isdisjoint(word.variants) for word in words)


def _shown_passage(ranked: Ranked, _: Snapshot) -> Shown | None:
    """Return the passage of a recall; None for code, and for a handoff, of which it may
    be a list.
    """
    shown = ranked.passage
    if shown is None or shown.code or not shown.parts or ranked.metadata.kind == HANDOFF:
        return None
    return shown
