"""Names of months, numbers, scales and units by language. To add a language, add its words."""

from __future__ import annotations


def _numbered(*rows: str) -> dict[str, int]:
    return {word: at for at, row in enumerate(rows, start=1) for word in row.split()}


def _joined(table: dict[str, str]) -> dict[str, str]:
    return {word: unit for unit, words in table.items() for word in [unit, *words.split()]}


MONTHS = _numbered(
    "january januar janvier enero январь января январе يناير ژانویه",
    "february februar février febrero февраль февраля феврале فبراير فوریه",
    "march märz mars marzo март марта марте مارس",
    "april avril abril апрель апреля апреле أبريل آوریل",
    "may mai mayo май мая мае مايو مه",
    "june juni juin junio июнь июня июне يونيو ژوئن",
    "july juli juillet julio июль июля июле يوليو ژوئیه",
    "august août agosto август августа августе أغسطس اوت",
    "september septembre septiembre сентябрь сентября сентябре سبتمبر سپتامبر",
    "october oktober octobre octubre октябрь октября октябре أكتوبر اکتبر",
    "november novembre noviembre ноябрь ноября ноябре نوفمبر نوامبر",
    "december dezember décembre diciembre декабрь декабря декабре ديسمبر دسامبر",
)
AMBIGUOUS_MONTHS = frozenset({"may", "march", "mars", "august", "мае", "مه"})
"""Names of months that are ordinary words, too."""

ABBREVIATED_MONTHS = _numbered(
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep sept", "oct", "nov", "dec"
)  # fmt: skip
"""Months only next to a number."""

NUMBER_WORDS: dict[str, float] = {
    word: value
    for value, words in (
        (0.0, "zero ноль صفر"), (1.0, "one один eins"), (2.0, "two два две zwei deux dos دو"),
        (3.0, "three три drei trois tres سه"), (4.0, "four четыре vier quatre cuatro چهار"),
        (5.0, "five пять fünf cinq cinco پنج"), (6.0, "six шесть sechs seis شش"),
        (7.0, "seven семь sieben sept siete هفت"), (8.0, "eight восемь acht huit ocho هشت"),
        (9.0, "nine девять neun nueve نه"), (10.0, "ten десять zehn dix diez ده"),
        (11.0, "eleven"), (12.0, "twelve dozen"), (13.0, "thirteen"), (14.0, "fourteen"),
        (15.0, "fifteen"), (16.0, "sixteen"), (17.0, "seventeen"), (18.0, "eighteen"),
        (19.0, "nineteen"), (20.0, "twenty"), (30.0, "thirty"), (40.0, "forty"), (50.0, "fifty"),
        (60.0, "sixty"), (70.0, "seventy"), (80.0, "eighty"), (90.0, "ninety"),
        (100.0, "hundred"), (1e3, "thousand"), (1e6, "million"), (1e9, "billion"),
    )
    for word in words.split()
    if word not in ("نه", "دو", "sept")  # also "not", "both" and an abbreviated month
}  # fmt: skip
TENS = frozenset({"twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"})

SCALES: dict[str, float] = {
    word: value
    for value, words in (
        (1e2, "hundred"),
        (1e3, "thousand k mil tausend mille тысяч тысячи тыс ألف آلاف هزار"),
        (1e6, "million millions mn m mln millón millones millionen миллион миллионов миллиона млн "
              "مليون ملايين میلیون"),
        (1e9, "billion billions bn b milliard milliards milliarden миллиард миллиардов миллиарда "
              "млрд مليار مليارات میلیارد"),
        (1e12, "trillion trillions tn триллион триллионов تريليون تریلیون"),
    )
    for word in words.split()
}  # fmt: skip

UNITS = _joined(
    {
        "percent": "% ％ ٪ pct percentage prozent процент процентов процента درصد",
        "second": "seconds sec secs секунд секунды ثانیه",
        "minute": "minutes min mins minuten minuto minutos минут минуты دقیقه دقيقة دقائق",
        "hour": "hours hr hrs h stunden heure heures hora horas часов часа ساعت ساعة ساعات",
        "day": "days tage jours días дней дня روز يوم أيام",
        "week": "weeks wochen semaine semaines semana semanas недель недели هفته",
        "month": "months monate mois mes meses месяцев месяца ماه أشهر",
        "year": "years yr yrs jahre jahren ans années años лет года سال سنوات عاما",
        "decade": "decades",
        "meter": "meters metre metres метров метра متر",
        "kilometer": "kilometers kilometre kilometres km kms kilómetros километров км کیلومتر",
        "centimeter": "centimeters centimetre centimetres cm",
        "millimeter": "millimeters millimetre millimetres mm",
        "mile": "miles mi",
        "foot": "feet ft",
        "inch": "inches",
        "acre": "acres",
        "hectare": "hectares ha",
        "gram": "grams g",
        "kilogram": "kilograms kg kgs килограммов кг کیلوگرم",
        "milligram": "milligrams mg",
        "ton": "tons tonne tonnes тонн",
        "pound": "pounds lb lbs",
        "liter": "liters litre litres",
        "watt": "watts w",
        "kilowatt": "kilowatts kw",
        "megawatt": "megawatts mw",
        "degree": "degrees °",
        "usd": "dollar dollars доллар долларов دلار دولار",
        "eur": "euro euros евро",
        "gbp": "sterling",
        "cny": "yuan rmb renminbi юаней",
        "jpy": "yen",
        "rub": "ruble rubles rouble roubles рублей рубля",
        "inr": "rupee rupees",
        "point": "points pts",
        "time": "times fold",
    }
)
CURRENCY_SIGNS = {"$": "usd", "€": "eur", "£": "gbp", "¥": "jpy", "₽": "rub", "₹": "inr"}
