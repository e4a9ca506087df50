/**
 * Language detection by naive Bayes over runs of letters: langdetect 1.0.9 (`detector.py`, `detector_factory.py`), Apache-2.0, a port of
 * Shuyo's language-detection. It draws runs at random; the harness leaves the draws unseeded, here they are those of seed 0.
 */
import { PyRandom } from '../../../python/random.ts'
import { length } from '../../../python/string.ts'
import { gauss } from './gauss.ts'
import { cleanText, gramsOf } from './language-grams.ts'

/** The file that `tools/tasks/make_ifeval_data.py` writes: for each language the runs of its training text with their counts. */
interface LanguageFile {
  readonly names: readonly string[]
  /** How many runs of one, two and three letters the training text had. */
  readonly totals: readonly (readonly number[])[]
  readonly grams: readonly string[]
  readonly kanji: readonly string[]
}

const trials = 7
const smoothing = 0.5
const smoothingSpread = 0.05
const baseFrequency = 10_000
const converged = 0.99999
const mostDraws = 1000
const leastProbability = 0.1

/** Languages and how likely a run is in each; 0 elsewhere. */
type Likelihoods = readonly (readonly [language: number, likelihood: number])[]

export class LanguageDetector {
  readonly #names: readonly string[]
  readonly #likelihoods: ReadonlyMap<string, Likelihoods>
  readonly #kanji: ReadonlyMap<string, string>

  constructor(file: LanguageFile) {
    const likelihoods = new Map<string, [number, number][]>()
    file.grams.forEach((lines, language) => {
      for (const line of lines.split('\n')) {
        const tab = line.indexOf('\t')
        const gram = line.slice(0, tab)
        const total = file.totals[language]?.[length(gram) - 1]
        const known = likelihoods.get(gram) ?? []
        if (total !== undefined) known.push([language, Number(line.slice(tab + 1)) / total])
        likelihoods.set(gram, known)
      }
    })
    this.#names = file.names
    this.#likelihoods = likelihoods
    this.#kanji = new Map(file.kanji.flatMap((group) => Array.from(group, (c): [string, string] => [c, Array.from(group)[0] ?? c])))
  }

  /** The code of the likeliest language, `unknown` when none is likely, null for a text without a known run of letters. */
  detect(text: string, seed = 0): string | null {
    const grams = gramsOf(cleanText(text), this.#kanji).filter((gram) => this.#likelihoods.has(gram))
    if (grams.length === 0) return null
    const random = new PyRandom(seed)
    const normal = gauss(random)
    const mean = new Float64Array(this.#names.length)
    for (let trial = 0; trial < trials; trial++) {
      const found = this.#tryOnce(grams, random, (smoothing + normal() * smoothingSpread) / baseFrequency)
      found.forEach((probability, language) => (mean[language] = (mean[language] ?? 0) + probability / trials))
    }
    const best = mean.reduce((place, probability, language) => (probability > (mean[place] ?? 0) ? language : place), 0)
    return (mean[best] ?? 0) > leastProbability ? (this.#names[best] ?? 'unknown') : 'unknown'
  }

  /** Loops over arrays, since short texts take a thousand draws. */
  #tryOnce(grams: readonly string[], random: PyRandom, weight: number): Float64Array {
    const count = this.#names.length
    const probabilities = new Float64Array(count).fill(1 / count)
    const likelihoods = new Float64Array(count)
    for (let draws = 0; ; draws++) {
      likelihoods.fill(0)
      for (const [language, likelihood] of this.#likelihoods.get(random.choice(grams)) ?? []) likelihoods[language] = likelihood
      for (let i = 0; i < count; i++) probabilities[i] = (probabilities[i] ?? 0) * (weight + (likelihoods[i] ?? 0))
      if (draws % 5 === 0 && (normalize(probabilities) > converged || draws >= mostDraws)) return probabilities
    }
  }
}

/** Makes the sum 1; gives the largest. */
function normalize(probabilities: Float64Array): number {
  let sum = 0
  for (const probability of probabilities) sum += probability
  let largest = 0
  for (let i = 0; i < probabilities.length; i++) {
    const probability = (probabilities[i] ?? 0) / sum
    probabilities[i] = probability
    if (probability > largest) largest = probability
  }
  return largest
}
