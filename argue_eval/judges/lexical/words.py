"""Words by language: stop words, negators and irregular forms, and the stems of all others.

To add a language, add a row to the tables.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _by_language(**rows: str) -> Mapping[str, frozenset[str]]:
    return {language: _set(words) for language, words in rows.items()}


def _by_first(rows: str) -> Mapping[str, str]:
    """The first word of its row for every other word; a semicolon ends a row."""
    split = [row.split() for row in rows.split(";")]
    return {word: first for first, *others in split for word in others}


FUNCTION_WORDS = _by_language(
    en="the of and to in a an is that for it as was with be by on not he his but at are this have "
    "from or had they which you were their been has would there what will when who its more if no "
    "out so said about than into them can only other could these may such any some how did we our "
    "she her i my me him your us do does also after before over between during through while "
    "where because then both each most very just own same too here all being having under again "
    "further once nor until against those whom why should must might shall upon among within "
    "without per via whether though although however thus hence yet since still even",
    de="der die das und ist nicht ein eine einen einem einer zu den dem des mit auf für von im am "
    "als auch sich wird wurde werden wurden sind war waren bei aus nach wie oder aber über um so "
    "noch nur kann durch zur zum hat haben vor sie er es wir ich dass unter bis seit kein",
    fr="le la les des du de et est une un que qui dans pour pas sur au aux avec par ce cette ces "
    "ne sont été être était ont plus il elle ils elles nous vous leur leurs se sa son ses ou où "
    "mais comme entre depuis selon aussi lors dont après sans sous",
    es="el la los las de del y en que es un una por con para se su sus al lo como más pero fue ha "
    "no son está entre cuando muy sin sobre ser también hasta hay donde quien desde todo nos "
    "durante todos uno les ni contra otros ese eso ante ellos esto este esta estos según",
    ru="и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее "
    "мне было вот от меня еще нет о из ему когда даже ну ли если или ни быть был него до вас там "
    "потом себя они есть для мы тебя их чем была сам чтоб без чего это этот также который которые "
    "которая при об после между были является году году года",
    fa="و در به از که این را با است برای آن یک خود تا کرد بر هم نیز شد او ما اما یا شده باید هر "
    "آنها بود دو کند می شود های کرده پس نیست اگر همه هیچ وی گفت بین ای",
    ar="في من على إلى الى أن ان عن مع هذا هذه التي الذي كان كانت ما لا لم لن هو هي قد بعد قبل كما "
    "بين أو او ثم كل حيث إن وقد ذلك تم عند غير خلال لكن أي",
    zh="的 了 是 在 和 与 及 也 就 都 而 着 这 那 其 之 于 并 被 把 从 对 为 以 等",
)
"""Common words without content. They also distinguish languages of the same script."""

NEGATORS = _by_language(
    en="not no never none neither nor cannot without nobody nothing nowhere hardly barely n't "
    "failed fails refused refuses denied denies lacks lacked lack unable",
    de="nicht kein keine keinen keiner keinem nie niemals ohne weder",
    fr="pas jamais aucun aucune ni sans",
    es="no nunca ningún ninguna ninguno ni sin tampoco jamás",
    ru="не нет ни никогда без нельзя",
    fa="نه نیست نبود نیستند نشد نشده نکرد نکرده بدون هیچ هرگز",
    ar="لا لم لن ليس ليست غير بدون",
    zh="不 没 沒 无 無 未 非 否",
)
"""Words that negate what follows them."""

IRREGULAR = _by_first(
    "rise rose risen; fall fell fallen; grow grew grown; begin began begun; sell sold; buy "
    "bought; build built; lead led; win won; pay paid; find found; die died dead death deaths "
    "dying; child children; person people persons; man men; woman women; life lives; lose lost "
    "loss losses; make made; take took taken; give gave given; know knew known; say says; tell "
    "told; write wrote written; speak spoke spoken; choose chose chosen choice; drive drove "
    "driven; hold held; keep kept; leave left; send sent; spend spent; become became; see saw "
    "seen; steal stole stolen; break broke broken; fly flew flown; draw drew drawn; throw threw "
    "thrown; teach taught; bring brought; think thought; catch caught; fight fought; seek sought; "
    "sink sank sunk; shrink shrank shrunk; feed fed; flee fled; meet met; use used using user "
    "users usage; run ran; show shown shows showed; foot feet; tooth teeth; index indices; crisis "
    "crises; analysis analyses analyse analyze; analysis analysed analyzed; approve approval; "
    "arrive arrival; survive survival; usa u.s u.s. u.s.a u.s.a. american americans; uk u.k u.k. "
    "british britain; eu e.u european; un u.n u.n.; china chinese; russia russian russians; "
    "france french; germany german germans; spain spanish; italy italian italians; japan "
    "japanese; korea korean koreans; india indian indians; iran iranian iranians; ukraine "
    "ukrainian ukrainians; turkey turkish; mexico mexican mexicans; canada canadian canadians; "
    "australia australian australians; israel israeli israelis; brazil brazilian brazilians; "
    "africa african africans; asia asian asians; greece greek greeks; poland polish; sweden "
    "swedish; norway norwegian; netherlands dutch; switzerland swiss; malaysia malaysian "
    "malaysians"
)
"""Inflected forms that no suffix rule covers, with their base form."""

ENGLISH_CONTENT = _set("war die plus son sin sale art mit nie son dont fue todo bis hay")
"""Function words of other languages that are content words in English."""

SYNONYM_STEMS = _by_first(
    "fall decreas declin drop reduc plung shrink lower lessen diminish dwindl; rise increas grow "
    "climb surg soar growth; ban prohibit forbid forbidden outlaw bar; begin start commenc "
    "launch; buy purchas acquir; car vehicl automobil; doctor physician; child kid; say claim; "
    "show demonstr reve; help aid assist; end finish conclud; job employ; film movi; damag harm"
)
"""Stems that are replaced by another, so that synonyms match."""

PERSONS = _set(
    "i me my mine myself we us our ours ourselves you your yours yourself i'm i've i'd i'll you're "
    "you've we're we've"
)
"""Words for who speaks and who is spoken to."""

_OPPOSITES = {"rise": "fall", "win": "lose", "open": "clos"}
OPPOSITE_STEMS = {**_OPPOSITES, **{other: one for one, other in _OPPOSITES.items()}}
"""Stems that contradict each other if they are said of the same thing."""

STOP_WORDS = frozenset().union(*FUNCTION_WORDS.values()) - ENGLISH_CONTENT
NEGATOR_WORDS = frozenset().union(*NEGATORS.values())

POLAR_WORDS: dict[str, bool] = {
    **dict.fromkeys(("yes", "true", "ja", "oui", "sí", "да", "是", "نعم", "بله"), True),
    **dict.fromkeys(("no", "false", "nein", "non", "нет", "否", "لا", "خیر"), False),
}
"""Answers that only affirm or deny the question."""

_DERIVED = _set(
    "ization isation ational fulness iveness ousness ations ation ition ments ment ness ities ity "
    "ances ance ences ence ancy ency ables able ibles ible ically ally ical ful ives ive ions ion "
    "ating ated ates ate ized izes ize ised ises ise ators ator ors or ers er ic al ly at iz is y "
    "e"
)
_RUSSIAN = _set(
    "иями ями ами иях ого его ому ему ыми ими ией ий ый ой ей ая яя ое ее ые ие ую юю ов ев ам ям "
    "ах ях ом ем ью ия ья ть ла ло ли ет ют ут ит ат ят ся сь а я о е и ы у ю ь й"
)
_ARABIC_PREFIXES = ("وال", "بال", "كال", "فال", "لل", "ال")
_ARABIC_SUFFIXES = ("هایی", "های", "ها", "ات", "ون", "ين", "ان", "ية", "یه", "ه", "ی")
_ARABIC_FOLD = str.maketrans("أإآٱىيكةئؤ", "ااااییکهیو", "ـ‌")
_LONGEST_SUFFIX, _MIN_STEM = 7, 4
_VOWELS = frozenset("aeiouy")


def stem(word: str) -> str:
    """One stem for the forms of a lower-case word, by simple suffix rules for its script.

    >>> [stem(word) for word in ("regulations", "regulating", "stopped", "countries", "ólafur")]
    ['regul', 'regul', 'stop', 'countr', 'olafur']
    """
    first = word[0]
    if first < "\u0250":
        return _latin(word)
    if "\u0400" <= first < "\u0530":
        return _without_suffix(word.replace("ё", "е"), _RUSSIAN, 3)
    if "\u0600" <= first < "\u0780":
        return _arabic(word)
    return word


def _latin(word: str) -> str:
    if not word.isascii():
        split = unicodedata.normalize("NFD", word)
        word = "".join(char for char in split if not unicodedata.combining(char))
    if "'" in word:
        word = word.removesuffix("'s").replace("'", "")
    word = IRREGULAR.get(word, word)
    if len(word) <= 3:
        return word
    base = _without_suffix(_uninflected(word), _DERIVED, _MIN_STEM)
    return SYNONYM_STEMS.get(base, base)


def _uninflected(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-2] if word.endswith(("sses", "shes", "ches", "xes")) else word[:-1]
    if not word.endswith(("ing", "ed")):
        return word
    base = word[:-3] if word[-1] == "g" else word[:-2]
    if len(base) < 3 or _VOWELS.isdisjoint(base):
        return word
    return base[:-1] if base[-1] == base[-2] and base[-1] not in "lsz" else base


def _without_suffix(word: str, suffixes: frozenset[str], shortest: int) -> str:
    for length in range(min(_LONGEST_SUFFIX, len(word) - shortest), 0, -1):
        if word[-length:] in suffixes:
            return word[:-length]
    return word


def _arabic(word: str) -> str:
    word = word.translate(_ARABIC_FOLD)
    for prefix in _ARABIC_PREFIXES:
        if word.startswith(prefix) and len(word) - len(prefix) >= 3:
            word = word[len(prefix) :]
            break
    for suffix in _ARABIC_SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            return word[: -len(suffix)]
    return word
