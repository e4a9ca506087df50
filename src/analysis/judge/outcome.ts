/** A judge's verdicts beside the task's own metric: both accuracies, their 2×2 table, and whether they differ by more than chance. */
import { EvalError } from '../../base/errors.ts'
import { wilsonInterval } from '../../base/wilson-interval.ts'
import type { SampleView } from '../../contracts/samples.ts'
import { agreementOf, type Agreement } from '../compare/agreement/agreement.ts'
import { significanceLevel } from '../compare/significance.ts'
import { askedDocs, type JudgeDoc } from './docs.ts'
import { readReply, verdictOfLogprobs, type Verdict } from './verdict.ts'

export interface JudgedDoc extends JudgeDoc {
  readonly verdict: Verdict
  /** True for an empty answer: no model was asked. */
  readonly byRule: boolean
  /** What the judge wrote; null where it wrote nothing, as its verdict came from log-probabilities or from the rule. */
  readonly reply: string | null
  /** In nats, of `[Yes]` and `[No]`; null for a judge that writes. */
  readonly logprobs: readonly [yes: number, no: number] | null
  readonly lenient: 'yes' | 'no' | null
}

export interface Share {
  readonly right: number
  readonly n: number
  readonly value: number
  /** 95% Wilson interval. */
  readonly low: number
  readonly high: number
}

export interface JudgeOutcome {
  readonly docs: readonly JudgedDoc[]
  /** Over all docs; an invalid verdict isn't a yes. */
  readonly judge: Share
  /** Over the docs with a valid verdict. */
  readonly judgeOfValid: Share
  /** By the task's metric, over the docs of which it says right or wrong; null where it says so of none. */
  readonly naive: Share | null
  readonly empty: number
  readonly invalid: number
  /** Of those that were asked; 0 where none was. */
  readonly invalidRate: number
  /** Invalid ones that a lenient reader would take for a verdict. */
  readonly lenient: number
  /** Over docs with both verdicts, the judge's valid; null without any. */
  readonly table: { readonly bothRight: number; readonly judgeOnly: number; readonly naiveOnly: number; readonly bothWrong: number } | null
  /** The judge as `now`, the metric as `before`, over the docs of `table`. */
  readonly agreement: Agreement | null
  /** McNemar's exact p is below 0.05; null without a table. */
  readonly isDistinguishable: boolean | null
}

/**
 * Joins the docs with the judge's samples: sample i answers the i-th doc that was asked. Throws `results/invalid` where their numbers differ,
 * because the judged samples have changed since.
 */
export function judgeOutcome(docs: readonly JudgeDoc[], samples: readonly SampleView[]): JudgeOutcome {
  const asked = askedDocs(docs)
  const byRow = new Map(samples.map((sample) => [sample.docId, sample]))
  if (byRow.size !== asked.length)
    throw new EvalError(
      'results/invalid',
      `The judge answered ${byRow.size} docs, and ${asked.length} were to be asked: the judged answers have changed.`,
    )
  const rowOf = new Map(asked.map((doc, row) => [doc, row]))
  return foldJudged(docs.map((doc) => judgedDoc(doc, byRow.get(rowOf.get(doc) ?? -1) ?? null)))
}

/** The same with what a judge elsewhere wrote: reply i to the i-th doc that was asked. */
export function outcomeOfReplies(docs: readonly JudgeDoc[], replies: readonly string[]): JudgeOutcome {
  const waiting = [...replies]
  return foldJudged(
    docs.map((doc) => {
      if (doc.prediction === '') return judgedDoc(doc, null)
      const reply = waiting.shift() ?? ''
      return { ...doc, byRule: false, ...readReply(reply), reply, logprobs: null }
    }),
  )
}

/** The outcome of docs that have their verdicts. */
export function foldJudged(docs: readonly JudgedDoc[]): JudgeOutcome {
  const valid = docs.filter(({ verdict }) => verdict !== 'invalid')
  const asked = docs.filter(({ byRule }) => !byRule)
  const invalid = docs.length - valid.length
  const withNaive = docs.filter(({ naive }) => naive !== null)
  const pairs = valid.flatMap(({ docId, verdict, naive }) => (naive === null ? [] : [{ docId, now: verdict === 'yes', before: naive }]))
  const agreement = pairs.length === 0 ? null : agreementOf(pairs)
  return {
    docs,
    judge: shareOf(docs, isYes),
    judgeOfValid: shareOf(valid, isYes),
    naive: withNaive.length === 0 ? null : shareOf(withNaive, ({ naive }) => naive === true),
    empty: docs.length - asked.length,
    invalid,
    invalidRate: asked.length === 0 ? 0 : invalid / asked.length,
    lenient: docs.filter(({ lenient }) => lenient !== null).length,
    table:
      agreement === null
        ? null
        : {
            bothRight: pairs.filter(({ now, before }) => now && before).length,
            judgeOnly: agreement.gained.length,
            naiveOnly: agreement.lost.length,
            bothWrong: pairs.filter(({ now, before }) => !now && !before).length,
          },
    agreement,
    isDistinguishable: agreement === null ? null : agreement.p < significanceLevel,
  }
}

/** The verdict in a sample of the judge's task: by its text, or by its two log-probabilities. */
export function verdictOfSample({
  choices,
  generated,
}: Pick<SampleView, 'choices' | 'generated'>): Omit<JudgedDoc, keyof JudgeDoc | 'byRule'> {
  const [yes, no] = choices
  if (yes !== undefined && no !== undefined) {
    const logprobs = [yes.logprob, no.logprob] as const
    return { verdict: verdictOfLogprobs(...logprobs), reply: null, logprobs, lenient: null }
  }
  const reply = generated[0] ?? ''
  return { ...readReply(reply), reply, logprobs: null }
}

function judgedDoc(doc: JudgeDoc, sample: SampleView | null): JudgedDoc {
  if (sample === null) return { ...doc, verdict: 'no', byRule: true, reply: null, logprobs: null, lenient: null }
  return { ...doc, byRule: false, ...verdictOfSample(sample) }
}

function isYes({ verdict }: JudgedDoc): boolean {
  return verdict === 'yes'
}

function shareOf(docs: readonly JudgedDoc[], isRight: (doc: JudgedDoc) => boolean): Share {
  const right = docs.filter(isRight).length
  const n = docs.length
  return { right, n, value: n === 0 ? NaN : right / n, ...wilsonInterval(right, n) }
}
