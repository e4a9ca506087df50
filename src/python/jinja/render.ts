/**
 * Jinja2 templates, rendered as the harness renders them: Jinja2 3.1 over Python values, strict about undefined names.
 *
 * The engine is our own because the point is Python's text: floats, lists and dicts print as Python prints them, strings count code
 * points, methods are Python's. Templates are untrusted: nothing of JavaScript is reachable from one, and work is counted.
 */
import { EvalError } from '../../base/errors.ts'
import { OperationError } from '../operation-error.ts'
import { compilePython } from '../regex/compile.ts'
import { isDict, isList, PyTuple, pyTuple, type PyDict, type PyValue } from '../value.ts'
import { Bound } from './arguments.ts'
import type { Statement } from './ast.ts'
import { brief } from './brief.ts'
import { Budget, defaultLimits, type BudgetLimits } from './budget.ts'
import { makeCycler, makeJoiner } from './cycler.ts'
import { run } from './evaluate.ts'
import { failTemplate } from './fail.ts'
import type { Filter, FilterContext } from './filter.ts'
import { builtinFilters } from './filters.ts'
import { textOf } from './metered.ts'
import { parseTemplate } from './parse.ts'
import { Scope } from './scope.ts'
import { builtinTests } from './tests.ts'
import { Attributes, Callable, plain, UndefinedError, type CallArguments, type Value } from './values.ts'

interface TemplateOptions {
  /** What messages call the template, such as `arc_easy: doc_to_text`. */
  readonly name: string
  readonly trimBlocks: boolean
  readonly lstripBlocks: boolean
  readonly keepTrailingNewline: boolean
  /** false: an undefined name prints as nothing, as chat templates expect; true: using one throws. */
  readonly isStrict: boolean
  readonly filters: ReadonlyMap<string, Filter>
  readonly functions: ReadonlyMap<string, Callable>
  readonly limits: Partial<BudgetLimits>
}

/** The harness's environment: strict, white space kept, one extra filter `regex_replace`. */
export const harnessOptions: TemplateOptions = {
  name: 'template',
  trimBlocks: false,
  lstripBlocks: false,
  keepTrailingNewline: true,
  isStrict: true,
  filters: new Map([['regex_replace', regexReplace]]),
  functions: new Map(),
  limits: {},
}

/** A template that was read once and can be rendered many times. */
export interface Template {
  readonly source: string
  /** Throws `template/undefined`, `template/invalid` and `template/budget`, each naming the template and line. */
  render(context: PyDict): string
}

/** Reads a template. Options not given are the harness's. Throws `template/invalid` with the line. */
export function compileTemplate(source: string, options: Partial<TemplateOptions> = {}): Template {
  const all = { ...harnessOptions, ...options }
  const body = parse(source, all)
  const mayChange = /\b(?:append|extend|insert|reverse|clear|pop|remove|update|setdefault)\b/.test(source)
  const filters = new Map([...builtinFilters, ...all.filters])
  return { source, render: (context) => renderBody(body, context, { ...all, filters, mayChange }) }
}

function parse(source: string, options: TemplateOptions): readonly Statement[] {
  try {
    return parseTemplate(source, options)
  } catch (error) {
    if (error instanceof RangeError) failTemplate(options.name, 1, 'it nests too deeply')
    throw error
  }
}

/** The text of a template over a context; see `compileTemplate`. */
export function renderTemplate(source: string, context: PyDict, options: Partial<TemplateOptions> = {}): string {
  return compileTemplate(source, options).render(context)
}

interface RenderOptions extends TemplateOptions {
  /** Whether the template names a method that changes lists or dicts: rows are copied for it, and for no other. */
  readonly mayChange: boolean
}

function renderBody(body: readonly Statement[], given: PyDict, options: RenderOptions): string {
  const budget = new Budget(options.name, { ...defaultLimits, ...options.limits }, options.mayChange)
  const context = options.mayChange ? copyDict(given) : given
  let line = 1
  const globals = new Scope(null)
  for (const [name, value] of globalFunctions(budget)) globals.set(name, value)
  for (const [name, value] of options.functions) globals.set(name, value)
  const scope = new Scope(globals)
  for (const [name, value] of context) scope.set(name, value)
  try {
    return run(body, new Scope(scope), {
      budget,
      filters: options.filters,
      tests: builtinTests,
      isStrict: options.isStrict,
      atLine: (at) => (line = at),
    })
  } catch (error) {
    if (error instanceof UndefinedError) failUndefined(error, { name: options.name, line, columns: [...context.keys()] })
    if (error instanceof OperationError) failTemplate(options.name, line, error.message)
    if (error instanceof RangeError)
      throw new EvalError('template/budget', `${options.name}: the template nests too deeply, or makes something too long`, {
        cause: error,
      })
    throw error
  }
}

function failUndefined(error: UndefinedError, { name, line, columns }: { name: string; line: number; columns: readonly string[] }): never {
  const found = columns.length === 0 ? 'there are no columns' : `the columns are ${columns.map((column) => `'${column}'`).join(', ')}`
  throw new EvalError('template/undefined', `${name}, line ${line}: ${error.message}; ${found}`, {
    details: { template: name, line, problem: error.message, columns },
  })
}

function globalFunctions(budget: Budget): readonly (readonly [string, Callable])[] {
  const define = (name: string, call: (args: CallArguments) => Value): readonly [string, Callable] => [name, new Callable(name, call)]
  return [
    define('range', (args) => range(args, budget)),
    define('dict', ({ positional, named }) => {
      const start = positional.length === 0 ? new Map<string, PyValue>() : plain(positional[0] ?? null)
      if (!isDict(start)) throw new OperationError('dict() wants a mapping')
      budget.entries(start.size)
      return new Map([...start, ...[...named].map(([key, value]): [string, PyValue] => [key, plain(value)])])
    }),
    define('namespace', namespace),
    define('cycler', makeCycler),
    define('joiner', makeJoiner),
  ]
}

function range({ positional }: CallArguments, budget: Budget): PyValue {
  const numbers = positional.map((value) => {
    const number = plain(value)
    if (typeof number !== 'number' || !Number.isInteger(number)) throw new OperationError(`range() wants integers, found ${brief(number)}`)
    return number
  })
  const [first = 0, second, step = 1] = numbers
  if (numbers.length === 0 || numbers.length > 3 || step === 0)
    throw new OperationError('range() wants one to three integers, the third not 0')
  const [start, stop] = second === undefined ? [0, first] : [first, second]
  const length = Math.max(0, Math.ceil((stop - start) / step))
  budget.spend(length)
  budget.list(length)
  return Array.from({ length }, (_, index) => start + index * step)
}

function namespace({ positional, named }: CallArguments): Attributes {
  const values = new Map<string, Value>()
  const [initial] = positional
  if (initial !== undefined) {
    const dict = plain(initial)
    if (!isDict(dict)) throw new OperationError('namespace() wants a mapping')
    for (const [name, value] of dict) values.set(name, value)
  }
  for (const [name, value] of named) values.set(name, value)
  return new Attributes('namespace', { get: (name) => values.get(name), set: (name, value) => void values.set(name, value) })
}

/** The harness's one extra filter: `re.sub(pattern, repl, value, count)`. */
function regexReplace(value: Value, args: CallArguments, { budget }: FilterContext): Value {
  const bound = new Bound("the filter 'regex_replace'", ['pattern', 'repl', 'count'], args)
  const pattern = bound.text('pattern')
  // Reading a pattern is more work than reading a text of its length.
  budget.spend(pattern.length)
  const self = textOf(value, budget)
  return compilePython(pattern).sub(bound.text('repl'), self, Math.max(0, bound.whole('count', 0)), (characters) => {
    budget.spend()
    budget.allow(characters)
  })
}

function copyDict(dict: PyDict): PyDict {
  return new Map([...dict].map(([key, value]) => [key, copy(value)]))
}

function copy(value: PyValue): PyValue {
  if (isDict(value)) return copyDict(value)
  if (!isList(value)) return value
  return value instanceof PyTuple ? pyTuple(value.map(copy)) : value.map(copy)
}
