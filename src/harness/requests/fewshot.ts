/** Draws few-shot examples with Python's generator, doc by doc. lm_eval 0.4.13, api/samplers.py. */
import { EvalError } from '../../base/errors.ts'
import { PyRandom } from '../../python/random.ts'
import { pyEquals, type PyDict } from '../../python/value.ts'
import { evalSplitOf, fewshotSplitOf } from '../tasks/dataset-reference.ts'
import type { TaskConfig } from '../tasks/task-config.ts'
import type { Task } from './task.ts'

/** Draws examples for one doc. State runs on from doc to doc, so docs must come in order. */
interface FewshotSampler {
  /** `count` examples in prompt order. Throws `fewshot/failed` when the pool has too few. */
  sample(count: number, evalDoc: PyDict): readonly PyDict[]
}

/** The sampler that the task names, with a generator of its own seeded with `seed`. */
export function makeSampler(task: Pick<Task, 'name' | 'config' | 'fewshotPool'>, seed: number): FewshotSampler {
  const random = new PyRandom(seed)
  const pool = task.fewshotPool
  const excludes = excludesEvalDoc(task.config)
  const check = (available: number, count: number): void => {
    if (count <= available) return
    const from = fewshotSplitOf(task.config)
    const where = from === null ? "the task's own samples" : `the split '${from}'`
    throw new EvalError(
      'fewshot/failed',
      `task '${task.name}': wanted ${count} few-shot examples, but ${where} can give only ${available}`,
      {
        details: { task: task.name, wanted: count, found: available },
      },
    )
  }
  if (task.config.fewshot.sampler === 'first_n') {
    return {
      sample: (count, evalDoc) => {
        const rest = excludes ? without(pool, evalDoc) : pool
        check(rest.length, count)
        return rest.slice(0, count)
      },
    }
  }
  return {
    sample: (count, evalDoc) => {
      if (!excludes) {
        check(pool.length, count)
        return random.sample(pool, count)
      }
      // One more is drawn, so that the asked doc can be dropped.
      check(pool.length - 1, count)
      const kept = without(random.sample(pool, count + 1), evalDoc).slice(0, count)
      if (kept.length === count) return kept
      const rest = without(pool, evalDoc)
      check(rest.length, count)
      return random.sample(rest, count)
    },
  }
}

/**
 * Whether the doc that is asked is kept out of its own examples: when `fewshot_split` and `test_split` are equal as values,
 * both unset included.
 */
function excludesEvalDoc({ fewshot, testSplit }: TaskConfig): boolean {
  return fewshot.split === testSplit
}

/** True when a prompt can show the answer of the doc that it asks: examples come from the asked split and the doc isn't kept out. */
export function canLeak(config: TaskConfig): boolean {
  return !excludesEvalDoc(config) && fewshotSplitOf(config) === evalSplitOf(config)
}

function without(docs: readonly PyDict[], doc: PyDict): readonly PyDict[] {
  return docs.filter((other) => !pyEquals(other, doc))
}
