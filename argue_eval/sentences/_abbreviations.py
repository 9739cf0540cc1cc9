"""Words that end in a full stop without ending a sentence, and words that begin one, by language.

spaCy's tokenizer knows some of the abbreviations; these are what it does not know or treats as the
end. They are in lower case and without the last stop.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple


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
    """Returns the abbreviations of a language; those of English for one that has none."""
    own = code if code in _INNER else "en"

    def words(table: dict[str, str]) -> frozenset[str]:
        return frozenset(table.get(own, "").split())

    return Abbreviations(
        words(_INNER), words(_NUMBERED), words(_FINAL), words(_STARTERS), code in _ORDINALS
    )
