/** Finds what a prompt template is made of: its lines of options, and the line that asks for the answer. */

export interface OptionLines {
  readonly before: string
  /** Each option's text as a template, in the order of the letters. */
  readonly options: readonly string[]
  readonly after: string
}

/**
 * Lines such as `A. {{choices[0]}}` that stand directly below one another, one for each mark. Null where they don't: options within one line,
 * in a loop or under a condition can't be taken out of a template line by line.
 */
export function findOptionLines(text: string, marks: readonly string[]): OptionLines | null {
  const lines = text.split('\n')
  const first = lines.findIndex((line) => optionOf(line, marks[0] ?? '') !== null)
  if (first < 0) return null
  const options: string[] = []
  let next = first
  for (const mark of marks) {
    // A blank line may stand between two options.
    while (options.length > 0 && (lines[next] ?? '').trim() === '' && next < lines.length) next += 1
    const option = optionOf(lines[next] ?? '', mark)
    if (option === null) return null
    options.push(option)
    next += 1
  }
  const [before, after] = [lines.slice(0, first).join('\n'), lines.slice(next).join('\n')]
  if (!isBalanced(before)) return null
  return { before: first === 0 ? '' : `${before}\n`, options, after }
}

/** What stands behind a mark: text and expressions, at least one of them. */
function optionOf(line: string, mark: string): string | null {
  const option =
    new RegExp(`^[ \\t]*(?:\\(${mark}\\)|\\[${mark}\\]|${mark}[.:：)）、])[.:]?[ \\t]*(\\S.*?)[ \\t]*$`, 'u').exec(line)?.[1] ?? null
  return option === null || /\{[%#]/.test(option) || !/\{\{.*\}\}/.test(option) || pieces(option) === null ? null : option
}

/** Whether all tags that were opened are closed. */
function isBalanced(text: string): boolean {
  const count = (pattern: RegExp): number => text.match(pattern)?.length ?? 0
  const blocks = count(/\{%-?\s*(?:for|if|macro|call|filter|with|raw)\b/g) - count(/\{%-?\s*end(?:for|if|macro|call|filter|with|raw)\b/g)
  return blocks === 0 && count(/\{\{/g) === count(/\}\}/g)
}

/** The templates as one Jinja list of texts. */
export function listTexts(options: readonly string[]): string {
  return `[${options.map((option) => (pieces(option) ?? []).join(' ~ ')).join(', ')}]`
}

/** A template of text and expressions as the parts of a concatenation; null where it holds anything else. */
function pieces(template: string): readonly string[] | null {
  const parts: string[] = []
  let at = 0
  for (const found of template.matchAll(/\{\{-?((?:(?!\}\}|\{\{).)*?)-?\}\}/gs)) {
    if (found.index > at) parts.push(JSON.stringify(template.slice(at, found.index)))
    parts.push(`(${(found[1] ?? '').trim()})|string`)
    at = found.index + found[0].length
  }
  if (at < template.length) parts.push(JSON.stringify(template.slice(at)))
  return parts.some((part) => part.startsWith('"') && /[{}]/.test(part)) ? null : parts
}

/** The expression of a template that is nothing else, such as `{{[a, b]}}`; null otherwise. */
export function singleExpression(template: string): string | null {
  return /^\s*\{\{-?((?:(?!\}\}|\{\{).)+?)-?\}\}\s*$/s.exec(template)?.[1]?.trim() ?? null
}

/**
 * Cuts off the constant text that asks for the answer: a last line such as `Answer:`, or the end of a line that closes with a colon. `gap`
 * is the white space before it, with a line end at least; `cue` is null where there is none.
 */
export function cutCue(template: string): { readonly before: string; readonly gap: string; readonly cue: string | null } {
  const start = Math.max(template.lastIndexOf('}}'), template.lastIndexOf('%}'), template.lastIndexOf('#}')) + 2
  const from = start < 2 ? 0 : start
  const tail = template.slice(from)
  const words = tail.trimEnd()
  const line = words.lastIndexOf('\n') + 1
  const isLine = line > 0 && words.slice(line).trim() !== ''
  if (!isLine && !/[:：։]$/.test(words)) return { before: template.trimEnd(), gap: '\n', cue: null }
  const cueAt = from + (isLine ? line : tail.length - tail.trimStart().length)
  const ahead = template.slice(0, cueAt)
  const before = ahead.trimEnd()
  const gap = ahead.slice(before.length)
  return { before, gap: gap.includes('\n') ? gap : '\n', cue: template.slice(cueAt) }
}
