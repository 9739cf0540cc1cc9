"""Texts whose sentences are known, in many languages, with what makes splitting them hard."""

from __future__ import annotations

ENGLISH = [
    "Inflation in the U.S. rose to 6.2% in Oct. 2021, from 1.4 % a year before.",
    "Dr. J. R. Smith of the St. Louis Fed, e.g., had expected 3.5 percent.",
    "The ban took effect in the U.S.",
    "It was lifted at 5 p.m. on Jan. 5.",
    "See No. 5, Fig. 3 and pp. 4-5 for details.",
    '"Why now?" he asked.',
    '"We have won!"',
    "(The vote was close.)",
    "Yahoo! was sold to Apollo Inc. in 2021.",
    "However, the deal (see Sec. II) was disputed.",
    'He said: "I left. I did not come back." and closed the door.',
    "Was it legal?",
    "Yes!",
    "The film 'Who Is Afraid?' opened in Washington, D.C., in May.",
    "Roe v. Wade was overturned.",
    "The firm, i.e. its owner, paid approx. $5 million vs. $4 million.",
    "iPhone sales fell.",
    "eBay’s did not...",
    "Nobody knows why…",
    "Visit www.example.org/a.b?c=d for more.",
    "The temperature was 5 °C.",
    "1,000 people came.",
    "“They left,” she said.",
    "The EU (27 states) agreed [sic].",
    "Node.js 3.5.1 was released.",
]
CHINESE = [
    "截至2019年，通货膨胀率增长了3.5%。",
    "他问：“为什么？”",
    "没有人知道！",
    "《你好吗？》是一本很有名的书。",
    "U.S. 公司的 No. 5 工厂已经关闭。",
    "“我们赢了。”",
    "（投票结果非常接近。）",
    "他走了……然后又回来了。",
    "这合法吗？",
    "当然合法。",
    "“先离开。再回来。”他这样说。",
]
RUSSIAN = [
    "В 2019 г. А. С. Пушкин, т. е. поэт, жил на ул. Ленина, д. 5.",
    "Рост цен составил 3,5 %.",
    "Это много!",
    "Убытки достигли 5 млн. руб. в год.",
    "«Да!» — сказал он.",
    "«Мы победили».",
    "Почему?",
    "Закон вступил в силу 5 янв. 2020 г.",
    "В нём, напр., три статьи и т.д.",
    "Он отметил рост на 3.5 процента.",
    "Никто не знает…",
    "Потом всё закончилось.",
]
PERSIAN = [
    "نرخ تورم ۳٫۵ درصد بود.",
    "آیا این درست است؟",
    "بله!",
    "در سال ۱۳۹۸ ه.ش. این قانون تصویب شد.",
    "او گفت: «ما رفتیم. برنگشتیم» و خاموش شد.",
    "میزان رشد 3.5 درصد بود.",
    "هیچ‌کس نمی‌داند.",
]
ARABIC = [
    "قال د. محمد إن النسبة 3.5%.",
    "هل هذا صحيح؟",
    "نعم!",
    "بلغ عدد السكان ٣٫٥ مليون نسمة.",
    "«لقد فزنا.»",
    "قال: «ذهبنا. لم نعد» ثم صمت.",
    "لا أحد يعرف السبب.",
]
SPANISH = [
    "El Sr. García vive en EE. UU. desde 2019.",
    "¿Qué pasó?",
    "¡Nada!",
    "La pág. 5 y el art. 3 lo dicen.",
    "«Sí.»",
    "La inflación subió un 3,5 % en enero.",
    "La Dra. López, p. ej., lo niega.",
    "Nadie lo sabe...",
    "Luego EE.UU. ganó.",
]
GERMAN = [
    "Am 3. Oktober kam Dr. Müller z. B. nach Berlin.",
    "„Er ging.“",
    "Sie blieb.",
    "Nr. 5 kostet ca. 3,5 Mio. Euro.",
    "Warum?",
    "Das gilt u. a. für Bund, Länder usw.",
    "Es waren 30.",
    "Die Frage bleibt offen.",
    "Niemand weiß es …",
]
FRENCH = [
    "M. Dupont a dit « Oui. »",
    "Il est parti à 5 h.",
    "L'art. 3, p. 5, le dit.",
    "Est-ce vrai ?",
    "Oui !",
    "Les prix ont augmenté de 3,5 %.",
    "Mme. Curie, c.-à-d. Marie, le savait.",
    "J.-P. Martin aussi.",
]
HINDI = ["यह एक वाक्य है।", "क्या यह सही है?", "हाँ।"]
JAPANESE = ["これは報告書です。", "「なぜ？」と彼は聞いた。", "誰も知らない！"]
URDU = ["یہ ایک جملہ ہے۔", "کیا یہ درست ہے؟", "ہاں۔"]
ARMENIAN = ["Է՞ր եկավ։", "Այո, եկավ։"]
AMHARIC = ["ይህ ዘገባ ነው።", "ሌላ ዓረፍተ ነገር ነው።"]
KOREAN = ["이것은 보고서입니다.", "맞습니까?", "네, 3.5%입니다."]

TEXTS = {
    "en": ENGLISH,
    "zh": CHINESE,
    "ru": RUSSIAN,
    "fa": PERSIAN,
    "ar": ARABIC,
    "es": SPANISH,
    "de": GERMAN,
    "fr": FRENCH,
    "hi": HINDI,
    "ja": JAPANESE,
    "ur": URDU,
    "ko": KOREAN,
    "und": [*ARMENIAN, *AMHARIC],
}


def joined(language: str) -> str:
    """The sentences of a language as one paragraph."""
    return ("" if language in ("zh", "ja") else " ").join(TEXTS[language])
