"""Short inference: who has what, where a thing is, what follows from a rule, who comes first. Benchmark texts never occur in training."""
import random

from common import ask, ask_letters, chat, join, seeded

NAMES = "Ada|Musa|Lin|Tom|Zainab|Peter|Nia|Omar|Grace|Kofi|Maria|Ben|Wanjiru|Chidi|Aisha|Samuel|Ngozi|Paul|Emeka|Ruth".split("|")
THINGS = "key|coin|letter|ball|ring|spoon|apple|map|book|lamp|shoe|cup|pencil|whistle|photograph|ribbon".split("|")
PLACES = ("in the box|under the bed|on the table|behind the old wooden door|in the kitchen|beside the river|on the roof|in the basket|"
          "at the bottom of the well|under the mango tree|in the drawer|on the shelf above the window|near the gate|in a bag").split("|")
KINDS = "a bird|a fish|a tree|a stone|a kind of bread|a musical instrument|a boat|an insect|a long green snake|a tool|a cloth|a very small flower".split("|")
SYLLABLES = "bli|dro|fen|gam|kip|lor|mun|nax|pel|quo|rin|sto|tam|vip|wug|zem".split("|")
COMPARE = [("taller", "tallest"), ("older", "oldest"), ("faster", "fastest"), ("stronger", "strongest")]


def problem(rng: random.Random) -> tuple[str, str, str, list[str]]:
    """(kind, question, answer, wrong answers)."""
    kind = rng.choice(["where", "where", "who", "rule", "rule", "order"])
    if kind == "where":
        people, things, places = rng.sample(NAMES, 2), rng.sample(THINGS, 2), rng.sample(PLACES, 4)
        story = " ".join(f"{p} put the {t} {x}." for p, t, x in zip(people, things, places))
        asked = rng.randrange(2)
        return kind, f"{story} Where is the {things[asked]}?", places[asked], [places[1 - asked], places[2], places[3]]
    if kind == "who":
        people, things = rng.sample(NAMES, 3), rng.sample(THINGS, 3)
        story = " ".join(f"{p} has the {t}." for p, t in zip(people, things))
        asked = rng.randrange(3)
        extra = rng.choice([name for name in NAMES if name not in people])
        return kind, f"{story} Who has the {things[asked]}?", people[asked], [*(people[:asked] + people[asked + 1:]), extra]
    if kind == "rule":
        first, second = ("".join(rng.sample(SYLLABLES, 2)) for _ in range(2))
        while second == first:
            second = "".join(rng.sample(SYLLABLES, 2))
        kinds, name = rng.sample(KINDS, 4), rng.choice(NAMES)
        story = f"Every {first} is {kinds[0]}. Every {second} is {kinds[1]}."
        asked = rng.randrange(2)
        return kind, f"{story} {name} saw a {(first, second)[asked]}. What did {name} see?", kinds[asked], [kinds[1 - asked], kinds[2], kinds[3]]
    more, most = rng.choice(COMPARE)
    people = rng.sample(NAMES, 3)
    pair = [f"{people[0]} is {more} than {people[1]}.", f"{people[1]} is {more} than {people[2]}."]
    rng.shuffle(pair)
    extra = rng.choice([name for name in NAMES if name not in people])
    return kind, f"{pair[0]} {pair[1]} Who is the {most}?", people[0], [people[1], people[2], extra]


def exam(count: int, attempt: int = 0) -> tuple[list[dict], set]:
    rng, rows, held = seeded("inference exam", str(attempt)), [], set()
    while len(rows) < count:
        kind, question, answer, wrong = problem(rng)
        if question in held:
            continue
        held.add(question)
        gold = len(rows) % 4
        rng.shuffle(wrong)
        rows.append({"kind": kind, "question": question, "choices": wrong[:gold] + [answer] + wrong[gold:], "answer": gold})
    return rows, held


def documents(held: set, count: int, rng: random.Random) -> list[str]:
    pieces, letters, chats = [], [], []
    while len(pieces) + len(letters) + len(chats) < count:
        _, question, answer, wrong = problem(rng)
        if question in held:
            continue
        style = rng.random()
        if style < 0.85:
            pieces.append(ask(question, answer))
        elif style < 0.95:
            gold = rng.randrange(4)
            letters.append(ask_letters(question, wrong[:gold] + [answer] + wrong[gold:], gold))
        else:
            chats.append(chat([(question, answer)]))
    return join(pieces, "\n\n", 3, rng) + join(letters, "\n\n", 2, rng) + chats
