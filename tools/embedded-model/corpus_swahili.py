"""Swahili: everyday words, plurals, opposites, counting."""
from common import Item, fill_pools

WORDS = """
maji:water|chakula:food|nyumba:house|mtoto:child|mama:mother|baba:father|samaki:fish|mbwa:dog|paka:cat|ndege:bird|mti:tree|kitabu:book
jicho:eye|sikio:ear|pua:nose|mkono:hand|mguu:leg|kichwa:head|moyo:heart|nywele:hair|jino:tooth|ulimi:tongue|rafiki:friend|soko:market
njia:road|moto:fire|jua:sun|mwezi:moon|nyota:star|mvua:rain|upepo:wind|ardhi:land|mlima:mountain|mto:river|bahari:sea|chumvi:salt
mafuta:oil|yai:egg|mahindi:maize|mchele:uncooked rice|nyama:meat|maharagwe:beans|jani:leaf|ua:flower|mbuzi:goat|kondoo:sheep|ng'ombe:cow
kuku:chicken|farasi:horse|tembo:elephant|simba:lion|nyoka:snake|kobe:tortoise|nyani:baboon|sungura:rabbit|panya:rat|kipepeo:butterfly
shule:school|mwalimu:teacher|mwanafunzi:student|daktari:doctor|mkulima:farmer|mfalme:king|mwanamume:man|mwanamke:woman|pesa:money
nguo:clothes|kiatu:shoe|kofia:hat|mlango:door|dirisha:window|kiti:chair|meza:table|kitanda:bed|kisu:knife|kijiko:spoon|sahani:plate
gari:car|mpira:ball|mkate:bread|maziwa:milk|asali:honey|chai:tea|sukari:sugar|ndizi:banana|embe:mango|chungwa:orange|habari:news
barua:letter|saa:clock|siku:day|wiki:week|mwaka:year|usiku:night|asubuhi:morning|jioni:evening|jiji:city|kijiji:village|nchi:country
kula:to eat|kunywa:to drink|kulala:to sleep|kusoma:to read|kuandika:to write|kuimba:to sing|kucheka:to laugh|kulia:to cry|kununua:to buy
kuuza:to sell|kupika:to cook|kukimbia:to run|kutembea:to walk|kusikia:to hear|kuona:to see
"""
PLURALS = """
mtoto:watoto|mtu:watu|mti:miti|mkono:mikono|mguu:miguu|mlima:milima|mto:mito|kitabu:vitabu|kiti:viti|kisu:visu|kijiko:vijiko|kiatu:viatu
jicho:macho|jino:meno|yai:mayai|jani:majani|tunda:matunda|gari:magari|mwalimu:walimu|mwanafunzi:wanafunzi|mkulima:wakulima|mlango:milango
kijiji:vijiji|kichwa:vichwa|ua:maua|mkate:mikate
"""
OPPOSITES = """
kubwa:ndogo|refu:fupi|zuri:baya|mchana:usiku|juu:chini|ndani:nje|mbele:nyuma|tajiri:maskini|nyeupe:nyeusi
haraka:polepole
"""
NUMBERS = "sifuri moja mbili tatu nne tano sita saba nane tisa kumi".split()
PEOPLE = "Juma|Amina|Baraka|Neema|Salma|Hassan|Zawadi|Rehema".split("|")


def pairs(table: str) -> list[tuple[str, str]]:
    return [tuple(entry.split(":")) for line in table.split("\n") for entry in line.split("|") if entry]


def items() -> list[Item]:
    made = []
    for index, (word, english) in enumerate(pairs(WORDS)):
        verb = english.startswith("to ")
        sentences = [f"Neno '{word}' maana yake ni '{english}'.", f"Kwa Kiswahili, '{english}' ni '{word}'.", f"'{word}' ni '{english}' kwa Kiingereza."]
        if not verb:
            sentences.append(f"{PEOPLE[index % len(PEOPLE)]} anapenda {word}." if index % 2 else f"{PEOPLE[index % len(PEOPLE)]} anaona {word}.")
        if index % 2:
            made.append(Item("verb meaning" if verb else "meaning", english, sentences,
                             [f"Kwa Kiingereza, '{word}' ni nini?", f"'{word}' inamaanisha nini?"],
                             f"Nini maana ya neno '{word}' kwa Kiingereza?", "sw"))
        else:
            made.append(Item("verb word" if verb else "word", word, sentences,
                             [f"Kwa Kiswahili, '{english}' ni nini?", f"Tunasemaje '{english}' kwa Kiswahili?"],
                             f"Neno la Kiswahili kwa '{english}' ni lipi?", "sw"))
    for one, many in pairs(PLURALS):
        made.append(Item("plural", many, [f"{one.capitalize()} mmoja, {many} wengi." if one[:2] in ("mt", "mw") and many[0] == "w"
                                          else f"Umoja ni {one}, wingi ni {many}.", f"Wingi wa {one} ni {many}."],
                         [f"Wingi wa {one} ni nini?", f"Taja wingi wa {one}."], f"Wingi wa neno '{one}' ni upi?", "sw"))
    for word, other in pairs(OPPOSITES):
        made.append(Item("opposite", other, [f"{word} si {other}.".capitalize(), f"Kinyume cha {word} ni {other}."],
                         [f"Kinyume cha {word} ni nini?", f"Taja kinyume cha {word}."], f"Neno lenye maana kinyume na '{word}' ni lipi?", "sw"))
    for first in range(1, 10):
        for second in range(first, 11 - first):
            total = NUMBERS[first + second]
            made.append(Item("sum", total, [f"{NUMBERS[first]} jumlisha {NUMBERS[second]} ni {total}.".capitalize()],
                             [f"{NUMBERS[first]} jumlisha {NUMBERS[second]} ni ngapi?".capitalize()],
                             f"Ukijumlisha {NUMBERS[first]} na {NUMBERS[second]} unapata ngapi?", "sw"))
    return fill_pools(made)
