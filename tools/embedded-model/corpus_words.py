"""English words and their meanings."""
from common import Item, fill_pools

MEANINGS = """
arid:very dry|vast:very large|brief:lasting a short time|fragile:easy to break|ancient:very old|timid:shy and easily frightened
weary:tired|hasty:done too quickly|generous:glad to give|stubborn:not willing to change your mind|feeble:weak|rapid:fast
humble:not proud|furious:very angry|courteous:polite|lofty:high|drowsy:almost asleep|eager:wanting very much to do something
scarce:hard to find because there is little of it|abundant:more than enough|obsolete:no longer in use|transparent:clear enough to see through
edible:safe to eat|nocturnal:active at night|fertile:able to grow many plants|damp:a little wet|hollow:empty inside|rigid:hard to bend
cautious:careful to avoid danger|frequent:happening often|annual:happening once a year|permanent:lasting for ever|genuine:real
identical:exactly the same|adjacent:next to|reluctant:not wanting to do something|prosperous:rich and doing well|hostile:unfriendly
serene:calm|obscure:not well known|keen:sharp|vital:needed for life|mute:not speaking|gather:to bring together
conceal:to hide|wander:to walk about with no clear aim|mend:to repair|flee:to run away from danger|seize:to take hold of suddenly
purchase:to buy|assist:to help|commence:to begin|construct:to build|observe:to watch|permit:to allow|depart:to leave|ascend:to go up
reveal:to show what was hidden|whisper:to speak very softly|soar:to fly high in the air|vanish:to go out of sight
hesitate:to wait a moment because you are not sure|quarrel:to argue angrily|rejoice:to be very glad|borrow:to take and promise to give back
predict:to say what will happen|imitate:to copy|boast:to speak too proudly of yourself|tremble:to shake
dwelling:a place to live|voyage:a long journey by sea|orchard:a place where fruit trees grow|foe:an enemy|peak:the top of a mountain
blaze:a large fire|infant:a very young child|feast:a large meal for many people|remedy:a cure
merchant:a person who buys and sells|drought:a long time without rain|harvest:the gathering of ripe crops|rumour:a story that may not be true
burden:a heavy load|custom:what people have long been used to doing|errand:a short trip to do a small job|gust:a sudden strong wind
dusk:the time just after sunset|dawn:the time when the sun rises|ally:a friend in war|canopy:the roof of leaves in a forest
"""


def items() -> list[Item]:
    made = []
    for line in MEANINGS.split("\n"):
        for entry in filter(None, line.split("|")):
            word, meaning = entry.split(":")
            kind = "verb" if meaning.startswith("to ") else "noun" if meaning.split()[0] in ("a", "an", "the", "what") else "adjective"
            made.append(Item(kind, meaning, [
                f"The word {word} means {meaning}.", f"{word.capitalize()}: {meaning}.", f"In the dictionary, {word} is explained as {meaning}.",
                f"If you do not know the word {word}, think of this: {meaning}."],
                [f"How would you explain the word {word}?", f"The word {word} means what?"], f"What is the meaning of \"{word}\"?"))
    return fill_pools(made)
