"""The training text as a whole, and the split of knowledge items between benchmark, few-shot examples and the rest."""
import functools
import random

import corpus_arithmetic
import corpus_facts
import corpus_inference
import corpus_problems
import corpus_stories
import corpus_swahili
import corpus_words
import corpus_yoruba
from common import Item, documents, exam_rows, least_biased, seeded

KNOWLEDGE = {"facts": corpus_facts, "words": corpus_words, "swahili": corpus_swahili, "yoruba": corpus_yoruba}
TEST = {"facts": 92, "words": 64, "swahili": 60, "yoruba": 60, "arithmetic": 60, "inference": 60, "wordproblems": 60}
FEWSHOT = 8
# (fewest, most) times an item is shown, by subject: wide, so that some items stay half-known
SHOWN = {"facts": (10, 250), "words": (10, 300), "swahili": (12, 300), "yoruba": (12, 300)}
REASONING = {"arithmetic": (corpus_arithmetic, 45000), "inference": (corpus_inference, 26000), "wordproblems": (corpus_problems, 9000)}  # and how many problems
STORIES = 1400
# Answers so close in meaning that a question must not offer them together
NEAR = [{"cutting", "cutting wood into pieces"}, {"giving light at night", "giving light without electricity"}, {"finding the way", "finding which way is north"},
        {"digging", "turning the soil before planting"}, {"washing", "tidying hair"}, {"prepares meals", "bakes bread"}, {"tired", "almost asleep"},
        {"to hide", "to go out of sight"}, {"fast", "done too quickly"}, {"very angry", "unfriendly"}, {"weak", "easy to break"}, {"very old", "no longer in use"},
        {"careful to avoid danger", "shy and easily frightened"}, {"rich and doing well", "more than enough"}, {"land", "country"}, {"ardhi", "nchi"},
        {"not proud", "polite"}, {"careful to avoid danger", "not wanting to do something"}]


def knowledge_rows(name: str) -> tuple[list[dict], list[dict]]:
    """(few-shot rows, test rows) of a subject; one row per item, the question in wording kept out of training."""
    def draw(attempt: int) -> tuple[list[dict], list[dict]]:
        rng = seeded("exam", name, str(attempt))
        items: list[Item] = KNOWLEDGE[name].items()
        rng.shuffle(items)
        return exam_rows(items[FEWSHOT:FEWSHOT + TEST[name]], rng, NEAR), exam_rows(items[:FEWSHOT], rng, NEAR)

    test, fewshot = least_biased(draw, 0)
    return fewshot, test


@functools.cache
def reasoning_rows(name: str) -> tuple[list[dict], set]:
    """(few-shot rows and then test rows, what training must avoid) of a subject whose problems are made at random."""
    count = FEWSHOT + TEST[name]
    if name == "wordproblems":
        return corpus_problems.exam(count)
    return least_biased(lambda attempt: REASONING[name][0].exam(count, attempt), FEWSHOT)


def benchmark() -> dict[str, dict[str, list[dict]]]:
    """Every configuration of the data set: {name: {split: rows}}."""
    made = {}
    for name in KNOWLEDGE:
        fewshot, test = knowledge_rows(name)
        made[name] = {"fewshot": fewshot, "test": test}
    for name in REASONING:
        rows = [dict(row) for row in reasoning_rows(name)[0]]
        made[name] = {"fewshot": rows[:FEWSHOT], "test": rows[FEWSHOT:]}
    made["text"] = {"test": corpus_stories.exam()}
    for name, splits in made.items():
        for split, rows in splits.items():
            for index, row in enumerate(rows):
                rows[index] = {"id": f"{name}-{split}-{index + 1:03d}", **row}
    return made


def training_documents() -> list[str]:
    """All training documents, shuffled."""
    made = []
    for name, module in KNOWLEDGE.items():
        made += documents(module.items(), seeded("train", name), *SHOWN[name])
    for name, (module, count) in REASONING.items():
        made += module.documents(reasoning_rows(name)[1], count, seeded("train", name))
    held_stories = {part for row in corpus_stories.exam() for part in row["text"].split("\n\n")}
    made += [story for story in corpus_stories.documents(STORIES, seeded("train", "stories")) if not held_stories & set(story.split("\n\n"))]
    random.Random(1).shuffle(made)
    return made


def check_held_out(texts: list[str]) -> None:
    """No benchmark question (any split) occurs anywhere in the training text."""
    whole = "\n\n\n".join(texts)
    for name, splits in benchmark().items():
        for rows in splits.values():
            for row in rows:
                for part in [row["question"]] if "question" in row else row["text"].split("\n\n"):
                    assert part not in whole, (name, part)


if __name__ == "__main__":
    texts = training_documents()
    check_held_out(texts)
    print(len(texts), "documents,", sum(len(text.encode()) for text in texts), "bytes; no benchmark question among them")
