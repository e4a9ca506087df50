/** Comparability presets: what differs from recipes under which scores were published. */
import { describe, expect, it } from 'vitest'
import { recipeDifferences, recipeLines, type AskedTask } from '../../../../src/analysis/compare/agreement/published-recipes.ts'

const asked = (name: string, wanted: Partial<AskedTask> = {}): AskedTask => ({
  name,
  numFewshot: 0,
  outputType: 'multiple_choice',
  metrics: ['acc', 'acc_norm'],
  docs: 100,
  docsOfAll: 100,
  ...wanted,
})
const sentences = (task: AskedTask, recipe: string) => recipeDifferences([task]).find((one) => one.recipe === recipe)?.differs

describe('a run beside published recipes', () => {
  it('is told of other examples, another way of answering, other metrics and missing docs', () => {
    expect(sentences(asked('arc_challenge', { docs: 10 }), 'Open LLM Leaderboard v1')).toEqual([
      'It shows 25 examples; this run 0.',
      'It scores all docs; this run 10 of 100.',
    ])
    const pro = asked('mmlu_pro_law', { numFewshot: 5, outputType: 'generate_until', metrics: ['exact_match'] })
    expect(sentences(pro, 'Open LLM Leaderboard v2')?.slice(0, 2)).toEqual([
      'It holds the options’ log-likelihoods against each other; this run reads a written answer.',
      'Its number is acc; this run has exact_match.',
    ])
    expect(sentences(pro, 'MMLU-Pro’s own program')).toEqual([expect.stringContaining('guesses a random letter')])
  })

  it('is told that nothing known differs where nothing does', () => {
    expect(sentences(asked('hellaswag', { numFewshot: 10 }), 'Open LLM Leaderboard v1')).toEqual([])
    const meta = asked('meta_ifeval', { outputType: 'generate_until', metrics: ['prompt_level_strict_acc', 'inst_level_strict_acc'] })
    expect(sentences(meta, 'Meta’s Llama 3.1 evaluations')).toEqual([])
    expect(sentences(meta, 'Open LLM Leaderboard v2')).not.toEqual([])
  })

  it('names a recipe once for all tasks that differ alike, and not at all for other benchmarks', () => {
    const subjects = [
      'mmlu_anatomy',
      'mmlu_astronomy',
      'mmlu_virology',
      'mmlu_law',
      'mmlu_pro_law',
      'mmlu_original_x',
      'afrimmlu_direct_swa',
    ]
    const differences = recipeDifferences(subjects.map((name) => asked(name, { numFewshot: 5, metrics: ['acc'] })))
    const first = differences.find(({ recipe }) => recipe === 'Open LLM Leaderboard v1')
    expect(first?.tasks).toEqual(subjects.slice(0, 4))
    expect(recipeLines(first === undefined ? [] : [first])[0]).toMatch(
      /^Open LLM Leaderboard v1 \(mmlu_anatomy, .* and 1 more\): Its number/,
    )
    expect(recipeDifferences([asked('yardstick_facts'), asked('afrimmlu_direct_swa')])).toEqual([])
  })
})
