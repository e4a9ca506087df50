/** A task's own Python file is read to find out which ported function stands in it; it is never run. */
import { beforeAll, describe, expect, it } from 'vitest'
import { isEvalError } from '../../../src/base/errors.ts'
import { buildRegistry } from '../../../src/harness/tasks/registry.ts'
import { readTaskConfig } from '../../../src/harness/tasks/task-config.ts'
import { functionTable } from '../../../src/ports/functions/functions.ts'
import { sourceOf } from '../../../src/ports/functions/recognize.ts'
import { loadSignatures } from '../../../src/ports/functions/signatures/signatures.ts'
import { pyTuple, toNumber } from '../../../src/python/value.ts'
import { FunctionRef } from '../../../src/python/yaml/yaml-value.ts'

beforeAll(loadSignatures)

const given = (files: { readonly [path: string]: string }, name: string, file = 'mine/task.yaml') =>
  new FunctionRef(name, file, (path) => files[path] ?? null)
const source = (text: string, others: { readonly [path: string]: string } = {}) =>
  sourceOf(given({ 'mine/utils.py': text, ...others }, 'utils.f'))
const signature = (text: string, others = {}) => source(text, others)?.signature
const table = functionTable()

describe('one signature for all spellings of a function', () => {
  const plain = "import re\ndef g(x):\n  return re.sub('a', \"b\", x)\ndef f(doc):\n  y = g(doc['q'])\n  return [y, 'it\\'s']\n"
  it.each([
    [
      'other names, quotes and indentation',
      'import re\ndef g(z):\n\treturn re.sub("a", \'b\', z)\ndef f(row):\n\tout = g(row["q"])\n\treturn [out, "it\'s"]\n',
    ],
    [
      'comments, docstrings, annotations and line breaks',
      '"""m"""\nimport re\n# c\ndef g(x: str) -> str:\n    """d"""\n    return re.sub(\n        "a",  # why\n        "b",\n        x,\n    )\n\n\ndef f(doc: dict[str, list] ) -> "list":\n    y: str = g(doc["q"])\n\n    return [y, "it\'s"]',
    ],
    ['what it does not use', `${plain}def h(x): return x\nOTHER = 3\n`],
    ['another order', "def f(doc):\n  y = g(doc['q'])\n  return [y, 'it\\'s']\nimport re\ndef g(x):\n  return re.sub('a', \"b\", x)\n"],
  ])('%s', (_name, other) => {
    expect(signature(other)).toBe(signature(plain))
  })

  it('its own name does not matter', () => {
    const named = (name: string) => sourceOf(given({ 'mine/utils.py': `def ${name}(a):\n  return a.strip()\n` }, `utils.${name}`))
    expect(named('one')?.signature).toBe(named('two')?.signature)
    expect(named('strip')?.signature).toBe(named('one')?.signature)
  })
})

describe('different functions', () => {
  it.each([
    ['operands', 'def f(a, b): return a - b', 'def f(a, b): return b - a'],
    ['what a helper does', 'def g(x): return x + 1\ndef f(a): return g(a)', 'def g(x): return x + 2\ndef f(a): return g(a)'],
    ['a constant', 'K = [1]\ndef f(a): return K', 'K = [2]\ndef f(a): return K'],
    ['a constant that is changed later', 'K = [1]\ndef f(a): return K', 'K = [1]\nK.append(2)\ndef f(a): return K'],
    ['names in a format string', 'def f(a, b): return f"{a}"', 'def f(b, a): return f"{a}"'],
    ['a method of its own name', 'def f(a): return a.f()', 'def f(a): return a.g()'],
    [
      'which argument is named',
      'def g(d, a, b): return a - b\ndef f(d): return g(d, a=1, b=2)',
      'def g(d, b, a): return b - a\ndef f(d): return g(d, a=1, b=2)',
    ],
    ['a built-in', 'def f(a):\n  return max(a)', 'def f(a):\n  return min(a)'],
    ['an import', 'from x import g\ndef f(a): return g(a)', 'from y import g\ndef f(a): return g(a)'],
    ['an alias', 'from x import g as h\ndef f(a): return h(a)', 'from x import k as h\ndef f(a): return h(a)'],
    ['a block', 'def f(a):\n  if a:\n    b = 1\n  return 2', 'def f(a):\n  if a:\n    b = 1\n    return 2'],
    ['a tuple of one', 'def f(a): return (a,)', 'def f(a): return (a)'],
    ['a decorator', '@d\ndef f(a): return a', 'def f(a): return a'],
    ['the escape of a backslash', 'def f(a): return "\\\\n"', 'def f(a): return "\\n"'],
    ['rawness', 'def f(a): return r"\\n"', 'def f(a): return "\\n"'],
    [
      'code behind a try',
      'try:\n  import x as m\nexcept ImportError:\n  m = None\ndef f(a): return m',
      'try:\n  import x as m\nexcept ImportError:\n  m = 1\ndef f(a): return m',
    ],
  ])('%s', (_name, one, other) => {
    expect(signature(one)).toBeDefined()
    expect(signature(one)).not.toBe(signature(other))
  })

  it('a function of a file beside is what it is there', () => {
    const text = 'from common import g\ndef f(a): return g(a)'
    const first = signature(text, { 'mine/common.py': 'def g(a): return 1' })
    expect(first).not.toBe(signature(text, { 'mine/common.py': 'def g(a): return 2' }))
    expect(first).not.toBe(signature(text))
  })

  it('what is not given has no source; what is no Python, or lacks the function, has none that is known', () => {
    expect(sourceOf(new FunctionRef('utils.f', 'mine/task.yaml'))).toBeNull()
    expect(sourceOf(given({ 'other/utils.py': 'def f(a): return a' }, 'utils.f'))).toBeNull()
    for (const text of ['def f(:\n "', 'def g(a): return a', 'from x import *']) {
      const files = { 'afrobench/sib/prompt_1/utils.py': text }
      expect(() => table.aggregation(given(files, 'utils.weighted_f1_score', 'afrobench/sib/prompt_1/a.yaml'))).toThrow(/can be read in/)
    }
  })
})

describe('a function in a folder of one’s own', () => {
  const rows = ['x', 'y', 'x'].map(
    (kind, i) =>
      new Map<string, string | number>([
        ['kind', kind],
        ['n', i],
      ]),
  )
  const keep = (text: string) => table.processDocs(given({ 'mine/utils.py': text }, 'utils.f'))(rows)

  it.each([
    ['a filter', 'def f(ds):\n    return ds.filter(lambda r: r["kind"] == "x")'],
    ['a filter in one line', "def f(dataset: Dataset) -> Dataset: return dataset.filter(lambda example: example['kind'] == 'x')"],
    [
      'a partial',
      'from functools import partial\ndef by(ds, what): return ds.filter(lambda r: r["kind"] == what)\nf = partial(by, what="x")',
    ],
    ['a helper that filters', 'def by(ds, what):\n  return ds.filter(lambda r: r["kind"] == what)\ndef f(ds):\n  return by(ds, "x")'],
  ])('keeps the rows of %s', (_name, text) => {
    expect(keep(text)).toEqual([rows[0], rows[2]])
  })

  it.each([
    ['another comparison', 'def f(ds): return ds.filter(lambda r: r["kind"] != "x")'],
    [
      'another partial',
      'from functools import partial\ndef by(ds, what): return ds.filter(lambda r: r["kind"] == WHAT)\nWHAT = 1\nf = partial(by, what="x")',
    ],
    ['two steps', 'def f(ds): return ds.filter(lambda r: r["kind"] == "x").map(g)\ndef g(r): return r'],
  ])('refuses %s', (_name, text) => {
    expect(() => keep(text)).toThrow(/utils\.f.*not ported/)
  })

  it('names a missing column', () => {
    expect(() => keep('def f(ds): return ds.filter(lambda r: r["type"] == "x")')).toThrow(expect.toSatisfy(isEvalError))
  })

  it('weights F1 by label, imported or written out', () => {
    const items = [pyTuple([0, 0]), pyTuple([1, 0]), pyTuple([1, 1])]
    const written =
      'import sklearn\nfrom sklearn.metrics import f1_score\n\ndef f(pairs):\n    unzipped = list(zip(*pairs))\n    golds = unzipped[0]\n    preds = unzipped[1]\n    fscore = f1_score(golds, preds, average="weighted")\n    return fscore\n'
    for (const text of ['from lm_eval.utils import weighted_f1_score as f', written]) {
      const aggregate = table.aggregation(given({ 'mine/utils.py': text }, 'utils.f'))
      expect(toNumber(aggregate(items))).toBeCloseTo(2 / 3, 12)
    }
  })

  it('says where an unknown one stands, and that a known name is another function', () => {
    const elsewhere = given(
      { 'afrobench/sib/prompt_1/utils.py': '\n\ndef weighted_f1_score(items):\n    return 1\n' },
      'utils.weighted_f1_score',
      'afrobench/sib/prompt_1/a.yaml',
    )
    expect(() => table.aggregation(elsewhere)).toThrow(/utils\.py, line 3\).*it differs from lm_eval 0\.4\.13's/)
    expect(() => table.docTo(given({ 'mine/utils.py': '\ndef f(d): return d["q"] * 2' }, 'utils.f'))).toThrow(/mine\/utils\.py, line 2/)
  })

  it('finds the file beside the task file that holds the tag, includes apart', () => {
    const files = [
      { path: 'base/_common', text: 'dataset_path: d\ntest_split: test\nprocess_docs: !function utils.f\n' },
      { path: 'base/utils.py', text: 'def f(ds): return ds.filter(lambda r: r["kind"] == "x")\n' },
      { path: 'own/t.yaml', text: 'task: t\ninclude: ../base/_common\n' },
      { path: 'own/utils.py', text: 'def f(ds): return ds\n' },
    ]
    const [task] = buildRegistry([{ name: 'given', files }]).resolve(['t']).tasks
    const ref = task === undefined ? null : readTaskConfig(task.config, task.file).processDocs
    expect(ref === null ? null : table.processDocs(ref)(rows)).toEqual([rows[0], rows[2]])
  })
})

describe('a name that the file does not define where it can be read', () => {
  const made = "globals().update({'process_x': lambda rows: rows})\n"

  it.each(['process_docs', 'process_business', 'f'])('is refused by name: %s', (name) => {
    const ref = given({ 'mine/utils.py': 'def anything(): ...' }, `utils.${name}`)
    expect(() => table.processDocs(ref)).toThrow(`!function utils.${name}`)
  })

  it('is known by the whole file and its own name', () => {
    const of = (text: string, name: string) => sourceOf(given({ 'mine/utils.py': text }, `utils.${name}`))?.signature
    expect(of(made, 'process_x')).toBe(of(made, 'process_x'))
    expect(new Set([of(made, 'process_x'), of(made, 'process_y'), of(`${made}\n`, 'process_x')]).size).toBe(3)
  })
})
