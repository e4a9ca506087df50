/**
 * What the sample viewer needs of every doc of a task at once, in typed arrays: made once from the samples, so that a list of 14,000 docs opens
 * and filters without reading them. One entry is one sample: a doc under one filter, in the order of the samples file.
 */
import type { SampleView } from '../../contracts/samples.ts'
import { norms, type Norm } from '../lab/norms.ts'
import { addTallies, noTally, tallyDoc, type DegeneracyTally } from './alarms.ts'
import { addBias, addPlaces, biasOfDoc, noBias, type ChoiceBias, type Share } from './choice-bias.ts'
import { marginOf, picksUnder } from './choice-scores.ts'
import { ownTextStart, sharedStart } from './own-text.ts'
import { isInvalid, isRight } from './verdict.ts'

/** Raised whenever an index means something else; one of another version is made anew. */
export const docIndexVersion = 2

/** Values of `DocIndex.verdicts`. */
export const verdicts = { wrong: 0, right: 1, unknown: 2 } as const

/** Characters of a doc's own text that a row of the list may show. */
const excerptLength = 200

/** `count` entries; `-1` stands for a pick or gold that there isn't. */
export interface DocIndex {
  readonly version: typeof docIndexVersion
  readonly task: string
  readonly count: number
  /** Names of the filters, in the order of the samples file. */
  readonly filters: readonly string[]
  /** Of each entry the place in `filters`. */
  readonly filterAt: Uint16Array
  readonly docIds: Int32Array
  readonly verdicts: Uint8Array
  /** 1 where no answer can be read. */
  readonly invalid: Uint8Array
  /** The first right choice. */
  readonly golds: Int16Array
  readonly picks: { readonly [norm in Norm]: Int16Array }
  /** As `marginOf` has it, in nats; NaN for none. */
  readonly margins: Float32Array
  /** All excerpts in one; entry `i` ends at `excerptEnds[i]`. */
  readonly excerpts: string
  readonly excerptEnds: Uint32Array
  /** Of the docs under the first filter: the others have the same choices. */
  readonly bias: ChoiceBias
  readonly tally: DegeneracyTally
}

/** The texts to search, in lower case, one after the other; entry `i` ends before `ends[i]`, where a line feed stands. */
export interface SearchText {
  readonly version: typeof docIndexVersion
  readonly task: string
  readonly text: string
  readonly ends: Uint32Array
}

export interface IndexedDocs {
  readonly index: DocIndex
  readonly search: SearchText
}

/** The index of a task's samples, and what a search reads. A doc's text is its prompt after what all prompts share, its choices, target and replies. */
export function indexDocs(task: string, samples: Iterable<SampleView>): IndexedDocs {
  const builder = new DocIndexBuilder(task)
  for (const sample of samples) builder.add(sample)
  return builder.finish()
}

interface Entry {
  readonly docId: number
  readonly filterAt: number
  readonly verdict: number
  readonly invalid: boolean
  readonly gold: number
  readonly picks: { readonly [norm in Norm]: number }
  readonly margin: number
  readonly prompt: string
  /** Choices, target and replies. */
  readonly others: readonly string[]
}

/** Builds an index from samples as they arrive; keeps their texts, not the samples. */
export class DocIndexBuilder {
  readonly #task: string
  /** The place of each filter by its name: untrusted samples may have thousands. */
  readonly #filters = new Map<string, number>()
  readonly #places: Share[] = []
  readonly #entries: Entry[] = []
  #bias = noBias
  #tally = noTally

  constructor(task: string) {
    this.#task = task
  }

  add(sample: SampleView): void {
    const filterAt = this.#filters.get(sample.filter) ?? this.#filters.size
    this.#filters.set(sample.filter, filterAt)
    const right = isRight(sample)
    const invalid = isInvalid(sample)
    if (filterAt === 0) {
      const bias = biasOfDoc(sample)
      addPlaces(this.#places, bias)
      this.#bias = addBias(this.#bias, { ...bias, positions: [] })
      this.#tally = addTallies(this.#tally, tallyDoc(sample, invalid))
    }
    this.#entries.push({
      docId: sample.docId,
      filterAt,
      verdict: right === null ? verdicts.unknown : right ? verdicts.right : verdicts.wrong,
      invalid,
      gold: sample.gold[0] ?? -1,
      picks: picksUnder(sample),
      margin: marginOf(sample),
      prompt: sample.prompt,
      others: [...sample.choices.map(({ text }) => text), sample.target, ...sample.generated],
    })
  }

  finish(): IndexedDocs {
    const entries = this.#entries
    const count = entries.length
    const shared = sharedStart(entries.map(({ prompt }) => prompt))
    const excerpts = joined(entries.map((entry) => excerptOf(entry, shared)))
    const search = joined(entries.map(({ prompt, others }) => `${[prompt.slice(shared), ...others].join('\n').toLowerCase()}\n`))
    const numbers = (read: (entry: Entry) => number): Int16Array => Int16Array.from(entries, read)
    const index: DocIndex = {
      version: docIndexVersion,
      task: this.#task,
      count,
      filters: [...this.#filters.keys()],
      filterAt: Uint16Array.from(entries, ({ filterAt }) => filterAt),
      docIds: Int32Array.from(entries, ({ docId }) => docId),
      verdicts: Uint8Array.from(entries, ({ verdict }) => verdict),
      invalid: Uint8Array.from(entries, ({ invalid }) => Number(invalid)),
      golds: numbers(({ gold }) => gold),
      picks: picksByNorm((norm) => numbers(({ picks }) => picks[norm])),
      margins: Float32Array.from(entries, ({ margin }) => margin),
      excerpts: excerpts.text,
      excerptEnds: excerpts.ends,
      bias: { ...this.#bias, positions: this.#places },
      tally: this.#tally,
    }
    return { index, search: { version: docIndexVersion, task: this.#task, ...search } }
  }
}

/** The part of an entry's text that the list shows, on one line. */
export function excerptAt({ excerpts, excerptEnds }: DocIndex, entry: number): string {
  return excerpts.slice(entry === 0 ? 0 : excerptEnds[entry - 1], excerptEnds[entry])
}

function excerptOf({ prompt, others }: Entry, shared: number): string {
  const own = prompt.slice(ownTextStart(prompt, shared)).trim()
  // A prompt may be nothing but what the choices follow.
  const text = own === '' ? (others[0] ?? '') : own
  return text
    .slice(0, 4 * excerptLength)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, excerptLength)
}

function joined(parts: readonly string[]): { readonly text: string; readonly ends: Uint32Array } {
  let end = 0
  return { text: parts.join(''), ends: Uint32Array.from(parts, (part) => (end += part.length)) }
}

function picksByNorm<T>(make: (norm: Norm) => T): { readonly [norm in Norm]: T } {
  // Every norm is made an entry of.
  return Object.fromEntries(norms.map((norm) => [norm, make(norm)])) as { [norm in Norm]: T }
}
