"""Sums, differences, products, sequences and comparisons. The number pairs of the benchmark never occur in training."""
import random

from common import ask, ask_letters, chat, join, seeded

ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
TENS = "- - twenty thirty forty fifty sixty seventy eighty ninety".split()


def words(number: int) -> str:
    if number < 20:
        return ONES[number]
    if number >= 100:
        return "one hundred" + (f" and {words(number - 100)}" if number > 100 else "")
    return TENS[number // 10] + (f"-{ONES[number % 10]}" if number % 10 else "")


def problem(rng: random.Random) -> tuple[tuple, str, int]:
    """(what identifies the problem, the question, the number asked for)."""
    kind = rng.choice(["plus", "plus", "plus", "minus", "minus", "times", "next"])
    if kind == "plus":
        a, b = rng.randint(1, 30), rng.randint(1, 20)
        return ("plus", min(a, b), max(a, b)), f"What is {a} plus {b}?", a + b
    if kind == "minus":
        b = rng.randint(1, 15)
        a = b + rng.randint(1, 25)
        return ("minus", a, b), f"What is {a} minus {b}?", a - b
    if kind == "times":
        a, b = rng.randint(2, 10), rng.randint(2, 10)
        return ("times", min(a, b), max(a, b)), f"What is {a} times {b}?", a * b
    start, step = rng.randint(1, 20), rng.randint(1, 6)
    shown = ", ".join(str(start + step * i) for i in range(4))
    return ("next", start, step), f"Which number comes next: {shown}?", start + 4 * step


def wrong_answers(result: int, rng: random.Random) -> list[int]:
    """One close number, one on the other side or further, one anywhere; never two alike."""
    chosen = []
    for reach in (3, 12, 30):
        while True:
            other = result + rng.choice([-1, 1]) * rng.randint(1, reach)
            if 0 < other < 130 and other != result and other not in chosen:
                chosen.append(other)
                break
    rng.shuffle(chosen)
    return chosen


def exam(count: int, attempt: int = 0) -> tuple[list[dict], set]:
    """Benchmark rows and the identities that training must avoid. Every second row spells its choices out."""
    rng, rows, held = seeded("arithmetic exam", str(attempt)), [], set()
    while len(rows) < count:
        identity, question, result = problem(rng)
        if identity in held or (identity[0] == "times" and sum(key[0] == "times" for key in held) >= count // 8):
            continue
        held.add(identity)
        form = words if len(rows) % 2 else str
        gold = len(rows) // 2 % 4
        wrong = wrong_answers(result, rng)
        rows.append({"kind": identity[0], "question": question + (" Answer in words." if form is words else ""), "answer": gold,
                     "choices": [form(number) for number in wrong[:gold] + [result] + wrong[gold:]]})
    return rows, held


def documents(held: set, count: int, rng: random.Random) -> list[str]:
    pieces, letters, others = [], [], []
    while len(pieces) + len(letters) + len(others) < count:
        identity, question, result = problem(rng)
        if identity in held:
            continue
        style, form = rng.random(), str
        if rng.random() < 0.5:
            form, question = words, question + " Answer in words."
        if style < 0.80:
            pieces.append(ask(question, form(result)))
        elif style < 0.88:
            gold, wrong = rng.randrange(4), wrong_answers(result, rng)
            letters.append(ask_letters(question, [form(n) for n in wrong[:gold] + [result] + wrong[gold:]], gold))
        elif style < 0.92:
            others.append(chat([(question, form(result))]))
        else:
            number = rng.randint(1, 120)
            others.append(f"The number {number} is written {words(number)}.")
    return join(pieces, "\n\n", 4, rng) + join(letters, "\n\n", 3, rng) + others
