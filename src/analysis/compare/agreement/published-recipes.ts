/**
 * What differs between a run and recipes under which scores of the same benchmarks were published. Sentences with reasons, never a
 * corrected number; that nothing is listed is no promise that nothing differs.
 */
import type { RecipeDifference } from '../../../contracts/yardstick-results.ts'

/** One benchmark as a recipe asks it. */
interface RecipeTask {
  /** Names of tasks of that benchmark. */
  readonly benchmark: RegExp
  readonly shots: number
  /** Whether options are held against each other, or an answer is written and read. */
  readonly how: 'choices' | 'text'
  /** The metric that is quoted. */
  readonly metric: string
  readonly more?: readonly string[]
}

interface Recipe {
  readonly name: string
  /** Where what is said of it comes from. */
  readonly source: string
  /** Names of tasks that are the recipe's own. */
  readonly own: RegExp
  /** What differs from any task of the harness. */
  readonly more?: readonly string[]
  readonly tasks: readonly RecipeTask[]
}

const mmlu = /^mmlu(_(?!pro|original|prox|redux)\w+)?$/
const mmluPro = /^((leaderboard|meta)_)?mmlu_pro/
const gpqa = /^((leaderboard|meta)_)?gpqa/
const ifeval = /^((leaderboard|meta)_)?ifeval$/
const bbh = /^((leaderboard|meta)_)?bbh/
const math = /^(minerva_math|hendrycks_math|leaderboard_math|meta_math)/

const recipes: readonly Recipe[] = [
  {
    name: 'Open LLM Leaderboard v2',
    source: 'tasks/leaderboard of lm-evaluation-harness 0.4.13; the rest from memory',
    more: ['It applies the chat template to models that have one, and shows scores scaled by chance.'],
    own: /^leaderboard_/,
    tasks: [
      { benchmark: mmluPro, shots: 5, how: 'choices', metric: 'acc' },
      { benchmark: gpqa, shots: 0, how: 'choices', metric: 'acc_norm' },
      { benchmark: bbh, shots: 3, how: 'choices', metric: 'acc_norm', more: ['It asks 24 of the 27 subsets.'] },
      { benchmark: ifeval, shots: 0, how: 'text', metric: 'inst_level_strict_acc' },
      { benchmark: math, shots: 4, how: 'text', metric: 'exact_match', more: ['It asks the problems of level 5 alone.'] },
    ],
  },
  {
    name: 'Open LLM Leaderboard v1',
    source: 'from memory',
    own: /^(?!)/,
    tasks: [
      { benchmark: /^arc_challenge$/, shots: 25, how: 'choices', metric: 'acc_norm' },
      { benchmark: /^hellaswag$/, shots: 10, how: 'choices', metric: 'acc_norm' },
      { benchmark: mmlu, shots: 5, how: 'choices', metric: 'acc', more: ['Its number is the mean over the 57 subjects.'] },
      { benchmark: /^truthfulqa_mc2$/, shots: 0, how: 'choices', metric: 'acc' },
      { benchmark: /^winogrande$/, shots: 5, how: 'choices', metric: 'acc' },
      { benchmark: /^gsm8k(_cot\w*)?$/, shots: 5, how: 'text', metric: 'exact_match' },
    ],
  },
  {
    name: 'Meta’s Llama 3.1 evaluations',
    source: 'Meta’s own recipe for lm-evaluation-harness (docs/decisions/0041)',
    own: /^meta_/,
    tasks: [
      {
        benchmark: mmluPro,
        shots: 5,
        how: 'text',
        metric: 'exact_match',
        more: ['Its prompts are pre-rendered and end in “The best answer is”; llama.com gives the macro average over the subtasks.'],
      },
      {
        benchmark: gpqa,
        shots: 0,
        how: 'text',
        metric: 'exact_match',
        more: ['Its prompts are pre-rendered and end in “The best answer is”.'],
      },
      {
        benchmark: ifeval,
        shots: 0,
        how: 'text',
        metric: 'prompt_level_strict_acc',
        more: ['Its number is the mean of the two strict accuracies.'],
      },
      { benchmark: math, shots: 0, how: 'text', metric: 'exact_match', more: ['Its prompts are pre-rendered.'] },
      { benchmark: bbh, shots: 3, how: 'text', metric: 'exact_match', more: ['It is an evaluation of base models.'] },
    ],
  },
  {
    name: 'MMLU’s original program',
    source: 'hendrycks/test, evaluate.py (docs/decisions/0030)',
    own: /^mmlu_(original|hendrycks)/,
    tasks: [
      {
        benchmark: mmlu,
        shots: 5,
        how: 'choices',
        metric: 'acc',
        more: ['It scores the letter encoded alone, has a double blank in its heading, and drops examples beyond 2,048 tokens.'],
      },
    ],
  },
  {
    name: 'MMLU-Pro’s own program',
    source: 'TIGER-Lab/MMLU-Pro, evaluate_from_local.py and compute_accuracy.py, from memory',
    own: /^(?!)/,
    tasks: [
      {
        benchmark: mmluPro,
        shots: 5,
        how: 'text',
        metric: 'exact_match',
        more: ['It tries three patterns on a reply, and guesses a random letter, without a seed, where none is found.'],
      },
    ],
  },
]

/** What a run says of one of its tasks. */
export interface AskedTask {
  readonly name: string
  readonly numFewshot: number
  readonly outputType: string
  readonly metrics: readonly string[]
  /** Docs scored, and docs that there are. */
  readonly docs: number
  readonly docsOfAll: number
}

/** One entry for each recipe and set of differences, with the tasks that they are true of; recipes of other benchmarks are left out. */
export function recipeDifferences(tasks: readonly AskedTask[]): readonly RecipeDifference[] {
  const found = new Map<string, { recipe: string; source: string; tasks: string[]; differs: readonly string[] }>()
  for (const task of tasks)
    for (const { name, source, own, more = [], tasks: asked } of recipes) {
      const theirs = asked.find(({ benchmark }) => benchmark.test(task.name))
      if (theirs === undefined) continue
      const differs = [...differencesOf(task, theirs, own.test(task.name)), ...more]
      const key = JSON.stringify([name, differs])
      const known = found.get(key) ?? { recipe: name, source, tasks: [], differs }
      known.tasks.push(task.name)
      found.set(key, known)
    }
  return [...found.values()]
}

function differencesOf(task: AskedTask, theirs: RecipeTask, isOwn: boolean): readonly string[] {
  const how = task.outputType === 'generate_until' ? 'text' : 'choices'
  const ways = { choices: 'holds the options’ log-likelihoods against each other', text: 'reads a written answer' } as const
  return [
    ...(how === theirs.how ? [] : [`It ${ways[theirs.how]}; this run ${ways[how]}.`]),
    // Meta's prompts hold their examples, so that the task shows none itself.
    ...(isOwn || task.numFewshot === theirs.shots ? [] : [`It shows ${theirs.shots} examples; this run ${task.numFewshot}.`]),
    ...(task.metrics.includes(theirs.metric) ? [] : [`Its number is ${theirs.metric}; this run has ${task.metrics.join(', ')}.`]),
    ...(isOwn ? [] : (theirs.more ?? [])),
    ...(task.docs === task.docsOfAll ? [] : [`It scores all docs; this run ${task.docs} of ${task.docsOfAll}.`]),
  ]
}

/** One line a recipe, for the command line. */
export function recipeLines(differences: readonly RecipeDifference[]): readonly string[] {
  return differences.map(({ recipe, tasks, differs }) => {
    const names = tasks.length > 3 ? `${tasks.slice(0, 3).join(', ')} and ${tasks.length - 3} more` : tasks.join(', ')
    return `${recipe} (${names}): ${differs.length === 0 ? 'nothing known differs.' : differs.join(' ')}`
  })
}
