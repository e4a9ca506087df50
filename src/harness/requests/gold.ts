/** Whether the right answer of a doc is among its choices. lm_eval 0.4.13 scores one that isn't as wrong and logs it (`gold_index_error`). */
import { isInt, isList, repr, type PyDict, type PyValue } from '../../python/value.ts'
import type { Task } from './task.ts'

/**
 * The gold of a multiple-choice doc as Python prints it, where none of the choices is it (of several golds: where one isn't); null where it is one of
 * them, and for tasks that score by themselves. Counted from the end, as -1, an index is no choice either: the harness never picks it.
 */
export function goldOutside(task: Task, doc: PyDict, target: PyValue): string | null {
  if (task.outputType !== 'multiple_choice' || task.config.processResults !== null) return null
  const gold = task.multipleInput > 0 ? task.docToText(doc) : target
  const choices = task.docToChoice(doc)
  const isOutside = (one: PyValue): boolean => {
    if (typeof one === 'string') return !choices.includes(one)
    return isInt(one) && !(Number(one) >= 0 && Number(one) < choices.length)
  }
  return (isList(gold) ? gold : [gold]).some(isOutside) ? repr(gold).slice(0, 80) : null
}
