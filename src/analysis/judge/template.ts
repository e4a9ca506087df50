/**
 * What a judge model is asked, as a text with places: `{obj_gold}` for the reference, `{prediction}` for the answer, `{question}` for what
 * the candidate was asked. Source of the two first names: OpenCompass, “Using Large Models as JudgeLLM for Objective Evaluation”.
 */
import { EvalError } from '../../base/errors.ts'

/** What stands in the places of a template. */
interface JudgeFields {
  readonly obj_gold: string
  readonly prediction: string
  readonly question: string
}

type FieldName = keyof JudgeFields

const fieldNames: readonly FieldName[] = ['obj_gold', 'prediction', 'question']
const wantedNames: readonly FieldName[] = ['obj_gold', 'prediction']

/** A name in braces. */
const braced = /\{\s*([\p{L}_][\p{L}\p{N}_-]*)\s*\}/gu
/** Behind these, braces with another name than ours are LaTeX: `\text{cm}`, `x_{max}`, `\frac{a}{b}`. */
const latexBefore = /[\\\p{L}\p{N}^_}\]]$/u

/**
 * Throws `judge/template` for a template without both wanted places, and for one with a place of another name: a judge would be shown the
 * name in the answer's stead, and judge that. `details` list what is `missing` and `unknown`.
 */
export function checkTemplate(template: string): void {
  const found = placesOf(template).map(({ name }) => name)
  const missing = wantedNames.filter((name) => !found.includes(name))
  const unknown = [...new Set(found)].filter((name) => fieldNameOf(name) === null)
  if (missing.length === 0 && unknown.length === 0) return
  const parts = [
    ...(missing.length === 0 ? [] : [`has no ${missing.map((name) => `{${name}}`).join(' and no ')}`]),
    ...(unknown.length === 0 ? [] : [`has ${unknown.map((name) => `{${name}}`).join(', ')}, which means nothing here`]),
  ]
  const names = fieldNames.map((name) => `{${name}}`).join(', ')
  throw new EvalError(
    'judge/template',
    `The judge's template ${parts.join(' and ')}; its places are ${names}, the first two must be there.`,
    {
      details: { missing, unknown },
    },
  )
}

/** The prompt for one answer, as the judge's task makes it. Throws as `checkTemplate`. */
export function fillTemplate(template: string, fields: JudgeFields): string {
  return piecesOf(template)
    .map((piece) => (piece.kind === 'text' ? piece.text : fields[piece.name]))
    .join('')
}

/** The template as the Jinja of a task file, over columns of the same names; whatever Jinja would read in its text stays text. Throws as `checkTemplate`. */
export function jinjaOf(template: string): string {
  const jinja = piecesOf(template)
    .map((piece) => (piece.kind === 'text' ? escapeJinja(piece.text) : `{{${piece.name}}}`))
    .join('')
  // Jinja drops one line end at the end of a template.
  return jinja.endsWith('\n') ? `${jinja}{{""}}` : jinja
}

type Piece = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'field'; readonly name: FieldName }

function piecesOf(given: string): readonly Piece[] {
  checkTemplate(given)
  // Jinja knows one kind of line end.
  const template = given.replace(/\r\n?/g, '\n')
  const pieces: Piece[] = []
  let at = 0
  for (const { name, start, end } of placesOf(template)) {
    const field = fieldNameOf(name)
    if (field === null) continue
    pieces.push({ kind: 'text', text: template.slice(at, start) }, { kind: 'field', name: field })
    at = end
  }
  return [...pieces, { kind: 'text', text: template.slice(at) }]
}

function placesOf(template: string): readonly { readonly name: string; readonly start: number; readonly end: number }[] {
  return [...template.matchAll(braced)]
    .map((match) => ({ name: match[1] ?? '', start: match.index, end: match.index + match[0].length }))
    .filter(({ name, start }) => fieldNameOf(name) !== null || !latexBefore.test(template.slice(Math.max(0, start - 1), start)))
}

function fieldNameOf(name: string): FieldName | null {
  return fieldNames.find((one) => one === name) ?? null
}

/** A brace that would open something of Jinja's, also together with a place that follows, is written as a value. */
function escapeJinja(text: string): string {
  return text.replace(/\{(?=[{%#]|$)/g, '{{"{"}}')
}
