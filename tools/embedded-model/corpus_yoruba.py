"""Yorùbá: everyday words with their tone marks and dotted letters, counting, days of the week. All text is in NFC."""
from common import Item, fill_pools

WORDS = """
omi:water|oúnjẹ:food|ilé:house|ọmọ:child|ìyá:mother|bàbá:father|ẹja:fish|ajá:dog|ológbò:cat|ẹyẹ:bird|igi:tree|ìwé:book|ojú:eye|etí:ear
imú:nose|ẹnu:mouth|ọwọ́:hand|ẹsẹ̀:leg|orí:head|irun:hair|eyín:tooth|ahọ́n:tongue|ọ̀rẹ́:friend|ọjà:market|ọ̀nà:road|iná:fire|oòrùn:sun
òṣùpá:moon|ìràwọ̀:star|òjò:rain|afẹ́fẹ́:wind|ilẹ̀:land|òkè:mountain|odò:river|òkun:sea|iyọ̀:salt|epo:oil|ẹyin:egg|iṣu:yam|àgbàdo:maize
ìrẹsì:rice|ẹran:meat|ẹ̀wà:beans|ewé:leaf|òdòdó:flower|ewúrẹ́:goat|àgùntàn:sheep|màlúù:cow|adìyẹ:chicken|ẹṣin:horse|erin:elephant
kìnnìún:lion|ejò:snake|ìjàpá:tortoise|ọ̀bọ:monkey|ehoro:rabbit|eku:rat|labalábá:butterfly|kòkòrò:insect|olùkọ́:teacher|akẹ́kọ̀ọ́:student
dókítà:doctor|àgbẹ̀:farmer|ọba:king|ọkùnrin:man|obìnrin:woman|owó:money|aṣọ:clothes|bàtà:shoe|fìlà:cap|ìlẹ̀kùn:door|fèrèsé:window
àga:chair|tábìlì:table|ibùsùn:bed|ọbẹ̀:soup|ọ̀bẹ:knife|ṣíbí:spoon|àwo:plate|ìkòkò:pot|ìyàwó:wife|bọ́ọ̀lù:ball|oyin:honey|búrẹ́dì:bread
ọ̀sán:afternoon|òru:night|àárọ̀:morning|ìrọ̀lẹ́:evening|ìlú:town|orin:song|èdè:language|orúkọ:name|ọdún:year|ọjọ́:day|ọ̀sẹ̀:week|oṣù:month
jẹun:to eat|mu:to drink|sùn:to sleep|kàwé:to read|kọ̀wé:to write|kọrin:to sing|sunkún:to cry|rà:to buy|tà:to sell|sáré:to run|rìn:to walk
gbọ́:to hear|rí:to see|jó:to dance|jókòó:to sit|lọ:to go
"""
NUMBERS = "ọ̀kan èjì ẹ̀ta ẹ̀rin àrún ẹ̀fà èje ẹ̀jọ ẹ̀sán ẹ̀wá".split()
ENGLISH = "one two three four five six seven eight nine ten".split()
DAYS = """
Ọjọ́ Àìkú:Sunday|Ọjọ́ Ajé:Monday|Ọjọ́ Ìṣẹ́gun:Tuesday|Ọjọ́rú:Wednesday|Ọjọ́bọ̀:Thursday|Ọjọ́ Ẹtì:Friday|Ọjọ́ Àbámẹ́ta:Saturday
"""
PEOPLE = "Adé|Bọ́lá|Ṣadé|Táyé|Kẹ́hìndé|Títí|Kúnlé|Yétúndé".split("|")


def pairs(table: str) -> list[tuple[str, str]]:
    return [tuple(entry.split(":")) for line in table.split("\n") for entry in line.split("|") if entry]


def item(kind: str, word: str, english: str, to_english: bool, extra: list[str]) -> Item:
    sentences = [f"Ìtumọ̀ '{word}' ni '{english}'.", f"Ní èdè Yorùbá, '{english}' ni '{word}'.", f"'{word}' ni '{english}' ní èdè Gẹ̀ẹ́sì.", *extra]
    if to_english:
        return Item(f"{kind} meaning", english, sentences, [f"Ní èdè Gẹ̀ẹ́sì, kí ni '{word}'?", f"Kí ni à ń pe '{word}' ní èdè Gẹ̀ẹ́sì?"],
                    f"Kí ni ìtumọ̀ ọ̀rọ̀ náà '{word}' ní èdè Gẹ̀ẹ́sì?", "yo")
    return Item(kind, word, sentences, [f"Ní èdè Yorùbá, kí ni '{english}'?", f"Kí ni à ń pe '{english}' ní èdè Yorùbá?"],
                f"Ọ̀rọ̀ Yorùbá wo ni ó túmọ̀ sí '{english}'?", "yo")


def items() -> list[Item]:
    made = []
    for index, (word, english) in enumerate(pairs(WORDS)):
        verb = english.startswith("to ")
        person = PEOPLE[index % len(PEOPLE)]
        extra = [] if verb else [f"{person} fẹ́ràn {word}." if index % 2 else f"{person} rí {word}."]
        made.append(item("verb" if verb else "noun", word, english, index % 2 == 1, extra))
    for index, (word, english) in enumerate([*zip(NUMBERS, ENGLISH)]):
        made.append(item("number", word, english, index % 2 == 1, []))
    for index, (word, english) in enumerate(pairs(DAYS)):
        made.append(item("day", word, english, False, []))
    return fill_pools(made)
