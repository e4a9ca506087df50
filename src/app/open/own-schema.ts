/** What Yardstick says beside the harness's results, checked as it comes out of a file of ours. */
import * as v from 'valibot'
import type {
  AnswerFailures,
  GroupAverage,
  NoiseFacts,
  OwnResults,
  PublishedAgreement,
  RecipeFacts,
} from '../../contracts/yardstick-results.ts'
import { looseNumber } from './loose-json.ts'
import { limits } from './opened-run.ts'

export const name = v.pipe(v.string(), v.maxLength(limits.nameChars))
export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
/** A number, or one of Python's three as text. */
export const anyNumber = v.pipe(
  v.union([v.number(), v.picklist(['NaN', 'Infinity', '-Infinity'])]),
  v.transform((value): number => looseNumber(value) ?? NaN),
)
const stderr = v.union([v.literal('N/A'), anyNumber])
const list = <Item>(item: v.GenericSchema<unknown, Item>) => v.pipe(v.array(item), v.maxLength(limits.rows))
const ids = v.pipe(v.array(count), v.maxLength(limits.samples))
const sentence = v.pipe(v.string(), v.maxLength(2000))

const average: v.GenericSchema<unknown, GroupAverage> = v.object({
  group: name,
  alias: name,
  metric: name,
  filter: name,
  macro: anyNumber,
  macroStderr: stderr,
  micro: anyNumber,
  microStderr: stderr,
  tasks: count,
  docs: count,
  categoryMap: v.nullable(v.picklist(['hendrycks', 'lm-evaluation-harness'])),
})

const recipe: v.GenericSchema<unknown, RecipeFacts> = v.object({
  task: name,
  recipe: v.nullable(name),
  tokens: v.nullable(v.array(v.object({ choice: v.string(), bare: v.number(), spaced: v.number() }))),
  tokensUsed: v.picklist(['bare', 'spaced', 'continuation']),
  shots: v.record(v.string(), v.number()),
  docs: count,
  lowMassDocs: v.nullable(count),
  meanMass: v.nullable(anyNumber),
  csv: v.nullable(v.object({ path: name, header: v.string() })),
})

const agreement: v.GenericSchema<unknown, PublishedAgreement> = v.object({
  task: name,
  column: name,
  metric: name,
  filter: name,
  n: count,
  agree: count,
  disagree: count,
  gained: ids,
  lost: ids,
  difference: anyNumber,
  kappa: v.nullable(anyNumber),
  p: anyNumber,
  unknown: count,
})

const failure: v.GenericSchema<unknown, AnswerFailures> = v.object({
  task: name,
  alias: name,
  filter: name,
  n: count,
  failed: count,
  metric: v.nullable(name),
  value: v.nullable(anyNumber),
  guessed: v.nullable(v.object({ seed: v.number(), docs: ids, value: anyNumber })),
})

const noiseFacts: v.GenericSchema<unknown, NoiseFacts> = v.object({
  logprobs: count,
  identical: count,
  maxAbsDiff: anyNumber,
  meanAbsDiff: anyNumber,
  greedyFlips: count,
  texts: count,
  sameTexts: count,
})

const some = { docs: count, of: count }
const alarm = v.variant('kind', [
  v.object({ kind: v.picklist(['equal-choices', 'not-finite', 'no-answer']), ...some }),
  v.object({
    kind: v.literal('one-position'),
    norm: v.picklist(['acc', 'acc_norm']),
    position: count,
    picked: count,
    gold: anyNumber,
    of: count,
  }),
  v.object({ kind: v.literal('one-letter'), letter: name, picked: count, gold: count, of: count }),
  v.object({ kind: v.literal('low-mass'), ...some, meanMass: anyNumber }),
])
const passTimes = v.object({ passes: count, insideSeconds: anyNumber, wallSeconds: anyNumber, fixedSeconds: v.nullable(anyNumber) })
const tokenCount = v.nullable(v.object({ tokens: anyNumber, seconds: anyNumber }))

/** `OwnResults` as a whole run's file holds it. What the page doesn't know is dropped. */
export const ownSchema: v.GenericSchema<unknown, OwnResults> = v.object({
  alarms: v.exactOptional(list(v.object({ task: name, alarm }))),
  cuts: v.exactOptional(list(v.object({ task: name, docs: ids, mostTokens: count }))),
  goldsOutside: v.exactOptional(list(v.object({ task: name, docs: ids, example: sentence }))),
  speed: v.exactOptional(v.object({ scored: tokenCount, written: tokenCount, times: v.exactOptional(passTimes) })),
  scores: list(v.object({ task: name, metric: name, filter: v.exactOptional(name), value: anyNumber, stderr, n: count })),
  averages: list(average),
  recipes: list(recipe),
  agreements: v.exactOptional(list(agreement)),
  failures: v.exactOptional(list(failure)),
  ties: v.exactOptional(
    list(
      v.object({
        task: name,
        nats: anyNumber,
        docs: ids,
        bands: v.array(v.object({ metric: name, low: anyNumber, high: anyNumber })),
      }),
    ),
  ),
  published: v.exactOptional(list(v.object({ recipe: name, source: sentence, tasks: v.array(name), differs: v.array(sentence) }))),
  noise: v.exactOptional(v.object({ items: count, again: noiseFacts, aloneAgain: v.exactOptional(noiseFacts), alone: noiseFacts })),
  files: v.array(v.object({ path: name, text: v.string() })),
})
