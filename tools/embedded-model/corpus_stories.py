"""Running text: small stories from a grammar, for training and (other stories) for rolling likelihood, and a few essays written by hand."""
import random

from common import seeded

PEOPLE = [("Ada", "she", "her"), ("Musa", "he", "his"), ("Zainab", "she", "her"), ("Peter", "he", "his"), ("Nia", "she", "her"), ("Kofi", "he", "his"),
          ("Wanjiru", "she", "her"), ("Samuel", "he", "his"), ("Aisha", "she", "her"), ("Chidi", "he", "his")]
PLACES = "the village|the market|the river|the old harbour|the school|the forest|the hill|the town|the lake|the farm".split("|")
WEATHER = "It was a cold morning.|The sun was hot.|It had rained all night.|A soft wind was blowing.|The sky was grey.|The stars were still out.".split("|")
FINDS = "a small brown dog|a silver coin|an old map|a broken drum|a basket of eggs|a blue feather|a letter with no name|a wooden boat".split("|")
FEELINGS = "happy|tired|proud|surprised|quiet|hungry|glad|worried".split("|")
ANIMALS = "goat|dog|hen|cat|cow|horse|duck|donkey".split("|")
JOBS = "farmer|teacher|baker|fisher|tailor|carpenter|potter|nurse".split("|")


def paragraph(rng: random.Random) -> str:
    (name, he, his), (friend, _, _) = rng.sample(PEOPLE, 2)
    place, other = rng.sample(PLACES, 2)
    find, animal, job = rng.choice(FINDS), rng.choice(ANIMALS), rng.choice(JOBS)
    He = he.capitalize()
    opening = rng.choice([f"{name} lived near {place}.", f"One day {name} went to {place}.", f"{name} was the child of a {job}.",
                          f"Every day {name} walked from {place} to {other}."])
    middle = rng.sample([
        f"On the way {he} found {find}.", f"{He} asked {friend} to come along.", f"The {job} gave {friend} some bread.",
        f"{friend} said that the road to {other} was long.", f"A {animal} stood beside the road and did not move.",
        f"{He} carried {find} in {his} bag.", f"They sat under a tree and talked about {other}.", f"{name} felt {rng.choice(FEELINGS)}.",
        f"Then the {animal} ran away, and {friend} ran after it.", f"Nobody in {place} had seen the {job} that day."], rng.randint(3, 6))
    closing = rng.choice([f"In the evening they went home, and {name} was {rng.choice(FEELINGS)}.", f"At last they came to {other}.",
                          f"{friend} never forgot that day.", f"When night came, {he} put {find} beside {his} bed."])
    return " ".join([opening, rng.choice(WEATHER), *middle, closing])


ESSAYS = [
    ("Rain", "Rain begins when water in the air grows cold. The water gathers into drops, and when the drops are heavy enough they fall. Some of the rain "
             "runs into rivers, some sinks into the ground, and some goes back into the air when the sun is hot. Farmers watch the sky, because without "
             "rain the crops do not grow."),
    ("Bread", "To make bread you need flour, water, salt and time. First the baker mixes the flour and the water. Then the baker leaves it to rise. After "
              "some hours it is twice as large as before. The oven must be hot. When the bread is done, it sounds hollow if you knock on it."),
    ("The drum", "Long before there were letters, people sent messages with drums. A drum that is made well can be heard from one village to the next. "
                 "In the Yorùbá lands of West Africa there is a drum, the dùndún, whose sound goes up and down as the language does, so that those who know "
                 "the language can hear words in it."),
    ("Counting", "A child learns to count with fingers. One, two, three, four, five, and then the other hand. Most people in the world count in tens, and "
                 "the reason is easy to see. But some have counted in twenties, with fingers and toes, and we still measure hours and minutes in sixties."),
]


def documents(count: int, rng: random.Random) -> list[str]:
    return ["\n\n".join(paragraph(rng) for _ in range(rng.randint(1, 3))) for _ in range(count)]


def exam() -> list[dict]:
    """Documents for rolling likelihood. The last story is longer than the model's context, so it takes several windows."""
    rng = seeded("stories exam")
    rows = [{"title": title, "text": text} for title, text in ESSAYS]
    for index, paragraphs in enumerate([1, 1, 2, 2, 3, 3, 4, 14]):
        rows.append({"title": f"Story {index + 1}", "text": "\n\n".join(paragraph(rng) for _ in range(paragraphs))})
    return rows
