/** One doc of a run as the sample list shows it: its prompt, choices with their log-probabilities, gold and picks. */
import type { Json } from '../../base/errors.ts'
import type { SampleChoice, SampleView } from '../../contracts/samples.ts'
import { argmax } from '../../harness/metrics/means.ts'
import type { Task } from '../../harness/requests/task.ts'
import type { AnsweredDoc, SampleLine } from '../../harness/results/samples-file.ts'
import { originalLine } from '../../ports/original-mmlu/original-mmlu.ts'
import { isList, repr, str, toJson, toNumber, type PyValue } from '../../python/value.ts'
import { tokenTexts } from '../../tokenizing/token-pieces.ts'
import type { Tokenizer } from '../../tokenizing/tokenizer.ts'

export interface SampleViewOptions {
  /** Whether the doc's line for the original MMLU program's csv file comes along. */
  readonly hasCsv?: boolean
  /** Prints the tokens of the choices; without it they are left out. */
  readonly tokenizer?: Pick<Tokenizer, 'decode'>
}

export function sampleView(
  task: Task,
  answered: AnsweredDoc,
  line: SampleLine,
  { hasCsv = false, tokenizer }: SampleViewOptions = {},
): SampleView {
  const isScored = task.outputType === 'multiple_choice' || task.outputType === 'loglikelihood'
  const choices = isScored ? choicesOf(task, answered).map((choice, index) => withTokens(choice, answered.requests[index], tokenizer)) : []
  const isChoice = task.outputType === 'multiple_choice'
  return {
    task: task.name,
    docId: answered.docId,
    filter: line.filter,
    prompt: str(answered.requests[0]?.args[0] ?? ''),
    target: str(answered.target),
    choices,
    gold: isChoice ? goldOf(task, answered, choices) : [],
    picks: isChoice && choices.length > 0 ? picksOf(choices, answered) : null,
    generated: task.outputType === 'generate_until' ? answered.requests.flatMap((request) => request.responses.map(str)) : [],
    ...(task.outputType === 'generate_until' ? { filterSteps: stepsOf(line) } : {}),
    metrics: Object.fromEntries([...line.metrics].map(([metric, value]): [string, Json] => [metric, toJson(value)])),
    line: line.text,
    ...(answered.own === undefined ? {} : { own: { ...answered.own, csv: hasCsv ? csvOf(answered, line) : null } }),
  }
}

function csvOf({ doc, own }: AnsweredDoc, { metrics }: SampleLine): string {
  return originalLine(doc, toNumber(metrics.get('acc') ?? null) === 1, own?.probabilities ?? [])
}

function stepsOf({ steps }: SampleLine): NonNullable<SampleView['filterSteps']> {
  return steps.map(({ name, outputs }) => ({
    name,
    outputs: outputs.map((output) => (typeof output === 'string' ? output : repr(output))),
  }))
}

function choicesOf(task: Task, { doc, requests }: AnsweredDoc): SampleChoice[] {
  const responses = requests.map(({ responses: [response] }) => readPair(response ?? null))
  if (task.outputType === 'loglikelihood') {
    return requests.map(({ args }, index) => ({ text: str(args[1] ?? ''), ...pairAt(responses, index), unconditional: null }))
  }
  const texts = task.docToChoice(doc).map(str)
  // With acc_mutual_info every choice is asked a second time, without its context.
  const hasUnconditional = responses.length === 2 * texts.length
  return texts.map((text, index) => ({
    text,
    ...pairAt(responses, index),
    unconditional: hasUnconditional ? pairAt(responses, texts.length + index).logprob : null,
  }))
}

function withTokens(
  choice: SampleChoice,
  request: AnsweredDoc['requests'][number] | undefined,
  tokenizer: Pick<Tokenizer, 'decode'> | undefined,
): SampleChoice {
  if (tokenizer === undefined || request?.tokens === undefined) return choice
  const { before, ids, logprobs } = request.tokens
  return { ...choice, tokens: { ids, texts: tokenTexts(ids, tokenizer, [before]), logprobs } }
}

interface Pair {
  readonly logprob: number
  readonly isGreedy: boolean
}

function readPair(response: PyValue): Pair {
  const [logprob = null, isGreedy = null] = isList(response) ? response : []
  return { logprob: toNumber(logprob) ?? NaN, isGreedy: isGreedy === true }
}

function pairAt(responses: readonly Pair[], index: number): Pair {
  return responses[index] ?? { logprob: NaN, isGreedy: false }
}

function goldOf(task: Task, { doc, target }: AnsweredDoc, choices: readonly SampleChoice[]): number[] {
  const gold = task.multipleInput > 0 ? task.docToText(doc) : target
  const indices = isList(gold)
    ? gold.map(toNumber)
    : [typeof gold === 'string' ? choices.findIndex((choice) => choice.text === gold) : toNumber(gold)]
  return indices.filter((index): index is number => index !== null && index >= 0 && index < choices.length)
}

/** Lengths as the harness takes them: code points, UTF-8 bytes; and ours, tokens of the continuation. */
function picksOf(choices: readonly SampleChoice[], { requests }: AnsweredDoc): NonNullable<SampleView['picks']> {
  const encoder = new TextEncoder()
  const counts = choices.flatMap((_, index) => requests[index]?.tokenCount ?? [])
  const pickBy = (length: (text: string) => number) => argmax(choices.map((choice) => choice.logprob / length(choice.text)))
  return {
    acc: argmax(choices.map((choice) => choice.logprob)),
    acc_norm: pickBy((text) => Array.from(text).length),
    acc_bytes: pickBy((text) => encoder.encode(text).length),
    ...(counts.length < choices.length ? {} : { acc_tok: argmax(choices.map((choice, index) => choice.logprob / (counts[index] ?? 1))) }),
  }
}
