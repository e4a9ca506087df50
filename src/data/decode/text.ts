/** Text files as a table with the one column `text`, as `datasets`' text loader reads them. */
import { EvalError, type Json } from '../../core/errors.ts'
import type { Table } from '../../core/types.ts'
import type { NamedBytes } from './json.ts'
import { decodeUtf8 } from './text-of-bytes.ts'

/** One row a line, a paragraph or a file (`sample_by`); line ends are dropped unless `keep_linebreaks`. */
export function decodeText(files: readonly NamedBytes[], kwargs: { readonly [key: string]: Json } = {}): Table {
  const sampleBy = kwargs['sample_by'] ?? 'line'
  const texts = files.flatMap(({ name, bytes }) => {
    const text = decodeUtf8(bytes, name, true).replace(/\r\n?/g, '\n')
    if (sampleBy === 'document') return [text]
    if (sampleBy === 'paragraph') return splitParagraphs(text)
    if (sampleBy !== 'line')
      throw new EvalError('task/unsupported', `dataset_kwargs: sample_by is line, paragraph or document, not ${JSON.stringify(sampleBy)}.`)
    const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? []
    return kwargs['keep_linebreaks'] === true ? lines : lines.map((line) => line.replace(/\n$/, ''))
  })
  return { columns: [{ name: 'text', type: 'string' }], rows: texts.map((text) => [text]) }
}

/** Empty paragraphs are dropped, but for the last one's line ends. */
function splitParagraphs(text: string): string[] {
  const parts = text.split('\n\n')
  const last = parts.pop() ?? ''
  return [...parts.filter((part) => part !== ''), ...(last === '' ? [] : [last])]
}
