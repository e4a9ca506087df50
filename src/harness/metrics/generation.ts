/** Metric values of `generate_until` docs. lm_eval 0.4.13, `ConfigurableTask.process_results`, its last branch. */
import { EvalError } from '../../base/errors.ts'
import { strip } from '../../python/string.ts'
import type { PyDict, PyValue } from '../../python/value.ts'
import { PyFloat, isDict, isInt, isList, pyFloat, repr, str, toNumber, typeName } from '../../python/value.ts'
import type { Task } from '../requests/task.ts'
import { accAll } from './acc-all.ts'
import { exactMatch } from './exact-match.ts'
import type { ExactMatchOptions } from './exact-match.ts'
import type { TaskMetric } from './metric-list.ts'

/** Values by name for one doc; a task's metric that returns a dict gives one value per key. */
export function generationScores(task: Task, metrics: readonly TaskMetric[], doc: PyDict, response: PyValue): ReadonlyMap<string, PyValue> {
  const hasBypass = metrics.some(({ name }) => name === 'bypass')
  const gold = readGold(task, doc, response, hasBypass)
  const values = new Map<string, PyValue>()
  let result = response
  for (const metric of metrics) {
    if (task.multipleTarget > 0) {
      const golds = isList(gold) ? gold : [gold]
      values.set(metric.name, scoreAnyTarget(metric, golds, result))
      // The harness goes on with a list of copies after exact_match, and so do the metrics behind it.
      if (metric.name === 'exact_match') result = golds.map(() => response)
      continue
    }
    const score = scoreOne(metric, gold, result)
    if (isDict(score)) for (const [key, value] of score) values.set(key, value)
    else values.set(metric.name, score)
  }
  return values
}

function readGold(task: Task, doc: PyDict, response: PyValue, hasBypass: boolean): PyValue {
  const target = task.docToTarget(doc)
  if (task.config.docToChoice !== null) {
    const choices = task.docToChoice(doc)
    const index = typeof target === 'boolean' || isInt(target) ? Number(target) : NaN
    const gold = choices.at(index)
    if (Number.isNaN(index) || gold === undefined)
      throw new EvalError(
        'metric/failed',
        `The target ${repr(target).slice(0, 80)} of ${task.name} is no index into its ${choices.length} choices.`,
      )
    return gold
  }
  if (task.multipleTarget > 0) {
    if (isList(target)) return target
    if (typeof target === 'string') return Array.from(target)
    throw new EvalError('metric/failed', `${task.name} has several targets, but this doc's is ${repr(target).slice(0, 80)}.`)
  }
  if (typeName(target) === typeName(response) || hasBypass || isList(response)) return target
  return castLike(target, response)
}

/** Python's `type(response)(target)`. */
function castLike(target: PyValue, response: PyValue): PyValue {
  switch (typeName(response)) {
    case 'str':
      return str(target)
    case 'bool':
      return isTruthy(target)
    case 'float': {
      const number = typeof target === 'string' && strip(target) !== '' ? Number(strip(target)) : toNumber(target)
      if (number !== null && !Number.isNaN(number)) return pyFloat(number)
      break
    }
    case 'int': {
      if (typeof target === 'string' && /^[+-]?\d+$/.test(strip(target))) return Number(strip(target))
      const number = typeof target === 'string' ? null : toNumber(target)
      if (number !== null && Number.isFinite(number)) return Math.trunc(number)
    }
  }
  throw new EvalError('metric/failed', `The target ${repr(target).slice(0, 80)} can't be made a ${typeName(response)}, as the response is.`)
}

function scoreOne(metric: TaskMetric, gold: PyValue, result: PyValue): PyValue {
  if (metric.score !== null) return metric.score([gold], [result], metric.kwargs)
  switch (metric.name) {
    case 'exact_match':
      return pyFloat(exactMatch([result], [gold], readOptions(metric.kwargs)))
    case 'bypass':
      return null
    case 'acc_all':
      return pyFloat(accAll([gold, result]))
    default:
      // The metric functions of the other registered metrics pass their argument through.
      return [gold, result]
  }
}

function scoreAnyTarget(metric: TaskMetric, golds: readonly PyValue[], result: PyValue): PyValue {
  if (metric.name === 'exact_match' && metric.score === null) {
    const copies = golds.map(() => result)
    return pyFloat(exactMatch(copies, golds, readOptions(metric.kwargs)) > 0 ? 1 : 0)
  }
  const scores = golds.map((gold) => {
    const score = scoreOne(metric, gold, result)
    return isDict(score) ? (score.get(metric.name) ?? null) : score
  })
  return pyFloat(scores.some(isTruthy) ? 1 : 0)
}

function readOptions(kwargs: PyDict): ExactMatchOptions {
  const unknown = [...kwargs.keys()].find(
    (key) => !['regexes_to_ignore', 'ignore_case', 'ignore_punctuation', 'ignore_numbers'].includes(key),
  )
  if (unknown !== undefined) throw new EvalError('metric/failed', `exact_match has no option ${unknown}.`)
  const patterns = kwargs.get('regexes_to_ignore') ?? null
  return {
    regexesToIgnore: patterns === null ? null : (isList(patterns) ? patterns : Array.from(str(patterns))).map(str),
    ignoreCase: isTruthy(kwargs.get('ignore_case') ?? false),
    ignorePunctuation: isTruthy(kwargs.get('ignore_punctuation') ?? false),
    ignoreNumbers: isTruthy(kwargs.get('ignore_numbers') ?? false),
  }
}

/** Python's `bool(value)`. */
function isTruthy(value: PyValue): boolean {
  if (value === null || typeof value === 'boolean') return value === true
  if (typeof value === 'string' || isList(value)) return value.length > 0
  if (isDict(value)) return value.size > 0
  return value instanceof PyFloat ? value.value !== 0 : Number(value) !== 0
}
