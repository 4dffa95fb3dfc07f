"""Which language a text is written in."""

from __future__ import annotations

import pytest

from brain_cli.vault.analyzer import detected_language, language_named, likely_language, stop_words
from brain_cli.vault.note import parse_note

TEXTS = {
    "german": """Wir haben uns entschieden, den Dienst auf eine neue Datenbank umzustellen, weil die alte bei vielen
        Anfragen nicht mehr schnell genug war. Danach sollen auch die anderen Teams ihre Daten übertragen.""",
    "french": """Nous avons décidé de changer de base de données parce que l'ancienne n'était plus assez rapide pour
        toutes les requêtes. Ensuite, les autres équipes devront aussi transférer leurs données afin que nous
        puissions arrêter les vieux serveurs.""",
    "spanish": """Hemos decidido cambiar la base de datos porque la anterior ya no era lo bastante rápida para todas
        las peticiones. Después los demás equipos también tendrán que mover sus datos.""",
    "portuguese": """Decidimos mudar o banco de dados porque o antigo já não era rápido o suficiente para todas as
        consultas. Depois, as outras equipes também terão de mover os seus dados para que possamos desligar os
        servidores antigos.""",
    "italian": """Abbiamo deciso di cambiare il database perché quello vecchio non era più abbastanza veloce per tutte
        le richieste. Dopo, anche le altre squadre dovranno spostare i loro dati.""",
    "dutch": """We hebben besloten om van database te wisselen omdat de oude niet meer snel genoeg was voor alle
        aanvragen. Daarna moeten ook de andere teams hun gegevens overzetten.""",
    "swedish": """Vi har bestämt oss för att byta databas eftersom den gamla inte längre var snabb nog för alla
        förfrågningar. Därefter måste även de andra grupperna flytta sina data så att vi kan stänga av servrarna.""",
    "norwegian": """Vi har bestemt oss for å bytte database fordi den gamle ikke lenger var rask nok til alle
        forespørslene. Etterpå må også de andre gruppene flytte dataene sine slik at vi kan slå av serverne.""",
    "finnish": """Päätimme vaihtaa tietokantaa, koska vanha ei ollut enää tarpeeksi nopea kaikille kyselyille. Sen
        jälkeen myös muiden ryhmien on siirrettävä tietonsa, jotta me voimme sammuttaa vanhat palvelimet. Se on
        tärkeää, mutta ei ole helppoa.""",
    "russian": """Мы решили сменить базу данных, потому что старая уже не была достаточно быстрой для всех запросов.
        Затем и другие команды должны будут перенести свои данные, чтобы мы могли отключить старые серверы.""",
    "turkish": """Veritabanını değiştirmeye karar verdik çünkü eskisi artık bütün sorgular için yeterince hızlı
        değildi. Daha sonra diğer ekiplerin de verilerini taşıması gerekiyor. Bu kolay değil ama çok önemli.""",
    "hungarian": """Úgy döntöttünk, hogy adatbázist váltunk, mert a régi már nem volt elég gyors minden lekérdezéshez.
        Utána a többi csapatnak is át kell vinnie az adatait, de ez nem lesz könnyű.""",
    "english": """We decided to change the database because the old one was no longer fast enough for all requests.
        After that the other teams have to move their data too.""",
}
CODE = """
def walk(vault, warn):
    for entry in os.scandir(vault):
        if entry.is_dir() and not entry.name in SKIPPED: yield from walk(entry.path, warn)
        else: return None
SELECT id, name FROM users WHERE id IN (1, 2, 3) AND name IS NOT NULL ORDER BY name;
docker run --rm -it -v /var/lib:/var/lib -e DE=1 alpine sh -c 'ls -la; mod den du per'
"""


@pytest.mark.parametrize("language", TEXTS)
def test_two_sentences_tell_their_language(language: str) -> None:
    assert detected_language(TEXTS[language]) == language


def test_danish_is_never_taken_for_anything_but_danish_or_its_neighbour() -> None:
    danish = """Vi har besluttet at skifte database, fordi den gamle ikke længere var hurtig nok til alle forespørgsler.
        Derefter skal de andre hold også flytte deres data, og det bliver ikke nemt."""
    assert detected_language(danish) in (None, "danish", "norwegian")


@pytest.mark.parametrize(
    "text", ["", "42", "TODO", "Kafka, gRPC, REST", "de facto", "mod mod mod mod mod mod mod " * 9]
)
def test_a_few_words_tell_nothing(text: str) -> None:
    assert detected_language(text) is None


@pytest.mark.parametrize(
    "text", [CODE, TEXTS["english"] + CODE, "We fixed it in the parser.\n" + CODE * 3]
)
def test_english_among_code_is_never_taken_for_another_language(text: str) -> None:
    assert detected_language(text) in (None, "english")


def test_a_note_may_say_its_language_itself() -> None:
    assert parse_note("a.md", "---\nlang: de-AT\n---\nKurz.", 0).language == "german"
    assert parse_note("a.md", f"---\nlang: xx\n---\n{TEXTS['dutch']}", 0).language == "dutch"
    assert language_named("German") == "german"
    assert language_named("tlh") is None


def test_a_query_is_read_in_one_of_the_vault_s_languages() -> None:
    assert likely_language("warum haben wir uns entschieden", ("english", "german")) == "german"
    assert likely_language("kafka", ("english", "german")) == "english"
    assert stop_words("klingon") == frozenset()
