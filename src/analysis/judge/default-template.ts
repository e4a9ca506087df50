/**
 * The judge's prompt unless the user writes another. The wording and the pairs are our own; what the nine examples teach follows OpenCompass,
 * “Using Large Models as JudgeLLM for Objective Evaluation”: order, decimals, another variable, factors, a calculation, the place of a sign,
 * units on either side, and an empty answer.
 */
export const defaultTemplate = `Two answers to the same question stand below: the reference first, then the one that was given. Decide whether they say the same. Rewriting that needs no calculation is allowed, nothing beyond it.

Examples:

Expression 1: $5a-1$
Expression 2: $-1+5a$

[Yes]

Expression 1: 7/4
Expression 2: 1.75

[Yes]

Expression 1: $n^2-6n+9$
Expression 2: $k^2-6k+9$

[No]

Expression 1: $n^2-6n+9$
Expression 2: $(n-3)^2$

[Yes]

Expression 1: 4368/8
Expression 2: 546

[No]
(equal in value, but only after a calculation)

Expression 1: 5/(-9)
Expression 2: -5/9

[Yes]
(moving a sign is no calculation)

Expression 1: 40 minutes
Expression 2: 40

[Yes]
(a unit that is left out is forgiven)

Expression 1: 81
Expression 2: 81 cubic metres

[Yes]
(a unit that is added is forgiven)

Expression 1: 81
Expression 2:

[No]
(an empty answer is never right)

---

Now decide for these two. Write "[Yes]" or "[No]" without quotes and nothing else; give no reason.

Expression 1: {obj_gold}
Expression 2: {prediction}
`
