/**
 * Signs that a score is no measurement: a stack that loses the log-probabilities scores every choice the same, and its score looks like chance.
 * The tally is kept per task; the alarms are judged from it.
 */
import { lowMassShare } from '../../harness/results/yardstick-sample.ts'
import type { SampleView } from '../../contracts/samples.ts'
import type { Alarm } from '../../contracts/yardstick-results.ts'
import { addBias, biasOfDoc, noBias, type ChoiceBias } from './choice-bias.ts'
import { isInvalid } from './verdict.ts'

/** What is counted over a task's docs. */
export interface DegeneracyTally {
  /** Docs with at least two scored choices. */
  readonly docs: number
  /** Docs all of whose choices have the same log-probability. */
  readonly equal: number
  /** Docs with a choice whose log-probability isn't finite. */
  readonly notFinite: number
  /** Docs of which the probability on all choices together is known. */
  readonly massDocs: number
  /** Its sum over those docs. */
  readonly mass: number
  /** Docs of those with less than `lowMass` on the choices. */
  readonly lowMass: number
  /** Docs with written replies, and those of them that hold no answer. */
  readonly replies: number
  readonly withoutAnswer: number
  /** Replies that came to a letter, where the right answer is one too. */
  readonly lettered: number
  /** By letter: how often it was the reply, and how often it was right. */
  readonly letters: { readonly [letter: string]: { readonly picked: number; readonly gold: number } }
}

export const noTally: DegeneracyTally = {
  docs: 0,
  equal: 0,
  notFinite: 0,
  massDocs: 0,
  mass: 0,
  lowMass: 0,
  replies: 0,
  withoutAnswer: 0,
  lettered: 0,
  letters: {},
}

/** The tally of one doc. `isInvalid` as `verdict.ts` has it. */
export function tallyDoc(sample: SampleView, isInvalid: boolean): DegeneracyTally {
  const { choices, picks, generated } = sample
  if (generated.length > 0) return { ...noTally, replies: 1, withoutAnswer: Number(isInvalid), ...tallyLetter(sample) }
  if (picks === null || choices.length < 2) return noTally
  const isFinite = choices.every(({ logprob }) => Number.isFinite(logprob))
  const mass = massOf(sample)
  return {
    ...noTally,
    docs: 1,
    equal: Number(choices.every(({ logprob }) => Object.is(logprob, choices[0]?.logprob))),
    notFinite: Number(!isFinite),
    massDocs: mass === null ? 0 : 1,
    mass: mass ?? 0,
    lowMass: Number(mass !== null && mass < lowMassShare),
  }
}

/** What the first filter made of the first reply, where that and the target are letters: `B`, `(B)`, `B.`. */
function tallyLetter({ target, generated, filterSteps }: SampleView): Partial<DegeneracyTally> {
  const letter = letterOf((filterSteps?.at(-1)?.outputs ?? generated)[0] ?? '')
  const gold = letterOf(target)
  if (letter === null || gold === null) return {}
  const letters = { [letter]: { picked: 1, gold: Number(letter === gold) } }
  return { lettered: 1, letters: letter === gold ? letters : { ...letters, [gold]: { picked: 0, gold: 1 } } }
}

function letterOf(text: string): string | null {
  return /^[([]?([A-Za-z])[)\].:]{0,2}$/.exec(text.trim())?.[1]?.toUpperCase() ?? null
}

/**
 * The share of the next token's probability that lies on the choices, where each is one token and so excludes the others; null where that can't be told,
 * and where the choices go on a text (` Paris`, ` Rome`): there any other word may be as good, and little on them says nothing.
 */
export function massOf({ own, choices }: Pick<SampleView, 'own' | 'choices'>): number | null {
  if (own !== undefined && own.mass !== null) return own.mass
  const first = choices.map(({ tokens }) => (tokens?.ids.length === 1 ? tokens.ids[0] : undefined))
  if (!choices.every(({ text }) => isLetter(text))) return null
  if (first.length === 0 || first.includes(undefined) || choices.some(({ logprob }) => Number.isNaN(logprob))) return null
  const byToken = new Map(first.map((id, at) => [id, choices[at]?.logprob ?? -Infinity]))
  return [...byToken.values()].reduce((sum, logprob) => sum + Math.exp(logprob), 0)
}

/** `A`, ` (B)`, `3.`: an answer to be named by its letter or digit, as prompts ask for it. */
function isLetter(text: string): boolean {
  return /^\(?[\p{L}\p{N}]\p{M}*[).:]?$/u.test(text.trim())
}

/** Both tallies together. */
export function addTallies(one: DegeneracyTally, other: DegeneracyTally): DegeneracyTally {
  return {
    docs: one.docs + other.docs,
    equal: one.equal + other.equal,
    notFinite: one.notFinite + other.notFinite,
    massDocs: one.massDocs + other.massDocs,
    mass: one.mass + other.mass,
    lowMass: one.lowMass + other.lowMass,
    replies: one.replies + other.replies,
    withoutAnswer: one.withoutAnswer + other.withoutAnswer,
    lettered: one.lettered + other.lettered,
    letters: addLetters(one.letters, other.letters),
  }
}

function addLetters(one: DegeneracyTally['letters'], other: DegeneracyTally['letters']): DegeneracyTally['letters'] {
  const sums = { ...one }
  for (const [letter, { picked, gold }] of Object.entries(other)) {
    const before = sums[letter] ?? { picked: 0, gold: 0 }
    sums[letter] = { picked: before.picked + picked, gold: before.gold + gold }
  }
  return sums
}

/** Fewer docs than these say nothing about a habit. */
const fewestDocs = 20

/** Of a doc's choices that are all equal, a set may hold a few by accident (choices that are the same text); not more than this share. */
const equalShare = 0.01

/**
 * The alarms of a task (or of several, added up).
 *
 * One place, or one letter of written replies, counts as picked too often above 60% of the docs; with two choices above 80%, since 60% is near
 * chance there. Where the right answers lie there just as often, it is the task, and no alarm.
 */
export function alarmsOf(bias: ChoiceBias, tally: DegeneracyTally): readonly Alarm[] {
  const alarms: Alarm[] = []
  if (tally.equal > 0 && tally.equal >= tally.docs * equalShare) alarms.push({ kind: 'equal-choices', docs: tally.equal, of: tally.docs })
  if (tally.notFinite > 0) alarms.push({ kind: 'not-finite', docs: tally.notFinite, of: tally.docs })
  const position = onePosition(bias)
  if (position !== null) alarms.push(position)
  const letter = oneLetter(tally)
  if (letter !== null) alarms.push(letter)
  if (tally.massDocs > 0 && tally.lowMass > tally.massDocs / 2)
    alarms.push({ kind: 'low-mass', docs: tally.lowMass, of: tally.massDocs, meanMass: tally.mass / tally.massDocs })
  if (tally.replies >= fewestDocs && tally.withoutAnswer > tally.replies / 2)
    alarms.push({ kind: 'no-answer', docs: tally.withoutAnswer, of: tally.replies })
  return alarms
}

function onePosition({ docs, positions }: ChoiceBias): Alarm | null {
  for (const norm of ['acc', 'acc_norm'] as const) {
    for (const [position, { picked, gold, chance }] of positions.entries()) {
      if (isHabit(docs, { picked: picked[norm], gold, chance: chance / docs }))
        return { kind: 'one-position', norm, position, picked: picked[norm], gold, of: docs }
    }
  }
  return null
}

/** How many options there are isn't known of a written reply: the letters that are right somewhere count as all. */
function oneLetter({ lettered, letters }: DegeneracyTally): Alarm | null {
  const options = Object.values(letters).filter(({ gold }) => gold > 0).length
  for (const [letter, { picked, gold }] of Object.entries(letters)) {
    if (isHabit(lettered, { picked, gold, chance: 1 / Math.max(2, options) }))
      return { kind: 'one-letter', letter, picked, gold, of: lettered }
  }
  return null
}

function isHabit(
  docs: number,
  { picked, gold, chance }: { readonly picked: number; readonly gold: number; readonly chance: number },
): boolean {
  const most = Math.max(0.6, 1.6 * chance) * docs
  return docs >= fewestDocs && picked > most && gold <= most
}

/** The alarms of a task's samples, of which those under the first filter are looked at: the others have the same replies. */
export function alarmsOfSamples(samples: readonly SampleView[]): readonly Alarm[] {
  const filter = samples[0]?.filter
  let bias = noBias
  let tally = noTally
  for (const sample of samples) {
    if (sample.filter !== filter) continue
    bias = addBias(bias, biasOfDoc(sample))
    tally = addTallies(tally, tallyDoc(sample, isInvalid(sample)))
  }
  return alarmsOf(bias, tally)
}

const percent = (part: number, of: number): string => `${((100 * part) / of).toFixed(0)}%`

/** One sentence for each alarm, beginning with the task. */
export function alarmText(task: string, alarm: Alarm): string {
  const { of } = alarm
  switch (alarm.kind) {
    case 'equal-choices':
      return `${task}: in ${alarm.docs} of ${of} docs every choice has the same log-probability. The model’s numbers are probably lost on the way; the score is worth nothing.`
    case 'not-finite':
      return `${task}: in ${alarm.docs} of ${of} docs a choice has no finite log-probability.`
    case 'one-position':
      return `${task}: ${alarm.norm} picks choice ${String.fromCodePoint(65 + alarm.position)} in ${percent(alarm.picked, of)} of ${of} docs; it is right in ${percent(alarm.gold, of)}. The model answers by place, not by content.`
    case 'one-letter':
      return `${task}: the answer read from ${percent(alarm.picked, of)} of ${of} replies is ${alarm.letter}; it is right in ${percent(alarm.gold, of)}. Either the model always says so, or the filter finds a letter that is no answer.`
    case 'low-mass':
      return `${task}: in ${alarm.docs} of ${of} docs the choices together have less than ${lowMassShare * 100}% of the probability (on average ${(100 * alarm.meanMass).toPrecision(2)}%). The model wants to say something else; try another prompt or its chat template.`
    case 'no-answer':
      return `${task}: no answer could be read from ${alarm.docs} of ${of} replies.`
  }
}
