/** A whole MMLU as token ids: made questions in the lengths of the real ones. */
import type { BuiltTask } from '../../../src/contracts/built-task.ts'
import { randomOf } from '../../../tests/fuzz/random.ts'
import { trieTokens } from '../trie.ts'
import { asTask, drawIds, pieceOf, type BenchDoc } from '../works.ts'

/**
 * Subject, docs of its test split, tokens of its five-shot prefix, mean tokens of a question with choices and "Answer:".
 *
 * Docs: cais/mmlu. Lengths: SmolLM2's tokenizer on the harness's prompts (`mmlu_*`, lm_eval 0.4.13): the whole prefix of each subject, and 14 questions of each.
 */
export const mmluSubjects: readonly (readonly [subject: string, docs: number, prefix: number, question: number])[] = [
  ['abstract_algebra', 100, 308, 63],
  ['anatomy', 135, 275, 59],
  ['astronomy', 152, 519, 84],
  ['business_ethics', 100, 493, 73],
  ['clinical_knowledge', 265, 339, 56],
  ['college_biology', 144, 397, 63],
  ['college_chemistry', 100, 484, 71],
  ['college_computer_science', 100, 746, 127],
  ['college_mathematics', 100, 540, 94],
  ['college_medicine', 173, 402, 150],
  ['college_physics', 102, 422, 83],
  ['computer_security', 100, 315, 101],
  ['conceptual_physics', 235, 252, 43],
  ['econometrics', 114, 539, 90],
  ['electrical_engineering', 145, 427, 58],
  ['elementary_mathematics', 378, 514, 62],
  ['formal_logic', 126, 520, 115],
  ['global_facts', 100, 381, 60],
  ['high_school_biology', 310, 427, 80],
  ['high_school_chemistry', 203, 424, 78],
  ['high_school_computer_science', 100, 806, 117],
  ['high_school_european_history', 165, 2485, 361],
  ['high_school_geography', 198, 336, 48],
  ['high_school_government_and_politics', 193, 399, 79],
  ['high_school_macroeconomics', 390, 315, 63],
  ['high_school_mathematics', 270, 489, 84],
  ['high_school_microeconomics', 238, 331, 72],
  ['high_school_physics', 151, 479, 115],
  ['high_school_psychology', 545, 426, 66],
  ['high_school_statistics', 216, 725, 122],
  ['high_school_us_history', 204, 1945, 294],
  ['high_school_world_history', 237, 1092, 323],
  ['human_aging', 223, 263, 50],
  ['human_sexuality', 131, 286, 62],
  ['international_law', 121, 544, 93],
  ['jurisprudence', 108, 328, 75],
  ['logical_fallacies', 163, 369, 67],
  ['machine_learning', 112, 613, 72],
  ['management', 103, 230, 41],
  ['marketing', 234, 360, 62],
  ['medical_genetics', 100, 277, 54],
  ['miscellaneous', 783, 263, 46],
  ['moral_disputes', 346, 417, 60],
  ['moral_scenarios', 895, 568, 110],
  ['nutrition', 306, 514, 62],
  ['philosophy', 311, 269, 59],
  ['prehistory', 324, 462, 69],
  ['professional_accounting', 282, 641, 108],
  ['professional_law', 1534, 1439, 219],
  ['professional_medicine', 272, 932, 190],
  ['professional_psychology', 612, 505, 90],
  ['public_relations', 110, 353, 65],
  ['security_studies', 245, 1026, 168],
  ['sociology', 201, 373, 64],
  ['us_foreign_policy', 100, 370, 68],
  ['virology', 166, 276, 62],
  ['world_religions', 171, 214, 44],
]

/** Spread of a question's length within its subject: the standard deviation of its logarithm, over those 798 questions. */
const questionSpread = 0.37

export interface MmluSize {
  /** Docs of a subject, at most. */
  readonly docsPerSubject: number
  readonly vocabularySize: number
  readonly seed: number
  /** All lengths are multiplied by it: 1 for real ones. */
  readonly scale: number
}

/** A task a subject. Each has a prefix of its own, and four answers that all of its docs share, as letters are. */
export function makeMmlu({ docsPerSubject, vocabularySize, seed, scale }: MmluSize): readonly BuiltTask[] {
  const length = (tokens: number): number => Math.max(1, Math.round(tokens * scale))
  return mmluSubjects.map(([subject, count, prefixTokens, questionTokens]) => {
    const random = randomOf(seed, 'mmlu', subject)
    const prefix = drawIds(random, length(prefixTokens), vocabularySize)
    const letters = new Set<number>()
    while (letters.size < 4) letters.add(drawIds(random, 1, vocabularySize)[0] ?? 0)
    const docs: BenchDoc[] = Array.from({ length: Math.min(count, docsPerSubject) }, () => {
      // The mean of e^(s·z) is e^(s²/2).
      const spread = Math.exp(questionSpread * normal((limit) => random.below(limit)) - questionSpread ** 2 / 2)
      const context = [...prefix, ...drawIds(random, length(questionTokens * spread), vocabularySize)]
      return { requests: [...letters].map((letter) => [pieceOf(context, [letter])]), prompt: null }
    })
    return asTask({ name: `mmlu_${subject}`, docs, newTokens: 0 })
  })
}

/** Tokens that must be computed at least: the trie of all inputs. */
export function leastTokensOf(tasks: readonly BuiltTask[]): number {
  return trieTokens(tasks.flatMap(({ requests }) => requests.flatMap(({ pieces }) => pieces.map(({ input }) => input))))
}

/** Normally distributed, by Box and Muller. */
function normal(below: (limit: number) => number): number {
  const unit = (): number => (below(2 ** 24) + 0.5) / 2 ** 24
  return Math.sqrt(-2 * Math.log(unit())) * Math.cos(2 * Math.PI * unit())
}
