/** The forms that `doc_to_text`, `doc_to_target`, `doc_to_choice`, descriptions and prefixes take. lm_eval 0.4.13, ConfigurableTask. */
import { EvalError, isEvalError } from '../../base/errors.ts'
import type { BudgetLimits } from '../../python/jinja/budget.ts'
import { compileTemplate, type Template } from '../../python/jinja/render.ts'
import { literalEval } from '../../python/literal.ts'
import { isDigit } from '../../python/string.ts'
import { dictGet, isDict, isInt, isList, repr, type PyDict, type PyValue } from '../../python/value.ts'
import { FunctionRef, isConfigDict, toPlain, type ConfigValue } from '../../python/yaml/yaml-value.ts'
import type { FunctionTable } from '../function-table.ts'

/** Prompts that `use_prompt` may name. */
export const builtinPrompts: ReadonlyMap<string, string> = new Map([
  ['qa-basic:question-newline-answer', 'Question: {{question}}\nAnswer:'],
  ['qa-basic:q-newline-a', 'Q: {{question}}\nA:'],
])

interface FieldContext {
  readonly task: string
  readonly file: string
  /** Column names of the evaluation split: a text equal to one of them means that column. */
  readonly features: readonly string[]
  /** Whether the task has choices: texts of digits are then indices. */
  readonly hasChoices: boolean
  readonly functions: FunctionTable
  readonly limits: Partial<BudgetLimits>
}

/** Evaluates a task's fields on docs; templates are read once. Errors name the task, the key and the columns. */
export class DocFields {
  private readonly context: FieldContext
  private readonly templates = new Map<string, Template>()

  constructor(context: FieldContext) {
    this.context = context
  }

  /** A text, an int (with choices: several inputs), or whatever the named column holds. */
  text(key: string, form: ConfigValue, doc: PyDict): PyValue {
    if (isInteger(form)) return form
    if (form instanceof FunctionRef) return this.call(key, form, doc)
    if (typeof form !== 'string') return this.failForm(key, form)
    if (this.isColumn(form)) return this.column(key, form, doc)
    const text = this.render(key, form, doc)
    return isDigit(text) && this.context.hasChoices ? this.literal(key, text) : text
  }

  /** As `text`, and lists: written as such, or as a text that is a Python list. */
  target(key: string, form: ConfigValue, doc: PyDict): PyValue {
    if (isInteger(form)) return form
    if (form instanceof FunctionRef) return this.call(key, form, doc)
    if (Array.isArray(form)) return toPlain(form)
    if (typeof form !== 'string') return this.failForm(key, form)
    if (this.isColumn(form)) return this.column(key, form, doc)
    const text = this.render(key, form, doc)
    if (isDigit(text) && this.context.hasChoices) return this.literal(key, text)
    if (text.length < 2 || !text.startsWith('[') || !text.endsWith(']')) return text
    try {
      return literalEval(text)
    } catch (error) {
      if (isEvalError(error)) return text
      throw error
    }
  }

  /** What the choices come to; normally a list. */
  choice(key: string, form: ConfigValue, doc: PyDict): PyValue {
    if (form instanceof FunctionRef) return this.call(key, form, doc)
    if (isConfigDict(form)) return [...form.values()].map(toPlain)
    if (Array.isArray(form)) return toPlain(form)
    if (typeof form !== 'string') return this.failForm(key, form)
    if (this.isColumn(form)) return this.column(key, form, doc)
    return this.literal(key, this.render(key, form, doc))
  }

  /** A column of the doc by name, else a template; null for an empty or missing field. */
  resolve(key: string, field: string | null, doc: PyDict): PyValue {
    if (field === null || field === '') return null
    const column = dictGet(doc, field)
    return column === undefined ? this.render(key, field, doc) : column
  }

  /** As `resolve`, but a column only if the evaluation split has it, and an empty field is an empty text. */
  prefix(key: string, field: string | null, doc: PyDict): PyValue {
    if (field === null) return null
    return this.isColumn(field) ? this.column(key, field, doc) : this.render(key, field, doc)
  }

  private isColumn(name: string): boolean {
    return this.context.features.includes(name)
  }

  private column(key: string, name: string, doc: PyDict): PyValue {
    const value = dictGet(doc, name)
    if (value !== undefined) return value
    const { task, file } = this.context
    const columns = [...doc.keys()]
    throw new EvalError(
      'dataset/schema',
      `${file}: task '${task}', ${key}: wanted the column '${name}', but the row has only ${columns.map((one) => `'${one}'`).join(', ')}`,
      {
        details: { file, task, key, column: name, columns },
      },
    )
  }

  private render(key: string, source: string, doc: PyDict): string {
    const known = this.templates.get(source)
    if (known !== undefined) return known.render(doc)
    const template = compileTemplate(source, { name: `task '${this.context.task}', ${key}`, limits: this.context.limits })
    this.templates.set(source, template)
    return template.render(doc)
  }

  private literal(key: string, text: string): PyValue {
    try {
      return literalEval(text)
    } catch (error) {
      const { task, file } = this.context
      const reason = error instanceof Error ? error.message : String(error)
      throw new EvalError('task/invalid', `${file}: task '${task}', ${key}: ${reason}`, { cause: error, details: { file, task, key } })
    }
  }

  private call(key: string, ref: FunctionRef, doc: PyDict): PyValue {
    const { task, file, functions } = this.context
    const run = functions.docTo(ref)
    try {
      return run(doc)
    } catch (error) {
      if (!isEvalError(error)) throw error
      throw new EvalError(error.code, `${file}: task '${task}', ${key}: ${error.message}`, {
        cause: error,
        details: { ...error.details, file, task, key },
      })
    }
  }

  private failForm(key: string, form: ConfigValue): never {
    const { task, file } = this.context
    throw new EvalError(
      'task/invalid',
      `${file}: task '${task}', ${key}: wanted a column, a template or a list, found ${repr(toPlain(form))}`,
      {
        details: { file, task, key },
      },
    )
  }
}

/** True for Python ints, booleans among them. */
export function isInteger(value: ConfigValue | PyValue): value is number | bigint | boolean {
  return typeof value === 'boolean' || typeof value === 'bigint' || (typeof value === 'number' && isInt(value))
}

/** What a `for` over the choices visits: a list's items, a text's characters, a dict's keys. Throws `task/invalid` for anything else. */
export function choiceItems(choices: PyValue, place: string): readonly PyValue[] {
  if (isList(choices)) return choices
  if (typeof choices === 'string') return [...choices]
  if (isDict(choices)) return [...choices.keys()]
  throw new EvalError('task/invalid', `${place}, doc_to_choice: wanted a list of choices, found ${repr(choices)}`)
}
