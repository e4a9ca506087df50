/** Rows of text files with the one column `text`, as `datasets`' text loader reads them: a line, a paragraph or a file each. */
import { EvalError, type Json } from '../../base/errors.ts'
import { batchesOf, type RowBatch } from './row-batch.ts'
import { textBlocks } from './text-blocks.ts'

interface TextFile {
  readonly name: string
  /** Unpacked. */
  readonly pieces: AsyncIterable<Uint8Array>
}

const columns = [{ name: 'text', type: 'string' }] as const

/** Line ends are dropped unless `keep_linebreaks`. Throws `dataset/malformed`, and `task/unsupported` for an unknown `sample_by`. */
export async function* textRows(files: Iterable<TextFile>, kwargs: { readonly [key: string]: Json }): AsyncGenerator<RowBatch> {
  const sampleBy = kwargs['sample_by'] ?? 'line'
  if (sampleBy !== 'line' && sampleBy !== 'paragraph' && sampleBy !== 'document')
    throw new EvalError('task/unsupported', `dataset_kwargs: sample_by is line, paragraph or document, not ${JSON.stringify(sampleBy)}.`)
  let isEmpty = true
  for (const { name, pieces } of files) {
    const blocks = textBlocks(pieces, { file: name, keepsMark: true })
    const texts = sampleBy === 'line' ? lines(blocks, kwargs['keep_linebreaks'] === true) : wholeTexts(blocks, sampleBy)
    for await (const { rows, bytes } of texts) {
      isEmpty = false
      yield* batchesOf({ columns, rows: rows.map((text) => [text]) }, bytes)
    }
  }
  if (isEmpty) yield { columns, rows: [], bytes: 0 }
}

interface Texts {
  readonly rows: readonly string[]
  readonly bytes: number
}
type Blocks = AsyncIterable<{ readonly text: string; readonly bytes: Uint8Array }>

/** Python's universal line ends become `\n`. Blocks end after an LF, or before one CR and after another: never within a CRLF. */
function unifyLineEnds(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}

async function* lines(blocks: Blocks, keepsEnds: boolean): AsyncGenerator<Texts> {
  for await (const { text, bytes } of blocks) {
    const found = unifyLineEnds(text).match(/[^\n]*\n|[^\n]+$/g) ?? []
    yield { rows: keepsEnds ? found : found.map((line) => line.replace(/\n$/, '')), bytes: bytes.length }
  }
}

async function* wholeTexts(blocks: Blocks, sampleBy: 'paragraph' | 'document'): AsyncGenerator<Texts> {
  let whole = ''
  let bytes = 0
  for await (const block of blocks) {
    whole += unifyLineEnds(block.text)
    bytes += block.bytes.length
  }
  yield { rows: sampleBy === 'document' ? [whole] : splitParagraphs(whole), bytes }
}

/** Empty paragraphs are dropped, but for the last one's line ends. */
function splitParagraphs(text: string): string[] {
  const parts = text.split('\n\n')
  const last = parts.pop() ?? ''
  return [...parts.filter((part) => part !== ''), ...(last === '' ? [] : [last])]
}
