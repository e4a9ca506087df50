/** Every port against the Python function itself; `tests/make-goldens/make_function_goldens.py` made the values. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { isEvalError } from '../../../src/base/errors.ts'
import { functionTable } from '../../../src/ports/functions/functions.ts'
import { isDict, isFloat, isList, pyTuple, repr, str, toNumber, type PyDict, type PyValue } from '../../../src/python/value.ts'
import { FunctionRef } from '../../../src/python/yaml/yaml-value.ts'
import { parsePythonJson } from '../../conformance/python-json.ts'

const folder = new URL('../../goldens/functions/', import.meta.url)
const table = functionTable()

const files = readdirSync(folder).filter((file) => file !== 'made.json')

describe.each(files)('%s', (file) => {
  const cases = asList(withTuples(parsePythonJson(readFileSync(new URL(file, folder), 'utf8')))).map(asDict)
  it.each(cases.map((golden, i) => [`${i} ${str(get(golden, 'folder'))} ${str(get(golden, 'name'))}`, golden] as const))(
    '%s',
    (_title, golden) => {
      if (golden.has('raises')) expect(() => run(golden)).toThrow(expect.toSatisfy(isEvalError))
      else expectSame(run(golden), get(golden, 'value'))
    },
  )
})

function run(golden: PyDict): PyValue {
  const ref = new FunctionRef(str(get(golden, 'name')), `tasks/${str(get(golden, 'folder'))}/task.yaml`)
  const args = get(golden, 'args')
  switch (get(golden, 'use')) {
    case 'processDocs':
      return table.processDocs(ref)(asList(args).map(asDict))
    case 'docTo':
      return table.docTo(ref)(asDict(args))
    case 'samples':
      return table.samples(ref)()
    case 'processResults': {
      const [doc = null, results = null] = asList(args)
      return table.processResults(ref)(asDict(doc), asList(results))
    }
    case 'aggregation':
      return table.aggregation(ref)(asList(args))
    case 'metric': {
      const [predictions = null, references = null] = asList(args)
      return table.metric(ref)(asList(references), asList(predictions), new Map())
    }
    case 'filter': {
      const [options = null, responses = null, docs = null] = asList(args)
      return table.filter(ref)(asDict(options))(asList(responses), asList(docs).map(asDict))
    }
    default:
      throw new Error(`no use ${repr(get(golden, 'use'))}`)
  }
}

/** The same types, keys in the same order, texts equal, floats to 12 digits. */
function expectSame(actual: PyValue, wanted: PyValue): void {
  expect(shapeOf(actual)).toBe(shapeOf(wanted))
  const left = floatsOf(actual)
  floatsOf(wanted).forEach((number, i) => {
    const found = left[i] ?? NaN
    if (Number.isNaN(number)) expect(found).toBeNaN()
    else expect(Math.abs(found - number)).toBeLessThanOrEqual(1e-12 * Math.max(1, Math.abs(number)))
  })
}

function shapeOf(value: PyValue): string {
  return repr(withoutFloats(value))
}

function withoutFloats(value: PyValue): PyValue {
  if (isFloat(value)) return '<float>'
  if (isDict(value)) return new Map([...value].map(([key, item]) => [key, withoutFloats(item)]))
  if (!isList(value)) return value
  const items = value.map(withoutFloats)
  return repr(value).startsWith('(') ? pyTuple(items) : items
}

function floatsOf(value: PyValue): number[] {
  if (isFloat(value)) return [toNumber(value) ?? NaN]
  if (isDict(value)) return [...value.values()].flatMap(floatsOf)
  return isList(value) ? [...value].flatMap(floatsOf) : []
}

function withTuples(value: PyValue): PyValue {
  if (isList(value)) return value.map(withTuples)
  if (!isDict(value)) return value
  const tuple = value.get('__tuple__')
  if (tuple !== undefined) return pyTuple(asList(tuple).map(withTuples))
  return new Map([...value].map(([key, item]) => [key, withTuples(item)]))
}

function get(dict: PyDict, key: string): PyValue {
  const value = dict.get(key)
  if (value === undefined) throw new Error(`the golden has no ${key}`)
  return value
}

function asList(value: PyValue): readonly PyValue[] {
  if (!isList(value)) throw new Error(`wanted a list, found ${repr(value)}`)
  return value
}

function asDict(value: PyValue): PyDict {
  if (!isDict(value)) throw new Error(`wanted a dict, found ${repr(value)}`)
  return value
}
