"""Arithmetic word problems whose answer ends in `#### n`. Benchmark problems never occur in training."""
import random

from common import ask, join, seeded

PEOPLE = [("Ada", "She"), ("Musa", "He"), ("Zainab", "She"), ("Peter", "He"), ("Nia", "She"), ("Kofi", "He"), ("Grace", "She"), ("Omar", "He")]
GOODS = "mangoes|books|coins|stones|eggs|oranges|pencils|shells|cards|beads".split("|")


def problem(rng: random.Random) -> tuple[str, str]:
    """(question, worked answer)."""
    (name, pronoun), (friend, _) = rng.sample(PEOPLE, 2)
    goods, kind = rng.choice(GOODS), rng.choice(["gain", "gain", "lose", "lose", "groups", "both"])
    if kind == "gain":
        a, b = rng.randint(2, 20), rng.randint(2, 12)
        how = rng.choice([f"{pronoun} buys {b} more.", f"{friend} gives {name} {b} more.", f"{pronoun} finds {b} more."])
        return f"{name} has {a} {goods}. {how} How many {goods} does {name} have now?", f"{a} + {b} = {a + b}\n#### {a + b}"
    if kind == "lose":
        b = rng.randint(2, 10)
        a = b + rng.randint(1, 15)
        how = rng.choice([f"{pronoun} loses {b}.", f"{pronoun} gives {b} to {friend}.", f"{pronoun} sells {b}."])
        return f"{name} has {a} {goods}. {how} How many {goods} are left?", f"{a} - {b} = {a - b}\n#### {a - b}"
    if kind == "groups":
        a, b = rng.randint(2, 6), rng.randint(2, 9)
        return (f"{name} has {a} bags. There are {b} {goods} in each bag. How many {goods} does {name} have?",
                f"{a} * {b} = {a * b}\n#### {a * b}")
    a, b, c = rng.randint(3, 15), rng.randint(2, 9), rng.randint(1, 4)
    return (f"{name} has {a} {goods}. {pronoun} buys {b} more and then gives {c} to {friend}. How many {goods} does {name} have now?",
            f"{a} + {b} = {a + b}\n{a + b} - {c} = {a + b - c}\n#### {a + b - c}")


def exam(count: int) -> tuple[list[dict], set]:
    rng, rows, held = seeded("problems exam"), [], set()
    while len(rows) < count:
        question, answer = problem(rng)
        if question not in held:
            held.add(question)
            rows.append({"question": question, "answer": answer})
    return rows, held


def documents(held: set, count: int, rng: random.Random) -> list[str]:
    pieces = []
    while len(pieces) < count:
        question, answer = problem(rng)
        if question not in held:
            pieces.append(ask(question, answer))
    return join(pieces, "\n\n", 3, rng)
