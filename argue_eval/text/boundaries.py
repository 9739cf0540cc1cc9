"""Whether a place where spaCy's sentencizer breaks a text is the end of a sentence.

The sentencizer breaks after every mark such as a full stop. That is right for ``。`` and ``؟``; for
a full stop it depends on the word before it and the word after it. A sentence does not end inside
brackets or a short quotation.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

CLOSERS = "\"'”’»›)]}」』》〉】）］｝*_"
OPENERS = "\"'“‘«‹„‚([{「『《〈【（［｛¿¡*_-–—•· \t\n"
CJK = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
MARKER = re.compile(r"(?:\s?\[\^?[A-Za-z]?\d+(?:\s?[,;–-]\s?[A-Za-z]?\d+)*\])+")
"""Inline citations, which belong to the sentence before them."""

_CLOSING = re.compile(rf"[{re.escape(CLOSERS)}]*(?:[“‘«]+(?=\s|$))?(?:\s+»(?=\s|$))?")
_QUOTED = 300
_ENCLOSED = re.compile(
    "|".join(
        f"{opening}{inner}{{1,{_QUOTED}}}?{closing}"
        for opening, inner, closing in (
            (r"\(", "[^()]", r"\)"),
            ("（", "[^（）]", "）"),
            ("《", "[^《》]", "》"),
            ("「", "[^「」]", "」"),
            ("『", "[^『』]", "』"),
            ("“", "[^“”]", "”"),
            ("„", "[^„“”]", "[“”]"),
            ("«", "[^«»]", "»"),
            (r'(?<!\d)"(?=\S)', '[^"]', '"'),
            (r"(?<!\w)['‘](?=\w)", r"""[^"‘“]""", r"(?<=[\w.,!?…])['’](?!\w)"),
        )
    )
)
_STOPS = ".．"
_ELLIPSIS = re.compile(r"(?:…|\.{2,}|(?:\. ){2,}\.)$")
_BEFORE_WORD = re.compile(r"^.*[(\[{\"“«„/]", re.DOTALL)
_FIRST_WORD = re.compile(r"[^\W\d_]+")
_INITIAL = re.compile(r"(?:[^\W\d_]\.-?)*[^\W\d_]")
_ROMAN = re.compile(r"[IVXLC]+\b")
_LIST_NUMBER = re.compile(r"[(\[]?(?:\d{1,3}|[A-Za-zА-Яа-я]|[ivxIVX]{1,4})(?:\.\d{1,2}){0,3}[.．]")
_SAID = re.compile("[^，。！？,]{0,8}(?:[说說问問]|表示|回答|と)")
SPACELESS = re.compile(f"[{CJK}\u0e00-\u0e7f]")


def without_markers(text: str) -> str:
    """Replaces inline citations by spaces, so that all else stays where it was."""
    return MARKER.sub(lambda match: " " * len(match.group()), text) if "[" in text else text


def enclosed(text: str) -> list[tuple[int, int]]:
    """Start and end of what stands in brackets or short quotations, in text order."""
    return [match.span() for match in _ENCLOSED.finditer(text)]


def after_closers(text: str, mark_end: int) -> int:
    """Where the quotation marks, brackets and citations end that follow a mark.

    >>> after_closers('He said: "Go." Then', 13)
    14
    """
    closing = _CLOSING.match(text, mark_end)
    place = closing.end() if closing else mark_end
    marker = MARKER.match(text, place)
    return marker.end() if marker else place


def ends_here(before: str, after: str, is_spaced: bool, words: Abbreviations) -> bool:
    """Whether a sentence ends between two parts of a text.

    Args:
        before: the text from the sentence's start, without space at the end.
        after: what follows, without space at the start.
        is_spaced: there was white space between them.
        words: the abbreviations of the text's language.
    """
    bare = MARKER.sub("", before[-80:]).rstrip(CLOSERS + " ") if before else ""
    if not bare or not after:
        return False
    mark = bare[-1]
    following = after.lstrip(OPENERS)
    if mark.isalnum() or mark in ",;:،؛，、；：" or not following:
        return False
    if not is_spaced and not _may_touch(mark, following[0]):
        return False
    if continues(following) or (mark not in _STOPS and _is_title_or_speech(before, following)):
        return False
    if _ELLIPSIS.search(bare):
        return following[0].isupper()
    return mark not in _STOPS or _stop_ends(before, bare, following, words)


def _may_touch(mark: str, first: str) -> bool:
    """Whether a mark ends a sentence without a space after it."""
    if mark == "…":
        return False
    return not mark.isascii() or SPACELESS.match(first) is not None


def continues(following: str) -> bool:
    """Whether a lowercase word follows; a name such as iPhone does not count."""
    return following[0].islower() and not following[1:2].isupper()


def _is_title_or_speech(before: str, following: str) -> bool:
    """Whether a Chinese sentence goes on after a mark: 《…？》 is a book, “…。” was said."""
    if before[-1] in "》〉":
        return True
    return before[-1] in "”」』" and before[0] in "“「『" and _SAID.match(following) is not None


def _stop_ends(before: str, bare: str, following: str, words: Abbreviations) -> bool:
    if _LIST_NUMBER.fullmatch(before) or never_ends(bare, following, words):
        return False
    last = _last_word(bare)
    is_ordinal = words.has_ordinals and last.isdigit() and len(last) < 3
    if not is_ordinal and last.lower() not in words.final and not _INITIAL.fullmatch(last):
        return True
    first = _FIRST_WORD.match(following)
    if first is None or following[first.end() : first.end() + 1] == ".":
        return False
    return first.group().lower() in words.starters


def never_ends(bare: str, following: str, words: Abbreviations) -> bool:
    """Whether the full stop belongs to an abbreviation and the sentence goes on.

    Args:
        bare: the text up to the full stop.
        following: what comes after it, from its first word on.
        words: the abbreviations of the text's language.
    """
    last = _last_word(bare).lower()
    elided = last.replace("’", "'").rpartition("'")[2]  # l'art. 3
    last = elided if len(elided) > 1 else last
    if last in words.inner:
        return True
    if last in words.numbered and (following[0].isdigit() or _ROMAN.match(following)):
        return True
    return last in words.final and continues(following)


def _last_word(bare: str) -> str:
    """The word before the full stop at the end, without the marks around it."""
    word = bare.rsplit(None, 1)[-1] if bare[-1] in _STOPS else ""
    return _BEFORE_WORD.sub("", word[:-1]).strip("'’‘")


# --- Words that end in a full stop without ending a sentence, and words that begin one, by language


class Abbreviations(NamedTuple):
    """What a full stop after a word means.

    Attributes:
        inner: always followed by more of the same sentence (titles, "e.g.", "vs.").
        numbered: the same if a number follows ("No. 5", "Fig. 3").
        final: may end a sentence too ("etc.", "Inc."); then a word of `starters` follows.
        starters: words that begin sentences and hardly ever stand after `final` otherwise.
        has_ordinals: a full stop after a number of one or two digits makes it an ordinal.
    """

    inner: frozenset[str]
    numbered: frozenset[str]
    final: frozenset[str]
    starters: frozenset[str]
    has_ordinals: bool = False


_INNER = {
    "en": "mr mrs ms dr prof gen sen rep gov lt col sgt capt cmdr maj adm rev hon st mt ft messrs "
    "e.g i.e cf v vs viz al ca approx incl esp est fig figs eds pres supt dept univ",
    "ru": "т.е т.к т.н т.п и.о им ул пр просп пл пер обл р-н д кв стр см ср напр акад проф доц ген "
    "гос св гр тов чел кв.м рис табл ст пос с в.о г-н г-жа",
    "es": "sr sra srta sres dr dra d dª prof lic ing gral cap cmdte p.ej ej ee aa pte ppal cía av "
    "avda vs aprox ca sta sto fr mons excmo",
    "de": "dr prof hr fr z.b z d.h d u.a u bzw ca vgl evtl ggf inkl sog st str dipl ing geb gest "
    "gen jan feb apr jun jul aug sept okt nov dez tel abs bspw o.ä s.o zzgl",
    "fr": "mm dr pr me mgr st ste cf ex p.ex env av bd vs c.-à-d chap éd etc.cf",
    "it": "sig sigg sig.ra dott dott.ssa prof ing avv on sen gen es p.es cfr ca s ss",
    "pt": "sr sra dr dra prof eng av ex p.ex gen cap aprox vs d",
    "ar": "د أ م ا ص ج ق ه هـ أ.د د.أ",
    "fa": "ص ج ق ه ر.ک ه.ش ه.ق ق.م م.ش",
    "uk": "т.д. т.е тов ім вул пр просп пл обл м с р див напр акад проф доц ген св рис табл ст",
}
_NUMBERED = {
    "en": "no nos fig figs p pp vol vols art sec sect ch chap eq par para ver op app "
    "jan feb mar apr jun jul aug sep sept oct nov dec tel ext max min",
    "ru": "п пп ч гл т тт с № рис табл ст тел н янв февр мар апр июн июл авг сент окт нояб дек",
    "es": "núm nº no n pág págs p pp art arts cap vol fig tel t",
    "de": "nr s art bd kap abb tab ziff aufl",
    "fr": "no n p pp art vol fig chap t tél",
    "it": "n nn pag pagg p pp art artt vol fig cap tel",
    "pt": "n nº pág págs p pp art arts vol fig cap tel",
}
_FINAL = {
    "en": "etc inc co corp ltd llc plc jr sr bros a.m p.m u.s u.k u.n e.u d.c u.s.a ph.d m.d b.a "
    "m.a a.d b.c b.c.e c.e n.y jan feb mar apr jun jul aug sep sept oct nov dec",
    "ru": "г гг в вв др т.д т.п пр руб коп тыс млн млрд трлн долл кг км н.э",
    "es": "etc uu ee.uu eeuu s.a cía a.m p.m a.c d.c ud uds depto",
    "de": "usw etc mio mrd co u.s n.chr v.chr jh",
    "fr": "etc m mme mlle s.a av j.-c",
    "it": "ecc s.p.a a.c d.c",
    "pt": "etc s.a a.c d.c",
    "fa": "غیره ش",
    "uk": "рр р ст ін т.д т.п грн тис млн млрд",
}
_STARTERS = {
    "en": "the this these those that it its he she they we you i in on at by for from with as an "
    "but and however also when while if there their his her our some many after before since "
    "during according although despite both such another to what who how why where meanwhile "
    "moreover furthermore additionally",
    "ru": "в во на по из с со к о об за от для при это этот эта эти он она они оно мы я вы но и а "
    "однако также кроме после до когда если так как что кто его её их там тогда затем поэтому "
    "власти эксперты согласно",
    "es": "el la los las lo un una unos unas en de del por para con sin según sobre pero y e "
    "además también cuando si como este esta estos estas ese esa esto eso él ella ellos se su sus "
    "tras desde durante aunque mientras hay no es",
    "de": "der die das den dem des ein eine einer er sie es wir ich in im am an auf aus bei mit "
    "nach von vor zu zum zur und aber doch jedoch auch wenn als wie dies diese dieser dieses seit "
    "während laut allerdings außerdem danach dort hier",
    "fr": "le la les l un une des en dans de du au aux il elle ils elles on ce cet cette ces mais "
    "et cependant toutefois aussi selon pour par avec sans sur après avant depuis pendant quand si "
    "son sa ses leur leurs nous vous je",
    "it": "il lo la i gli le un una in nel nella di da per con ma e tuttavia secondo questo questa "
    "si è dopo prima quando anche",
    "pt": "o a os as um uma em no na nos nas de do da por para com mas e segundo este esta isso "
    "ele ela eles após antes quando também",
    "uk": "в у на по із з до це цей ця ці він вона вони ми але і а однак також після коли якщо як "
    "що його її їх",
}
_ORDINALS = frozenset(("de", "pl", "cs", "sk", "hu", "fi", "da", "nb", "tr", "hr", "sl", "et"))


@cache
def abbreviations(code: str) -> Abbreviations:
    """The abbreviations of a language; those of English for a language without any."""
    own = code if code in _INNER else "en"

    def words(table: dict[str, str]) -> frozenset[str]:
        return frozenset(table.get(own, "").split())

    return Abbreviations(
        words(_INNER), words(_NUMBERED), words(_FINAL), words(_STARTERS), code in _ORDINALS
    )
