"""Answer one query: parse it, find the notes that match, rank them, choose the answer, quote it."""

from collections import defaultdict
from collections.abc import Mapping
from os.path import dirname
from typing import TYPE_CHECKING

from brain_cli.answer.find import Found, find_asked
from brain_cli.answer.results import LIKELY, MAX_LISTED, STRONG, Hit, Ranked, Recall, Related
from brain_cli.index.snapshot import Snapshot
from brain_cli.ranking import Candidate, choose_shown
from brain_cli.ranking.certainty import lacking, with_claims
from brain_cli.ranking.note_history import NoteHistory, linked, no_history
from brain_cli.ranking.signals import (
    Activation,
    SignalExtractor,
    is_same_project,
    present_strength,
)
from brain_cli.ranking.top_k import RankingOptions, TopKRanker
from brain_cli.record import Record
from brain_cli.search.bm25 import ARCHIVE_MINIMUM_RELEVANCE
from brain_cli.search.query import Query
from brain_cli.search.question_words import DATE, DURATION, NUMBER, names_subject
from brain_cli.search.words import matched_form, unmentioned_words
from brain_cli.types import INDEX, USUAL_SCREEN, NoteMetadata, Quotes, Screen, Session, Strategy
from brain_cli.vault.git import overlap_in

if TYPE_CHECKING:
    from brain_cli.answer.retriever import Retriever

MAX_RELATED = 5
MAX_FRAGMENTS = 5
MAX_SUGGESTIONS = 5
# What the notes about the subject do not say, for each kind of value that a question may ask for.
UNSAID = {NUMBER: "how many or how much", DURATION: "how long or how often", DATE: "when"}
# At least this many candidates are ranked and decide which of the four answers is given, however
# few are shown.
MIN_JUDGED = 10
# So many notes about a subject are a list.
MIN_LISTED = 2
# The share of the best relevance from which on a candidate is worth showing.
MIN_RELEVANCE_SHARE = 0.5
# A snoozed or archived note is named if it has at least this share of the best relevance.
LEFT_OUT_SHARE = 0.8


def recall(
    query: Query,
    session: Session,
    snapshot: Snapshot,
    options: RankingOptions,
    note_history: NoteHistory | None = None,
    quotes: Quotes = Quotes.EVERY,
    meaning: "Retriever | None" = None,
    screen: Screen = USUAL_SCREEN,
) -> Recall:
    """Answer one query from one generation of the index and the history; read no clock and write
    nothing.

    `screen` is the size that the answer has to fit.
    """
    query = query._replace(synonyms=options.synonyms)
    found = find_asked(query, session, snapshot, options.weights, meaning)
    ranking = rank(found, options, note_history or no_history(snapshot.note_table))
    answer = choose(ranking)
    if (
        answer.certainty
        and answer.claim in (STRONG, LIKELY)
        and quotes in (Quotes.SHOWN, Quotes.EVERY)
    ):
        # Imported here, because an answer in plain lines does not name it.
        from brain_cli.answer.newer import newer_word

        answer = answer._replace(newer=newer_word(ranking.found, ranking.candidates))
    if quotes is Quotes.NOTHING:
        return answer
    # Imported here, because a list of paths quotes nothing.
    from brain_cli.answer.shown import with_shown

    return with_shown(answer, ranking.found, quotes, screen)


class Ranking(Record):
    """The notes that were found, ranked: the best in order, and the relevances and activation of
    all by note id.

    `considered` is how many could be shown without `--limit`; `lists` tells that the notes about a
    subject come first; `past`, that the question asks for what was.
    """

    found: Found
    options: RankingOptions
    history: NoteHistory
    candidates: list[Candidate]
    considered: int
    relevances: Mapping[int, float]
    activation: Activation
    lists: bool = False
    past: bool = False

    @property
    def presentable(self) -> list[Candidate]:
        """The candidates that the options let through: `--limit` of those with at least
        `--min-score`.
        """
        least = self.options.min_share
        return [each for each in self.candidates if each.score.share >= least][
            : self.options.limit
        ]


def rank(found: Found, options: RankingOptions, history: NoteHistory) -> Ranking:
    """Rank the notes that were found, archived ones only if the query asks for these."""
    ranking = _settled(found, options, history)
    if not found.near or any(each.standing.strong for each in ranking.candidates):
        return ranking
    # No note is a strong match, so the best ones are read more closely by meaning.
    best = [candidate.note_id for candidate in ranking.candidates]
    relevances = found.near.reread(found.matches.relevances, best, found.matches.terms)
    return _settled(found.with_relevances(relevances), options, history)


def _settled(found: Found, options: RankingOptions, history: NoteHistory) -> Ranking:
    """Return a ranking in its final order, with its claims."""
    return _with_claims(_ended_behind(_subject_first(_rank_once(found, options, history))))


def _ended_behind(ranking: Ranking) -> Ranking:
    """Put what does not hold now behind what does; before it, if the question asks for what was."""
    found = ranking.found
    table = found.snapshot.note_table
    ended = table.invalid(found.local)
    candidates = ranking.candidates
    changing = [
        each
        for each in candidates[:MAX_LISTED]
        if table.value("changes", each.note_id) and each.note_id not in ended
    ]
    if not changing and ended.keys().isdisjoint(each.note_id for each in candidates):
        return ranking
    # Imported here, because few notes have ended.
    from brain_cli.vault.validity import asks_for_past

    ended |= {each.note_id: _why_stale(found, each) for each in changing}
    judged = [each._replace(ended=ended.get(each.note_id, "")) for each in candidates]
    past = asks_for_past(found.query.asked.text)
    if past:
        least = MIN_RELEVANCE_SHARE * max(each.signals.relevance for each in judged)
        judged.sort(key=lambda each: not (each.ended and each.signals.relevance >= least))
    else:
        judged.sort(key=lambda each: bool(each.ended))
    return ranking._replace(candidates=judged, past=past)


def _why_stale(found: Found, candidate: Candidate) -> str:
    """Return why the line of a note that answers does not hold; empty if another line does."""
    from brain_cli.answer import pieces

    numbers = sorted(hit.number for hit in _hits(found, candidate))
    note = pieces.NoteToQuote(
        candidate.metadata.title,
        found.snapshot.language(candidate.note_id),
        [found.snapshot.index.fragment(number) for number in numbers],
        local=found.local,
        past=True,
    )
    weights = pieces.TermWeights(found.matches.term_weights)
    return pieces.WeighedPieces(note, weights).why_stale


def _subject_first(ranking: Ranking) -> Ranking:
    """Rank the notes that are named after the subject first, if the question asks for the notes
    about it.
    """
    found = ranking.found
    subject = found.query.subject
    if not subject or not ranking.options.scorer.calibrated:
        return ranking

    def is_about(note_id: int) -> bool:
        note = found.snapshot.note_table.metadata(note_id)
        names = (note.title, *note.aliases, *note.tags, dirname(note.path))
        return names_subject(names, subject, found.snapshot.language(note_id))

    about = {each: value for each, value in ranking.relevances.items() if is_about(each)}
    if len(about) < MIN_LISTED:
        return ranking
    first = _rank_once(
        found.with_relevances(about), ranking.options, ranking.history
    ).candidates
    others = [candidate for candidate in ranking.candidates if candidate.note_id not in about]
    return ranking._replace(candidates=[*first, *others], lists=True)


def _rank_once(
    found: Found, options: RankingOptions, history: NoteHistory, *, archived: bool = False
) -> Ranking:
    """Rank the notes without claims; archived ones alone if the query or the caller asks for these.
    Snoozed notes are omitted.
    """
    table = found.snapshot.note_table
    judged = max(options.limit, MIN_JUDGED)
    is_archived = table.archived
    archived = archived or found.query.asked.filters.archived
    snoozed = table.snoozed(found.local)
    relevant = {
        note_id: relevance
        for note_id, relevance in found.matches.relevances.items()
        if relevance >= options.minimum
        and (note_id in is_archived) == archived
        and note_id not in snoozed
    }
    # A query that asks for a time alone, or for another order, is not answered in the order of the
    # score.
    chosen = found.time.chosen(relevant, judged + MAX_RELATED)
    if chosen is not None:
        relevant = {note_id: relevant[note_id] for note_id in chosen}
    extractor = SignalExtractor(
        table,
        found.session,
        found.query.time.intent,
        found.words,
        relevant,
        history,
        found.section_date,
        file_overlap=overlap_in(found.session),
        weights=options.weights,
    )
    ranker = TopKRanker(
        found.snapshot,
        extractor,
        options._replace(limit=judged),
        found.matches.fuzzy,
        score_all=chosen is not None,
    )
    candidates = ranker.best_first()
    if chosen is not None:
        candidates.sort(key=lambda candidate: chosen.index(candidate.note_id))
    passing = sum(each.score.share >= options.min_share for each in candidates)
    considered = passing if options.min_share else len(relevant)
    return Ranking(
        found, options, history, candidates, considered, relevant, extractor.activation
    )


def _with_claims(ranking: Ranking) -> Ranking:
    """Keep the candidates that decide the answer, each with its claim, if the formula's ranking is
    calibrated.
    """
    found = ranking.found
    options = ranking.options
    if not options.scorer.calibrated:
        return ranking
    judged = ranking.candidates[: max(options.limit, MIN_JUDGED)]
    near = found.near
    # If the first note was compared by meaning, its nearness to the query counts too, in a model
    # fitted to that.
    model = near.certainty_model(judged[0].note_id) if near and judged else None
    claims = with_claims(
        found.query,
        judged,
        found.matches,
        found.snapshot,
        model or options.certainty,
        near.nearness if near and model else None,
        untimely=bool(judged) and not found.tells_time(judged[0].note_id),
    )
    return ranking._replace(candidates=[*claims])


def choose(ranking: Ranking) -> Recall:
    """Choose one of the four answers, and the notes that it presents; nothing is quoted yet."""
    found = ranking.found
    candidates = ranking.candidates
    parsed = found.query
    corrections = found.matches.corrections
    standings = [candidate.standing for candidate in candidates]
    # Notes that are not about anything that was asked for are no answer.
    is_list = ranking.lists or (parsed.only_excludes and bool(candidates))
    strategy = (
        Strategy.MANY_WEAK if is_list else choose_shown(standings, len(ranking.presentable))
    )
    fallback = strategy is Strategy.ARCHIVE_FALLBACK
    unknown = unmentioned_words(found.snapshot, found.words, dict(corrections))
    if ranking.past:
        # “the old gateway” asks for what was, not for the word.
        from brain_cli.vault.validity import asks_for_past

        unknown = tuple(word for word in unknown if not asks_for_past(word))
    snoozed, archived, best_archived = _left_out(ranking)
    answer = Recall(
        query=parsed.asked.text,
        scorer=ranking.options.scorer.name,
        intent=parsed.time.intent,
        now=found.session.now,
        strategy=strategy,
        results=_results(ranking),
        related=_related(ranking) if strategy is Strategy.SINGLE_STRONG else (),
        considered=ranking.considered,
        worth_showing=_worth_showing(ranking),
        problem=found.problem or _missing_value(ranking, strategy),
        corrections=tuple((parsed.typed.get(word, word), used) for word, used in corrections),
        forms=_forms(ranking),
        unknown=parsed.as_typed(unknown),
        terms=frozenset(found.matches.term_weights),
        snoozed=snoozed,
        archived=archived,
        best_archived=best_archived,
        is_filtered=bool(parsed.asked.filters.values),
        subject=parsed.subject if ranking.lists else "",
        project=found.session.project,
        value=parsed.value,
        local=found.local,
        past=ranking.past,
    )
    if not (fallback or answer.is_off_topic):
        return answer
    near = _near_topics(found)
    frequent = _most(found.snapshot.note_table.tags) if found.words else []
    return answer._replace(
        archive=_archive_results(ranking),
        suggestions=tuple(dict.fromkeys([*near, *frequent]))[:MAX_SUGGESTIONS],
        near_topics=tuple(near[:MAX_SUGGESTIONS]),
    )


def _forms(ranking: Ranking) -> tuple[tuple[str, str], ...]:
    """Return the words of the query, as typed, with the forms by which alone results have them."""
    found = ranking.found
    pairs = (
        (found.query.typed.get(word.text, word.text), form)
        for word in found.words
        if word.forms or word.synonyms
        for each in ranking.presentable
        if (form := matched_form(found.snapshot, word, each.note_id))
    )
    return tuple(dict.fromkeys(pairs))


def _left_out(ranking: Ranking) -> tuple[tuple[NoteMetadata, ...], int, NoteMetadata | None]:
    """Return the snoozed notes that match nearly as well as the best result, the number of archived
    ones, the best.
    """
    found = ranking.found
    table = found.snapshot.note_table
    relevances = found.matches.relevances
    best = max(ranking.relevances.values(), default=0.0)
    least = max(LEFT_OUT_SHARE * best, ARCHIVE_MINIMUM_RELEVANCE)
    left_out = {
        each
        for each, value in relevances.items()
        if value >= least and each not in ranking.relevances
    }
    snoozed = table.snoozed(found.local) - table.archived & left_out
    archived = set() if found.query.asked.filters.archived else table.archived & left_out
    first = max(archived, key=relevances.__getitem__, default=None)
    return (
        tuple(map(table.metadata, sorted(snoozed, key=relevances.__getitem__, reverse=True))),
        len(archived),
        None if first is None else table.metadata(first),
    )


def _missing_value(ranking: Ranking, strategy: Strategy) -> str:
    """Return a sentence if the best notes have the subject of a question, but no value of the kind
    it asks for.
    """
    first = next(iter(ranking.candidates), None)
    certainty = first.claim.certainty if first and first.claim else None
    if strategy is not Strategy.MANY_WEAK or not (first and certainty and certainty.lacks):
        return ""
    best = ranking.candidates[:MAX_LISTED]
    sections = (
        (each, hit.fragment.text) for each in best for hit in _hits(ranking.found, each)
    )
    if not all(lacking(certainty.lacks, text, each) for each, text in sections):
        return ""
    matched, _ = ranking.found.words_of(first.note_id)
    return f"Notes about “{' '.join(matched)}”, but none says {UNSAID[certainty.lacks]}."


def _near_topics(found: Found) -> list[str]:
    """Return the tags of the notes with words of the query, those of the most relevant first."""
    table = found.snapshot.note_table
    nearest = defaultdict[str, float](float)
    for note_id, relevance in found.matches.relevances.items() if found.words else ():
        metadata = table.metadata(note_id)
        if not metadata.archived:
            for tag in metadata.tags:
                nearest[tag.casefold()] += relevance
    return _most(nearest)


def _most(counted: Mapping[str, float]) -> list[str]:
    return sorted(counted, key=lambda tag: (-counted[tag], tag))


def _worth_showing(ranking: Ranking) -> int:
    """Return how many candidates are at least half as relevant as the best one, or are shown."""
    relevances = ranking.relevances.values()
    least = MIN_RELEVANCE_SHARE * max(relevances, default=0.0)
    return max(
        len(ranking.presentable),
        min(ranking.considered, sum(each >= least for each in relevances)),
    )


def _archive_results(ranking: Ranking) -> tuple[Ranked, ...]:
    options = ranking.options._replace(minimum=ARCHIVE_MINIMUM_RELEVANCE)
    return _results(_rank_once(ranking.found, options, ranking.history, archived=True))


def _results(ranking: Ranking) -> tuple[Ranked, ...]:
    return tuple(
        _result(ranking.found, number, each)
        for number, each in enumerate(ranking.presentable, start=1)
    )


def _result(found: Found, number: int, candidate: Candidate) -> Ranked:
    note_id = candidate.note_id
    hits = _hits(found, candidate)
    matched, unmatched = found.words_of(note_id)
    return Ranked(
        rank=number,
        # Its date may be that of the section that matched.
        candidate=candidate._replace(
            metadata=candidate.metadata._replace(path=found.snapshot.shown(note_id).path)
        ),
        hits=hits,
        line=hits[0].fragment.line,
        heading=hits[0].fragment.trail,
        matched=matched,
        unmatched=unmatched,
        only_by_meaning=note_id in found.only_by_meaning,
        resembles=_metadata(found.snapshot, candidate.resembles),
        date=_date(found, note_id) if found.time.is_asked else None,
        language=found.snapshot.language(note_id),
    )


def _date(found: Found, note_id: int) -> float | None:
    """Return the date of the section that matched, in seconds of the calendar; where it names none,
    that of the note, if it has one of its own.
    """
    date = found.section_date(note_id)
    if date is None:
        date = found.snapshot.note_table.local_date(note_id, found.session.zone)
    return date


def _hits(found: Found, candidate: Candidate) -> tuple[Hit, ...]:
    """Return the matching fragments; for a note that matched only by its name, the first
    fragment.
    """
    own = found.snapshot.numbers_of(candidate.note_id)
    first = own[found.time.first_section(candidate.note_id, own[0])]
    numbers = found.sections(candidate.note_id)[:MAX_FRAGMENTS] or [
        (first, candidate.signals.relevance)
    ]
    return tuple(
        Hit(found.snapshot.index.fragment(number), relevance, number)
        for number, relevance in numbers
    )


def _related(ranking: Ranking) -> tuple[Related, ...]:
    """Return the other related candidates, then the notes linked to the answer, most activated
    first.
    """
    candidates = ranking.candidates
    table = ranking.found.snapshot.note_table
    best = next(candidate for candidate in candidates if candidate.standing.strong)
    others = {
        each.note_id: each.resembles
        for each in candidates
        if each is not best and each.standing.in_synthesis
    }
    neighbours = linked(table, ranking.history, best.note_id)
    notes = {each: table.metadata(each) for each in neighbours if each not in others}
    connected = sorted(
        (each for each, note in notes.items() if not note.archived),
        key=lambda each: (
            notes[each].form == INDEX,
            -ranking.activation.get(each),
            notes[each].path,
        ),
    )
    return tuple(
        _as_related(ranking, each, others.get(each))
        for each in (*others, *connected)[:MAX_RELATED]
    )


def _as_related(ranking: Ranking, note_id: int, original: int | None) -> Related:
    snapshot = ranking.found.snapshot
    history = ranking.history
    metadata = snapshot.note_table.metadata(note_id)
    strength = present_strength(
        metadata, history.usage(note_id), ranking.found.session.now, history.kinds
    )
    is_same = is_same_project(metadata.project, ranking.found.session.project)
    return Related(
        path=snapshot.shown(note_id).path,
        title=metadata.title,
        strength=strength,
        resembles=_metadata(snapshot, original),
        other_project="" if is_same else metadata.project or "",
    )


def _metadata(snapshot: Snapshot, note_id: int | None) -> NoteMetadata | None:
    return None if note_id is None else snapshot.shown(note_id)
