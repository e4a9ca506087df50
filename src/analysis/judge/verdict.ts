/** What a judge's reply says. Strict: `[Yes]` or `[No]` and nothing else. */

/** How a judge decides: by the text it writes, or by which of the two continuations `[Yes]` and `[No]` it finds more likely. */
export type JudgeBy = 'text' | 'loglikelihood'

export const judgeWays: readonly JudgeBy[] = ['text', 'loglikelihood']

export type Verdict = 'yes' | 'no' | 'invalid'

interface ReadReply {
  readonly verdict: Verdict
  /** What a lenient reader would take an invalid reply for (`Yes.`, `**[yes]**`); null where there is nothing to take. It never counts. */
  readonly lenient: 'yes' | 'no' | null
}

/** The continuations that are compared, and the replies that are valid; the first is the one for an answer that is right. */
export const verdictTexts = ['[Yes]', '[No]'] as const

/** The pattern of a valid reply, as the filter of the judge's task has it; its group is the verdict. */
export const verdictPattern = '^\\s*(\\[Yes\\]|\\[No\\])\\s*$'

export function readReply(reply: string): ReadReply {
  switch (new RegExp(verdictPattern).exec(reply)?.[1]) {
    case '[Yes]':
      return { verdict: 'yes', lenient: null }
    case '[No]':
      return { verdict: 'no', lenient: null }
    default:
      return { verdict: 'invalid', lenient: lenientVerdict(reply) }
  }
}

/** One of the two words at the reply's beginning, or in brackets anywhere, and not the other. */
function lenientVerdict(reply: string): 'yes' | 'no' | null {
  const found = [...reply.matchAll(/\[\s*(yes|no)\s*\]/gi), ...reply.matchAll(/^[\s\p{P}\p{S}]*(yes|no)(?![\p{L}\p{N}])/giu)]
  const words = new Set(found.map((match) => match[1]?.toLowerCase()))
  const [word] = words
  return words.size === 1 && (word === 'yes' || word === 'no') ? word : null
}

/** By log-probabilities in nats of the two continuations; a tie is a no, and what is no number is invalid. */
export function verdictOfLogprobs(yes: number, no: number): Verdict {
  if (Number.isNaN(yes) || Number.isNaN(no)) return 'invalid'
  return yes > no ? 'yes' : 'no'
}
