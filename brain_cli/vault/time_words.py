# ruff: noqa: E501 - one list of phrases per line is easier to read than wrapped lines
"""Words and phrases of time, one entry for each language; only data.

Everything is folded: lower case, no accents. Commas separate phrases, and a phrase may be a regular expression
whose spaces match any white space. To add a language: one more entry here.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple


class TimeWords(NamedTuple):
    """One language: `{n}` stands for a number, `{unit}` for a unit of time, `{weekday}` for the name of a day.

    `months` begins with January; `|` separates the forms of a month, which in Russian are its cases.
    Every phrase below contains one of the `hints`, with the spaces around it, so a query without a hint has no phrase.
    `since`, `in_month` and `in_year` precede a date, a month and a year.
    `newest` asks for the newest notes anywhere in a question. `newest_adjective` does so at its start, after `leading`
    words only; `newest_adverb` in a question in the `first_person` or with a `telling` word, one that fits any note.
    `asking` words begin a question, and `manner` words one for a way or a reason, which the newest note answers no
    better than others; `verbs` turn a name into a sentence.
    """

    hints: str
    months: str
    units: tuple[str, str, str, str]
    weekdays: tuple[str, str, str, str, str, str, str]
    today: str
    yesterday: str
    before_yesterday: str
    this_unit: str
    last_unit: str
    last_n_units: str
    n_units_ago: str
    last_weekday: str
    since: str
    in_month: str
    in_year: str
    newest: str
    newest_adjective: str
    newest_adverb: str
    first_person: str
    leading: str
    telling: str
    asking: str
    manner: str
    verbs: str


TIME_WORDS: dict[str, TimeWords] = {
    "english": TimeWords(
        hints=" last , latest , lately , recent, newest , today , tonight , this , yesterday , past , previous , ago , left off , leave off , leaving off , left , leave , did we stop , did i stop , was i , was we , were we , were i , am i , are we , we been , i been , s new , is new , whats new , pick, catch me , bring me , on monday , on tuesday , on wednesday , on thursday , on friday , on saturday , on sunday , since , is current , s current , between ",
        months="january|jan february|feb march|mar april|apr may june|jun july|jul august|aug september|sep|sept october|oct november|nov december|dec",
        units=("days?", "weeks?", "months?", "years?"),
        weekdays=("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
        today="today, tonight, this morning, this afternoon, this evening",
        yesterday="yesterday, last night",
        before_yesterday="the day before yesterday",
        this_unit="this {unit}",
        last_unit="last {unit}, previous {unit}",
        last_n_units="(?:the )?(?:last|past) {n} {unit}, (?:the )?past {unit}",
        n_units_ago="{n} {unit} ago",
        last_weekday="last {weekday}, on {weekday}, this {weekday}",
        since="since",
        in_month=r"in, during, last, this, from, (?<!\d\s)of, by, early, late, mid",
        in_year="in, during, from, of",
        newest=r"last (?:session|time), (?:left|leave|leaving) off, where (?:was|were|are|am) (?:we|i), what (?:was|were|am|are) (?:we|i) (?:doing|working|up to)(?: on)?, what (?:have|had) (?:we|i) been (?:doing|working|up to)(?: on)?, pick(?:ing)? (?:it |things )?(?:back )?up where(?: (?:we|i))?(?: (?:left|leave) off)?, ^pick up, what(?:'?s| is| are) (?:new|current)(?=\W*$| (?:in|with|on|about|for|since|at|here|from)), catch me up, bring me up to (?:speed|date), where (?:did|do) (?:we|i) (?:leave|stop)(?=\W*$| (?:off|with|on|in))",
        newest_adjective="most recent, latest, newest, recent",
        newest_adverb="recently, lately, most recently",
        first_person="we, i, our, my, us, me, we've, i've, we're, i'm",
        leading="what, whats, what's, which, who, show, give, find, list, get, me, us, is, are, was, were, s, the, our, my, any, some, are, there, a, an, all, tell, about, please, see, read, open, and, of, most",
        telling="discuss(?:ed|ing)?, talk(?:ed|ing)?, said, say, speak, spoke, did, do, done, doing, work(?:ed|ing)?, happen(?:ed|ing)?, change[ds]?, decide[ds]?, wrote, write, written, notes?, noted, sessions?, stuff, conversations?, chats?, things?, anything, something, everything, new, news, updates?, up, off, on, about, stop(?:ped)?, leave, left, continue, resume, start, learn(?:ed|t)?, show, list, give, tell, find, add(?:ed)?, me, us, my, we, i, our, so, far, been, going, go, again, here, memories, memory, entries, know, remember",
        asking="what, which, who, whom, whose, why, when, where, how, did, does, do, has, have, is, was, are, were, can",
        manner="how, why",
        verbs="is, was, were, are, has, had, have, will, should, would, can, could, adds?, added",
    ),
    "german": TimeWords(
        hints=" letzt, zuletzt , neueste, neuste, neues , neu , allerneu, jungst, aktuellste, heute , gestern , vorgestern , diese, vorige, vergangene, vor , stehen, stehn, wo war, wo hab, wo hat, aufgehort , woran , kurzlich , neulich , am montag , am dienstag , am mittwoch , am donnerstag , am freitag , am samstag , am sonnabend , am sonntag , seit , zwischen ",
        months="januar|janner februar marz april mai juni juli august september oktober|okt november dezember|dez",
        units=("tag(?:en?|es)?", "wochen?", "monat(?:en?|s)?", "jahr(?:en?|es)?"),
        weekdays=("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag|sonnabend", "sonntag"),
        today="heute",
        yesterday="gestern",
        before_yesterday="vorgestern",
        this_unit="diese[nmrs]? {unit}",
        last_unit="letzte[nmrs]? {unit}, vorige[nmrs]? {unit}, vergangene[nmrs]? {unit}",
        last_n_units="(?:den |der |die )?(?:letzten|vergangenen) {n} {unit}",
        n_units_ago="vor {n} {unit}",
        last_weekday="(?:am )?(?:letzten|vorigen|vergangenen|diesen) {weekday}, am {weekday}",
        since="seit, ab",
        in_month="im, vom, letzten, diesen, anfang, mitte, ende",
        in_year="im jahre?, in, anno",
        newest=r"letzte[nrs]? (?:sitzung|mal), zuletzt gearbeitet, steh(?:en|n)\s?geblieben, wo (?:war|waren) (?:wir|ich), wo (?:haben|hatten|habe|hatte) (?:wir|ich) aufgehort, aufgehort haben, was (?:gibt es|gibt's|gibts) neues, was ist neu, woran (?:habe|haben|arbeite|arbeiten|arbeitete|arbeiteten) (?:ich|wir)(?: gearbeitet)?",
        newest_adjective="(?:aller)?neueste[nrs]?, (?:aller)?neuste[nrs]?, jungste[nrs]?, aktuellste[nrs]?, letzte[nrs]?",
        newest_adverb="kurzlich, neulich, zuletzt, jungst, in letzter zeit, letztens",
        first_person="wir, ich, uns, unser(?:e[nrs]?)?, mein(?:e[nrs]?)?, mir",
        leading="was, welche[rs]?, wer, zeig, zeige, gib, finde, suche, mir, uns, ist, sind, war, waren, der, die, das, den, dem, unsere?, meine?, es, gibt, alle, bitte, und, zu, wie, lautet",
        telling="besprochen, gesprochen, geredet, gesagt, gemacht, getan, gearbeitet, passiert, geschehen, geandert, entschieden, geschrieben, notiz(?:en)?, notiert, sitzung, gesprach, sachen, neues, neue, neu, los, haben, habe, war, waren, aufgehort, zeig, zeige, liste, wir, ich, uns, mir, weiter, eintrage, gelernt, getan",
        asking="was, wovon, womit, woruber, welche[rsnm]?, wer, wen, wem, wessen, warum, wieso, weshalb, wann, wo, wie, woran, hat, haben, ist, war",
        manner="wie, warum, wieso, weshalb",
        verbs="ist, war, waren, sind, hat, hatte, wird, wurde, soll, kann",
    ),
    "french": TimeWords(
        hints=" dernier, recent, recemment , aujourd, ce matin , ce soir , hier , ce jour, ce mois , ces , cet , cette , passe , passee , precedent, il y a , en etions , en etais , quoi de neuf , sur quoi , reste , arret, depuis , entre ",
        months="janvier|janv fevrier|fevr mars avril|avr mai juin juillet|juil aout septembre octobre novembre decembre",
        units=("jours?", "semaines?", "mois", "an(?:nee)?s?"),
        weekdays=("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"),
        today="aujourd'?hui, ce matin, ce soir",
        yesterday="hier",
        before_yesterday="avant-hier, avant hier",
        this_unit="(?:ce|cet|cette) {unit}(?:-ci)?",
        last_unit="(?:la |le |l')?{unit} (?:derniere?|passee?|precedente?)",
        last_n_units="(?:ces |les |des )?{n} (?:derniers|dernieres) {unit}",
        n_units_ago="il y a {n} {unit}",
        last_weekday="{weekday} (?:dernier|passe)",
        since="depuis",
        in_month="en, au mois de, debut, fin, mi",
        in_year="en, de l'annee",
        newest=r"derniere (?:session|seance|fois), ou en etions[- ]nous, ou en etais[- ]je, (?:ou )?nous en etions, ou (?:on|nous) (?:en )?(?:est|etait|sommes) reste, quoi de neuf, sur quoi (?:je )?travaill\w+(?:-nous)?, ou (?:on|nous)(?: nous)? s'?(?:est|etait|etions)? ?arrete[es]*",
        newest_adjective="(?:le |la |les )?plus recente?s?, derniere?s?, recente?s?",
        newest_adverb="recemment, dernierement, ces derniers temps",
        first_person="nous, on, je, j', notre, nos, mon, ma, mes",
        leading="quel(?:le)?s?, qui, que, montre, donne, trouve, moi, est, sont, etait, le, la, les, l', notre, nos, mon, ma, mes, tous",
        telling="discute, parle, dit, fait, travaille, passe, change, decide, ecrit, notes?, seance, session, choses, nouveau, neuf, avons, ai, a-t-on, on, nous, je, montre, liste, qu'avons-nous, avons-nous, appris",
        asking="que, quoi, qu, quel(?:le)?s?, qui, pourquoi, quand, ou, comment, est-ce",
        manner="comment, pourquoi",
        verbs="est, etait, sont, etaient, a, ont, avait, sera, doit",
    ),
    "spanish": TimeWords(
        hints=" ultim, recient, hoy , ayer , anoche , anteayer , antes de ayer , esta , este , pasad, anterior , hace , donde , dejamos , de nuevo , novedades , en que , desde , entre ",
        months="enero|ene febrero marzo abril|abr mayo junio julio agosto|ago septiembre|setiembre octubre noviembre diciembre|dic",
        units=("dias?", "semanas?", "mes(?:es)?", "anos?"),
        weekdays=("lunes", "martes", "miercoles", "jueves", "viernes", "sabado", "domingo"),
        today="hoy, esta manana, esta noche",
        yesterday="ayer, anoche",
        before_yesterday="anteayer, antes de ayer",
        this_unit="est[ea] {unit}",
        last_unit="(?:la |el )?{unit} pasad[oa], (?:la |el )?{unit} anterior, (?:la |el )?ultim[oa] {unit}",
        last_n_units="(?:los |las )?ultim[oa]s {n} {unit}",
        n_units_ago="hace {n} {unit}",
        last_weekday="(?:el )?{weekday} pasado",
        since="desde",
        in_month="en, durante, a principios de, a finales de, mes de",
        in_year="en, durante, del ano",
        newest="ultima (?:sesion|vez), donde (?:lo |nos )?(?:dejamos|quedamos|deje|quede), (?:lo )?dejamos, que hay de nuevo, (?:que )?novedades, en que (?:estaba|estabamos|trabajaba|trabajabamos)(?: trabajando)?",
        newest_adjective="mas recientes?, ultim[oa]s?, recientes?",
        newest_adverb="recientemente, ultimamente, hace poco",
        first_person=r"nosotros, yo, nuestr[oa]s?, mis?, \w+(?:amos|emos|imos)",
        leading="que, cual(?:es)?, quien, muestra(?:me)?, dame, busca, es, son, fue, el, la, los, las, lo, mas, nuestr[oa]s?, mis?, todos",
        telling="discutimos, hablamos, dijimos, hicimos, hice, trabajamos, paso, pasado, cambio, decidimos, escribimos, notas?, sesion, cosas, nuevo, hemos, he, hablado, discutido, hecho, muestra, lista, aprendimos, ha",
        asking="que, cual(?:es)?, quien(?:es)?, por que, cuando, donde, como, cuanto",
        manner="como, por que",
        verbs="es, era, fue, son, eran, ha, han, habia, sera, debe",
    ),
    "italian": TimeWords(
        hints=" ultim, recent, oggi , stamattina , stasera , ieri , avantieri , quest, scors, passat, fa , dove , di nuovo , novita , stavo , stavamo , dal , dalla , da luned, da marted, da mercoled, da gioved, da venerd, da sabato , da domenica , appunt, tra , fra ",
        months="gennaio|gen febbraio marzo aprile maggio|mag giugno|giu luglio|lug agosto settembre|set ottobre|ott novembre dicembre",
        units=("giorn[oi]", "settiman[ae]", "mes[ei]", "ann[oi]"),
        weekdays=("lunedi", "martedi", "mercoledi", "giovedi", "venerdi", "sabato", "domenica"),
        today="oggi, stamattina, stasera",
        yesterday="ieri",
        before_yesterday="l'altro ieri, altro ieri, avantieri",
        this_unit="quest[oa'] ?{unit}",
        last_unit="(?:la |il |lo |l')?{unit} (?:scors[oa]|passat[oa]), (?:la |lo )?scors[oa] {unit}",
        last_n_units="(?:gli |negli |nelle |le )?ultim[ie] {n} {unit}",
        n_units_ago="{n} {unit} fa",
        last_weekday="{weekday} scors[oa]",
        since="da, dal, dalla",
        in_month="a, in, ad, da, di, nel mese di, inizio, fine",
        in_year="nel, dal, del",
        newest="ultima (?:sessione|volta), dove (?:ci )?eravamo(?: rimasti| fermati)?, dove (?:ero|eravamo) rimast[oi], (?:che )?(?:cosa )?c'e di nuovo, (?:quali )?novita, (?:a cosa|su cosa) (?:stavo|stavamo) lavorando",
        newest_adjective="piu recent[ei], ultim[oaie], recent[ei]",
        newest_adverb="recentemente, ultimamente, di recente",
        first_person=r"noi, io, nostr[oaie], mi[oae]i?, abbiamo, ho, \w+(?:iamo|emmo|ammo|immo|vamo)",
        leading="che, cosa, qual, quale, quali, chi, mostra(?:mi)?, dammi, trova, e, sono, era, il, lo, la, i, gli, le, l', nostr[oaie], mi[oae]i?, tutt[ei]",
        telling="discusso, parlato, detto, fatto, lavorato, successo, cambiato, deciso, scritto, not[ae], appunt[oi], sessione, cose, nuovo, abbiamo, ho, mostra, elenca, imparato, stato",
        asking="che, cosa, qual[ei]?, chi, perche, quando, dove, come, quanto",
        manner="come, perche",
        verbs="e, era, erano, sono, ha, hanno, aveva, sara, deve",
    ),
    "portuguese": TimeWords(
        hints=" ultim, recent, hoje , esta , este , nesta , neste , desta , deste , ontem , anteontem , passad, anterior , ha , atras , onde , de novo , novidades , em que , desde , entre ",
        months="janeiro fevereiro|fev marco abril maio junho julho agosto setembro outubro|out novembro dezembro",
        units=("dias?", "semanas?", "mes(?:es)?", "anos?"),
        weekdays=(
            "segunda(?:-feira)?",
            "terca(?:-feira)?",
            "quarta(?:-feira)?",
            "quinta(?:-feira)?",
            "sexta(?:-feira)?",
            "sabado",
            "domingo",
        ),
        today="hoje, esta manha, esta noite",
        yesterday="ontem",
        before_yesterday="anteontem",
        this_unit="(?:nest|dest|est)[ea] {unit}",
        last_unit="(?:na |no |a |o )?{unit} passad[oa], (?:na |no |a |o )?{unit} anterior, (?:na |no )?ultim[oa] {unit}",
        last_n_units="(?:os |as |nos |nas )?ultim[oa]s {n} {unit}",
        n_units_ago="ha {n} {unit}, {n} {unit} atras",
        last_weekday="(?:na |no )?{weekday} passad[oa]",
        since="desde",
        in_month="em, durante, no mes de, no inicio de, no fim de",
        in_year="em, durante, no ano de",
        newest="ultima (?:sessao|vez), onde (?:e que )?(?:nos )?(?:paramos|ficamos|parei|fiquei|estavamos), o que ha de novo, (?:quais )?(?:as )?novidades, em que (?:eu )?(?:estava|estavamos)(?: a trabalhar| trabalhando)?",
        newest_adjective="mais recentes?, ultim[oa]s?, recentes?",
        newest_adverb="recentemente, ultimamente, ha pouco",
        first_person=r"nos, eu, noss[oa]s?, meus?, minhas?, \w+(?:amos|emos|imos)",
        leading="o, a, os, as, que, qual, quais, quem, mostra(?:-me)?, mostre, da-me, procura, e, sao, foi, mais, noss[oa]s?, meus?, minhas?, todos",
        telling="discutimos, falamos, dissemos, fizemos, fiz, trabalhamos, aconteceu, mudou, decidimos, escrevemos, notas?, sessao, coisas, novo, mostra, mostre, lista, aprendemos, temos, conversamos",
        asking="o que, que, qual, quais, quem, por que, porque, quando, onde, como, quanto",
        manner="como, por que, porque",
        verbs="e, era, foi, sao, eram, tem, ha, havia, sera, deve",
    ),
    "dutch": TimeWords(
        hints=" laatst, nieuw, recent, vandaag , vanmorgen , vanochtend , vanmiddag , vanavond , gisteren , eergisteren , deze , dit , vorig, afgelopen , geleden , waar , gebleven , onlangs , op maandag , op dinsdag , op woensdag , op donderdag , op vrijdag , op zaterdag , op zondag , sinds , vanaf , tussen ",
        months="januari februari maart|mrt april mei juni juli augustus september oktober november december",
        units=("dag(?:en)?", "weken|week", "maand(?:en)?", "jaar|jaren"),
        weekdays=("maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag", "zondag"),
        today="vandaag, vanmorgen, vanochtend, vanmiddag, vanavond",
        yesterday="gisteren",
        before_yesterday="eergisteren",
        this_unit="deze {unit}, dit {unit}",
        last_unit="(?:vorige?|afgelopen|laatste) {unit}",
        last_n_units="(?:de )?(?:laatste|afgelopen) {n} {unit}",
        n_units_ago="{n} {unit} geleden",
        last_weekday="(?:afgelopen|vorige) {weekday}, op {weekday}",
        since="sinds, vanaf",
        in_month="in, tijdens, begin, eind, van",
        in_year="in, uit",
        newest="laatste (?:sessie|keer), vorige keer, waar waren (?:we|wij), waar was ik, gebleven, wat is er nieuw, wat is nieuw, waar werkte(?:n)? (?:ik|we|wij) aan, waar (?:waren we|was ik) mee bezig",
        newest_adjective="meest recente, nieuwste, recentste, laatste, recente",
        newest_adverb="onlangs, laatst, recentelijk, de laatste tijd",
        first_person="we, wij, ik, ons, onze, mijn",
        leading="wat, welke?, wie, toon, geef, zoek, me, mij, is, zijn, was, waren, de, het, een, ons, onze, mijn, alle, meest",
        telling="besproken, gepraat, gezegd, gedaan, gewerkt, gebeurd, veranderd, besloten, geschreven, notities?, sessie, dingen, nieuw, nieuws, hebben, heb, toon, lijst, we, wij, ik, geleerd, er",
        asking="wat, welke?, wie, waarom, wanneer, waar, hoe, heeft, is, was",
        manner="hoe, waarom",
        verbs="is, was, waren, zijn, heeft, had, wordt, werd, moet",
    ),
    "russian": TimeWords(
        hints=" последн, прошл, недавн, свеж, новеиш, новейш, сегодня , вчера , позавчера , эт, назад , остановил, что нового , над чем , сам, в понедельник , в вторник , во вторник , в сред, в четверг , в пятниц, в суббот, в воскресенье , между , с понедельник, с вторник, со вторник, с сред, с четверг, с пятниц, с суббот, с воскресень",
        months="январь|января|январе февраль|февраля|феврале март|марта|марте апрель|апреля|апреле май|мая|мае июнь|июня|июне июль|июля|июле август|августа|августе сентябрь|сентября|сентябре октябрь|октября|октябре ноябрь|ноября|ноябре декабрь|декабря|декабре",
        units=("день|дня|днеи|дней|дни", "недел[яюьие]", "месяц(?:а|ев|е)?", "год(?:а|у)?|лет"),
        weekdays=(
            "понедельника?",
            "вторника?",
            "сред[ауы]",
            "четверга?",
            "пятниц[ауы]",
            "суббот[ауы]",
            "воскресень[ея]",
        ),
        today="сегодня",
        yesterday="вчера",
        before_yesterday="позавчера",
        this_unit="(?:на |в )?эт(?:ои|ой|ом|от|у) {unit}",
        last_unit="(?:на |в )?прошл(?:ои|ой|ом|ыи|ый|ую) {unit}",
        last_n_units="(?:за )?последни[ех] {n} {unit}, за последн(?:юю|ии|ий) {unit}",
        n_units_ago="{n} {unit} назад",
        last_weekday="(?:в |во )?прошл(?:ыи|ый|ую|ое) {weekday}, (?:в|во) {weekday}",
        since="с, со",
        in_month="в, во, за",
        in_year="в, за",
        newest="(?:в )?прошлы[йи] раз, (?:в )?последни[йи] раз, последн(?:яя|еи|ей) сесси[яи], на чем (?:мы |я )?остановил(?:ись|ся|ась), где (?:мы |я )?остановил(?:ись|ся|ась), что нового, над чем (?:мы|я) работал(?:и|а)?",
        newest_adjective=r"сам(?:ая|ое|ые|ый|ую) последн\w+, последн(?:яя|ее|ие|ий|юю|их|ей), новеиш\w+, новейш\w+, недавн(?:яя|ее|ие|ий|юю|их), свеж(?:ая|ее|ие|ий|ую|их)",
        newest_adverb="недавно, в последнее время",
        first_person=r"мы, я, нас, нам, наш\w*, мо[йяеи]\w*",
        leading=r"что, как(?:ая|ое|ие|ой), кто, покажи, дай, наиди, найди, мне, нам, наш\w*, мо[йяеи], все, был[аои]?, есть, о",
        telling="обсуждали, обсудили, говорили, сказали, делали, сделали, работали, произошло, случилось, изменилось, решили, писали, написали, заметк[иау], сессия, нового, новое, мы, я, покажи, список, узнали, было",
        asking="что, как(?:ая|ое|ие|ой)?, кто, почему, зачем, когда, где, сколько",
        manner="как, почему, зачем",
        verbs="был[аои]?, есть, будет, является, стал[аои]?",
    ),
}


@cache
def month_numbers(language: str = "") -> dict[str, int]:
    """Return the number of each month, 1 to 12, by its folded names in one language, or in all."""
    tables = [TIME_WORDS[language]] if language else TIME_WORDS.values()
    return {
        name: number
        for words in tables
        for number, month in enumerate(words.months.split(), start=1)
        for name in month.split("|")
    }


def is_written_out(month: str) -> bool:
    """Return whether a month is written in full; short forms such as `mar` and `set` are also ordinary words."""
    return len(month) > 3 or month in ("may", "mai", "mei", "май", "мая", "мае")
