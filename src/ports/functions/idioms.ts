/** The helpers that most tasks share, as their sources write them: "keep the rows where a column equals a value", and F1 over labels. */
import type { Aggregate, ProcessDocs } from '../../harness/function-table.ts'
import { pyEquals, type PyValue } from '../../python/value.ts'
import { macroF1Score, microF1Score, weightedF1Score } from './answers/f1-scores.ts'
import { columnOf } from './columns.ts'
import type { FunctionSource } from './recognize.ts'

const text = String.raw`("(?:[^"\\]|\\.)*")`
const value = String.raw`("(?:[^"\\]|\\.)*"|-?\d+|True|False|None)`
const body = (expression: string): string => String.raw`: (?:; \{ )?return ${expression} ;(?: \})?`
const filter = (rows: string, wanted: string): string => String.raw`${rows} \. filter \( lambda (\w+) : \w+ \[ ${text} \] == ${wanted} \)`

/** `def f(rows): return rows.filter(lambda row: row["column"] == value)`. */
const direct = new RegExp(`^ def SELF \\( v0 \\) ${body(filter('v0', value))} $`)
/** `f = partial(g, name=value)`. */
const bound = new RegExp(`^ SELF = partial \\( (\\w+) , (\\w+) = ${value} \\) ; $`)
const importsPartial = ' import functools partial as partial '
/** `def f(rows): return g(rows, value)`. */
const called = new RegExp(`^ def SELF \\( v0 \\) ${body(String.raw`(\w+) \( v0 , ${value} \)`)} $`)
/** `def g(rows, wanted): return rows.filter(lambda row: row["column"] == wanted)`. */
const general = new RegExp(`^ def (\\w+) \\( v0 , (\\w+) \\) ${body(filter('v0', String.raw`(\w+)`))} $`)

/** The `process_docs` that a source of that form is; null for any other source. */
export function keepIdiom(source: FunctionSource | null): ProcessDocs | null {
  const [main = '', ...helpers] = source?.text.split('\n') ?? []
  const plain = direct.exec(main)
  if (plain !== null) return helpers.length === 0 ? keep(readText(plain[2]), readValue(plain[3])) : null
  const partial = helpers.includes(importsPartial) ? bound.exec(main) : null
  const call = partial ?? called.exec(main)
  const others = helpers.filter((helper) => partial === null || helper !== importsPartial)
  const helper = others.length === 1 ? general.exec(others[0] ?? '') : null
  if (call === null || helper === null) return null
  const [, name, parameter, , column, compared] = helper
  const isWhole = name === call[1] && parameter === compared && (partial === null || parameter === partial[2])
  return isWhole ? keep(readText(column), readValue(call.at(-1))) : null
}

const unzipped = String.raw`(?:v1 = list \( zip \( \* v0 \) \) ; v2 = v1 \[ 0 \] ; v3 = v1 \[ 1 \]|v2 , v3 = (?:list \( )?zip \( \* v0 \)(?: \))?) ; `
const scored = String.raw`f1_score \( v2 , v3 , average = "(\w+)" \)`
const f1 = new RegExp(`^ def SELF \\( v0 \\) : ; \\{ ${unzipped}(?:return ${scored}|v4 = ${scored} ; return v4) ; \\} $`)
const averages: ReadonlyMap<string, Aggregate> = new Map([
  ['weighted', weightedF1Score],
  ['macro', macroF1Score],
  ['micro', microF1Score],
])

/** The aggregation that a source is which unzips golds and predictions and gives scikit-learn's F1; null for any other source. */
export function f1Idiom(source: FunctionSource | null): Aggregate | null {
  const [main = '', ...helpers] = source?.text.split('\n') ?? []
  const found = f1.exec(main)
  if (found === null || helpers.length !== 1 || helpers[0] !== ' import sklearn.metrics f1_score as f1_score ') return null
  return averages.get(found[1] ?? found[2] ?? '') ?? null
}

function keep(column: string | null, wanted: PyValue | undefined): ProcessDocs | null {
  if (column === null || wanted === undefined) return null
  return (docs) => docs.filter((doc) => pyEquals(columnOf(doc, column), wanted))
}

/** A string token; escapes that JSON and Python don't share are not read. */
function readText(token: string | undefined): string | null {
  if (token === undefined) return null
  const raw: unknown = JSON.parse(token)
  return typeof raw === 'string' && !raw.includes('\\') ? raw : null
}

function readValue(token: string | undefined): PyValue | undefined {
  switch (token) {
    case undefined:
      return undefined
    case 'True':
      return true
    case 'False':
      return false
    case 'None':
      return null
    default:
      return token.startsWith('"') ? (readText(token) ?? undefined) : Number(token)
  }
}
