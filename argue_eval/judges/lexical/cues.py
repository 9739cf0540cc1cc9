"""Cue phrases by language: absence or ignorance, framing, opinion.

Patterns are matched against `Text.flat`: lower-case words with one space between and around them.
Gaps span a limited number of words, so that no text can make a pattern slow. To add a language, add
rows.
"""

from __future__ import annotations

import re
from functools import cache

_GAP = r"(?:[^ ]+ ){0,5}"
_BE = r"(?:is|are|was|were|be|been|being|remains?|remained|isn't|aren't|wasn't|weren't)"
_THINGS = (
    r"(?:evidence|information|data|details?|records?|reports?|mentions?|consensus|figures?|"
    r"estimates?|confirmation|indications?|stud(?:y|ies)|documentation|documents?|sources?|proof|"
    r"statistics|answers?|reference|references|findings|accounts?|explanation|guidance)"
)
_TEXTS = (
    r"(?:documents?|sources?|texts?|collection|articles?|search|passages?|records?|literature|"
    r"reports?|materials?|excerpts?|corpus|references|snippets?|evidence|information|reporting)"
)
_SHOWN = (
    r"(?:found(?! in | to )|known(?! as | for )|reported|specified|mentioned|"
    r"disclosed|stated|provided|documented|identified|"
    r"available|determined|established|announced|published|confirmed|released|described|clear|"
    r"certain|discussed|recorded|detailed|listed|named|revealed|located|verified|quantified|"
    r"addressed|explained|indicated(?! for )|public|given|studied|understood|uncovered)"
)
_SHOW = (
    r"(?:say|specify|mention|contain|include|provide|identify|indicate|report|describe|address|"
    r"explain|state|discuss|give|offer|name|list|disclose|reveal|detail|confirm|cover|clarify|"
    r"show|quantify|assess|elaborate|answer|note|record|document|tell|present|establish)"
)
_DONT = r"(?:do not|does not|did not|don't|doesn't|didn't|fails? to|failed to|never)"

_ABSENCE: dict[str, tuple[str, ...]] = {
    "en": (
        rf" no (?!longer ){_GAP}{_THINGS} {_GAP}(?:{_SHOWN}|exists?|existed|shows?|showed) ",
        rf" (?:there {_BE}|has|have|had|offers?|provides?|contains?|gives?|finds?|found|yielded|"
        rf"returned|with) (?:no|not any|little or no) (?:[^ ]+ ){{0,3}}{_THINGS} ",
        rf" no (?:[^ ]+ ){{0,2}}{_THINGS} (?:on|about|of|that|for|regarding|as to|to) ",
        rf" no (?!longer ){_GAP}(?:was|were|is|are|has been|have been|had been|could be|can be) "
        r"(?:[^ ]+ )?(?:found|reported|mentioned|identified|specified|provided|disclosed|"
        r"documented|recorded|located|published|known|available|announced|described) ",
        rf" {_BE} (?:still |yet |also |as yet )?(?:not |n't )(?:yet |currently |publicly |clearly |"
        rf"explicitly |specifically |fully |directly |well |made )*{_SHOWN} ",
        rf" (?:isn't|aren't|wasn't|weren't|hasn't been|haven't been) (?:yet )?{_SHOWN} ",
        rf" (?:has|have|had) (?:not|never)(?: yet)? been (?:[^ ]+ )?{_SHOWN} ",
        rf" {_BE} (?:still |as yet |largely |currently |also )?(?:unknown|unclear|uncertain|"
        r"undisclosed|unreported|undetermined|unspecified|unavailable|undocumented|unconfirmed|"
        r"unstudied|unexplained) ",
        r" (?:it|that|this) (?:is|remains) (?:anyone's guess|an open question) ",
        rf" {_TEXTS} {_GAP}{_DONT} (?:[^ ]+ )?{_SHOW} ",
        rf" {_TEXTS} (?:[^ ]+ )?(?:lacks?|omits?|is silent|are silent|says? nothing|say nothing) ",
        r" (?:can|could)(?:not| not|n't) be (?:[^ ]+ )?(?:found|determined|verified|confirmed|"
        r"established|identified|located|ascertained|answered) ",
        r" (?:nothing|little) (?:is|was|has been) (?:known|said|reported|found|written) ",
        r" (?:nobody|no one|no - one) (?:knows|knew|has established|can say) ",
        r" no (?:specific |explicit |direct )?mention ",
        rf" (?:not|nowhere|never) found in (?:[^ ]+ ){{0,3}}{_TEXTS} ",
        r" (?:unable|failed|not able) to (?:find|locate|identify|determine|verify) ",
    ),
    "de": (
        r" (?:nicht|noch nicht) (?:[^ ]+ )?(?:bekannt|gefunden|erwähnt|angegeben|geklärt|klar) ",
        r" (?:ist|sind|bleibt|war) (?:[^ ]+ )?(?:unbekannt|unklar|ungewiss|ungeklärt) ",
        r" keine? (?:[^ ]+ )?(?:angaben?|informationen|daten|belege|hinweise|berichte|beweise) ",
    ),
    "fr": (
        r" aucune? (?:[^ ]+ )?(?:information|donnée|preuve|mention|rapport|document|source) ",
        r" (?:on ne sait pas|on ignore|n'est pas (?:connue?|précisée?|mentionnée?|claire?)) ",
        r" (?:est|sont|reste|restent) (?:inconnue?s?|incertaine?s?) ",
        r" (?:documents?|sources?) ne (?:mentionnent|précisent|disent|contiennent|indiquent) pas ",
    ),
    "es": (
        r" no (?:se|hay) (?:[^ ]+ )?(?:encontr\w{1,8}|sabe|conoce|menciona\w{0,3}|especifica\w{0,3"
        r"}|dispone|información|datos|pruebas|evidencias?|informes|registros?|mención) ",
        r" se (?:desconoce|ignora)n? ",
        r" no (?:está|es|queda) (?:claro|clara|conocid[oa]) ",
        r" (?:documentos|fuentes|textos|artículos) (?:[^ ]+ ){0,3}no (?:mencionan|especifican|"
        r"dicen|contienen|indican|informan|proporcionan|incluyen) ",
        r" (?:ningún|ninguna) (?:[^ ]+ )?(?:documento|fuente|información|informe|dato|mención) ",
    ),
    "ru": (
        r" (?:неизвестн|неясн|непонятн)\w{1,3} ",
        r" нет (?:[^ ]+ )?(?:данных|информации|сведений|доказательств|сообщений|упоминаний) ",
        r" не (?:было |был |была )?(?:указан|упомин|упомян|сообща|извест|найден|обнаруж|установл|"
        r"раскры|ясно|содерж)\w{0,8} ",
    ),
    "zh": (
        r"(?:没有|沒有|未能|未|无|無|并未|尚未)[^ ]{0,8}?(?:找到|发现|發現|提及|提到|说明|說明|"
        r"报道|報道|公布|披露|透露|证据|證據|信息|资料|資料|数据|數據|记录|記錄|提供|明确|指出)",
        r"(?:尚不清楚|不清楚|未知|不详|不詳|不明|不得而知)",
    ),
    "fa": (
        r" (?:مشخص|معلوم|روشن|شناخته) (?:نیست|نشده|نبود) ",
        r" (?:نامعلوم|نامشخص|ناشناخته) ",
        r" (?:یافت|ذکر|گزارش|اعلام|منتشر|پیدا|اشاره) (?:ای )?(?:نشد|نشده|نکرده|نکرده اند) ",
        r" (?:اطلاعات\w{0,2}|شواهد\w{0,2}|مدرک\w{0,2}|گزارش\w{0,2}|داده\w{0,3}) (?:[^ ]+ ){0,6}"
        r"(?:ندارد|ندارند|نیست|نشد|نشده|نمی دهد) ",
    ),
    "ar": (
        r" (?:لا|لم|ليس|ليست) (?:[^ ]+ )?(?:توجد|يوجد|تتوفر|تتوافر|هناك|تذكر|يذكر|تشر|يعرف|تعرف|"
        r"العثور|الواضح|المعروف|يتضح|تحدد|تكشف) ",
        r" غير (?:معروف|معروفة|معلوم|معلومة|واضح|واضحة|محدد|محددة) ",
        r" (?:مجهول|مجهولة) ",
    ),
}

_WEAK_ABSENCE: dict[str, tuple[str, ...]] = {
    "en": (
        rf" {_DONT} (?:[^ ]+ )?(?:specify|mention|disclose|say|reveal|clarify|identify|indicate) ",
        rf" there {_BE} (?:no|not any) ",
        r" (?:unknown|unclear|undisclosed|unspecified) ",
        rf" (?:lack|absence|paucity|dearth) of (?:[^ ]+ ){{0,3}}{_THINGS} ",
        r" whether or not ",
    ),
}

_FRAMING: dict[str, tuple[str, ...]] = {
    "en": (
        r"^ (?:this|the|the present|the following|our|my) (?:report|section|summary|overview|"
        r"document|analysis|answer|response|article|list) (?:will |also |further |now |then |"
        r"aims to |seeks to |is intended to |attempts to )*(?:examines?|covers?|discuss|discusses|"
        r"describes?|summari[sz]es?|provides?|presents?|outlines?|explores?|looks?|reviews?|considers?|"
        r"addresses?|explains?|turns?|gives?|is|focuses|focus|begins?|concludes?|analy[sz]es?) ",
        r"^ (?:in|to) (?:summary|conclusion|short|sum|brief|summari[sz]e|conclude|sum up|closing) ",
        r"^ (?:as|as was|as has been) (?:noted|mentioned|discussed|described|stated|explained|"
        r"outlined|shown) (?:above|before|earlier|previously|in the previous) ",
        r"^ (?:here (?:is|are)|below (?:is|are)|the following|sure|certainly|let us|let's) ",
        r"^ (?:we|i) (?:will|shall|now|first|next|then|turn|begin|hope|conclude) ",
        r"^ (?:turning|moving on|returning|we now|having) (?:now |next )?(?:to|turn|discussed|"
        r"considered|looked|seen) ",
        r" (?:in|of) this (?:report|section|summary|overview|document) ",
        r" (?:are|is) (?:discussed|described|listed|summari[sz]ed|given|outlined|presented|set out"
        r") (?:below|in turn|next|in the following|in the next) ",
        r"^ (?:this|these) (?:findings?|points?|developments|factors|results|examples) (?:[^ ]+ "
        r")?(?:show|suggest|illustrate|demonstrate|highlight|underline|underscore) ",
        r" (?:the requester|this request|the requested) ",
    ),
    "es": (r"^ (?:este informe|en resumen|en conclusión|a continuación|el presente informe) ",),
    "de": (r"^ (?:dieser bericht|zusammenfassend|im folgenden|abschließend) ",),
    "fr": (r"^ (?:ce rapport|en résumé|en conclusion|ci - dessous|pour conclure) ",),
    "ru": (r"^ (?:в этом отчете|таким образом|в заключение|подводя итог|настоящий отчет) ",),
    "zh": (r"^ (?:本报告|本文|综上所述|总之|总的来说|以下是|下文)",),
    "fa": (r"^ (?:این گزارش|در نتیجه|به طور خلاصه|در ادامه) ",),
    "ar": (r"^ (?:هذا التقرير|يتناول هذا التقرير|باختصار|في الختام|خلاصة القول|فيما يلي) ",),
}

_OPINION: dict[str, tuple[str, ...]] = {
    "en": (
        r" (?:i|we) (?:think|believe|feel|hope|recommend|suggest|consider) ",
        r" (?:in my|in our) (?:opinion|view) ",
        r" (?:it is|it's) (?:hoped|worth noting that this|clear that this) ",
        r" (?:further|more|additional) (?:research|work|study|information|reporting) (?:is|would "
        r"be|will be|may be) (?:needed|required|useful|necessary|helpful) ",
        r"^ (?:overall|taken together|all in all|ultimately|in general|generally speaking) ",
    ),
}

CUED_LANGUAGES = frozenset(_ABSENCE)
"""Languages in which it is known how to say that something is absent."""

_TABLES = {
    "absence": _ABSENCE,
    "weak_absence": _WEAK_ABSENCE,
    "framing": _FRAMING,
    "opinion": _OPINION,
}


def has_cue(name: str, flat: str) -> bool:
    """Whether a text has a cue: absence, weak_absence, framing or opinion.

    >>> has_cue("absence", " no reports were found on the bridge ")
    True
    >>> has_cue("absence", " the bridge was not damaged ")
    False
    """
    return _pattern(name).search(flat) is not None


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{row})" for rows in _TABLES[name].values() for row in rows))
