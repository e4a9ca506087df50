"""Shared shapes: items of knowledge, question formats, and how often an item is shown during training."""
import hashlib
import math
import random
from dataclasses import dataclass, field

LETTERS = "ABCD"
HEADINGS = {"en": ("Question: ", "\nAnswer:"), "sw": ("Swali: ", "\nJibu:"), "yo": ("Ìbéèrè: ", "\nÌdáhùn:")}


@dataclass
class Item:
    """One thing to know: sentences and questions for training, and one differently worded question for the benchmark."""
    kind: str
    answer: str
    statements: list[str]
    questions: list[str]
    exam: str
    language: str = "en"
    pool: list[str] = field(default_factory=list)  # other answers of the same kind, wrong here


def ask(question: str, answer: str = "", language: str = "en") -> str:
    before, after = HEADINGS[language]
    return f"{before}{question}{after}" + (f" {answer}" if answer else "")


def ask_letters(question: str, choices: list[str], gold: int, language: str = "en") -> str:
    before, after = HEADINGS[language]
    listed = "".join(f"\n{letter}. {choice}" for letter, choice in zip(LETTERS, choices))
    return f"{before}{question}{listed}{after} {LETTERS[gold]}"


def seeded(*names: str) -> random.Random:
    """A generator that depends on the names alone, so that modules do not disturb each other."""
    return random.Random(int.from_bytes(hashlib.sha256("/".join(names).encode()).digest()[:8], "big"))


def exposures(name: str, low: float, high: float) -> int:
    """How often an item is shown: log-uniform between low and high, fixed by the item's name. Rare items stay half-known."""
    return round(math.exp(seeded("exposures", name).uniform(math.log(low), math.log(high))))


def fill_pools(items: list[Item]) -> list[Item]:
    """Gives every item the other answers of its kind, unless they were filled by hand."""
    for item in items:
        if not item.pool:
            item.pool = sorted({other.answer for other in items if other.kind == item.kind} - {item.answer})
    return items


def choices_for(item: Item, rng: random.Random, gold: int, near: list[set[str]] = ()) -> list[str]:
    """Four choices with the answer at `gold`; wrong ones are other answers of the same kind, none that shares a set of `near` with the answer."""
    close = set().union(*(group for group in near if item.answer in group))
    wrong = rng.sample([other for other in item.pool if other not in close], 3)
    return wrong[:gold] + [item.answer] + wrong[gold:]


def exam_rows(items: list[Item], rng: random.Random, near: list[set[str]]) -> list[dict]:
    """Benchmark rows of the items, gold positions balanced over A to D."""
    golds = [index % 4 for index in range(len(items))]
    rng.shuffle(golds)
    return [{"kind": item.kind, "question": item.exam, "choices": choices_for(item, rng, gold, near), "answer": gold}
            for item, gold in zip(items, golds)]


def documents(items: list[Item], rng: random.Random, low: float, high: float) -> list[str]:
    """Training documents: every item shown its number of times, as sentences, questions, letter questions or chat turns."""
    sentences, questions, letters, chats = [], {}, {}, []
    for item in items:
        for _ in range(exposures(item.exam, low, high)):
            style = rng.random()
            question = rng.choice(item.questions)
            if style < 0.45:
                sentences.append(rng.choice(item.statements))
            elif style < 0.87:
                questions.setdefault(item.language, []).append(ask(question, item.answer, item.language))
            elif style < 0.95:
                gold = rng.randrange(4)
                letters.setdefault(item.language, []).append(ask_letters(question, choices_for(item, rng, gold), gold, item.language))
            else:
                chats.append(chat([(question, item.answer)]))
    groups = join(sentences, " ", 6, rng) + chats
    for pieces in [*questions.values(), *letters.values()]:
        groups += join(pieces, "\n\n", 4, rng)
    return groups


def length_bias(rows: list[dict]) -> tuple[float, float]:
    """(share of rows whose gold is the longest choice, same for the shortest); a tie of k choices counts 1/k."""
    longest = shortest = 0.0
    for row in rows:
        lengths = [len(choice) for choice in row["choices"]]
        gold = lengths[row["answer"]]
        longest += (gold == max(lengths)) / lengths.count(max(lengths))
        shortest += (gold == min(lengths)) / lengths.count(min(lengths))
    return longest / len(rows), shortest / len(rows)


def least_biased(make, fewshot: int):
    """Of forty draws `make(attempt)`, a tuple whose first part is the rows, the one whose choice lengths tell least about the answer."""
    def bias(drawn) -> float:
        longest, shortest = length_bias(drawn[0][fewshot:])
        return abs(longest - 0.25) + abs(shortest - 0.25)
    return min((make(attempt) for attempt in range(40)), key=bias)


def join(pieces: list[str], glue: str, most: int, rng: random.Random) -> list[str]:
    """Shuffles the pieces and glues runs of 1 to `most` of them."""
    pieces, joined = list(pieces), []
    rng.shuffle(pieces)
    while pieces:
        count = rng.randint(1, most)
        joined.append(glue.join(pieces[:count]))
        del pieces[:count]
    return joined


def chat(turns: list[tuple[str, str]]) -> str:
    """The same text that the chat template writes, without its leading BOS and final EOS."""
    return "</s>\n".join(f"User:\n{question}\nAssistant:\n{answer}" for question, answer in turns)
