/** Errors of templates: which template, which line, what was wanted. */
import { EvalError } from '../../base/errors.ts'

/** Throws `template/invalid` for a template that can't be read, or an operation that Python refuses too. */
export function failTemplate(name: string, line: number, problem: string): never {
  throw new EvalError('template/invalid', `${name}, line ${line}: ${problem}`, { details: { template: name, line } })
}
