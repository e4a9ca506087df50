/** JSON values out of text that comes in parts. */
import { EvalError } from '../../base/errors.ts'
import { isRecord } from '../decode/infer.ts'
import { parseArrayPrefix, parseJsonPrefix, type ArrayState, type JsonNode, type TextPlace } from '../decode/json-parser.ts'
import type { Row } from '../decode/json.ts'
import { maxRecordBytes } from './limits.ts'
import { tooLong } from './text-blocks.ts'

/** Gives the rows that a part completes. */
export interface RowParser {
  /** True when no value is begun and not ended. */
  readonly isBetween: boolean
  /** False once a line was seen that isn't just one value. */
  readonly areLines: boolean
  /** Line and column of what comes next. */
  readonly place: TextPlace
  take(text: string): readonly Row[]
  /** The file ends here. Throws `dataset/malformed` for a value that isn't whole. */
  end(): readonly Row[]
}

/** Text of a value that isn't there whole yet, and where it begins. */
interface Rest extends TextPlace {
  readonly text: string
  /** Read again when it has grown to this many characters, so that a long value isn't read from its start for every part. */
  readonly retryAt: number
}

/** Objects one after the other: one a line, or lines that a value spans. `start` is where the text begins in its file. */
export class ValueParser implements RowParser {
  areLines: boolean
  #rest: Rest
  #values: number

  /** `valuesBefore` counts those of the file so far; with `looksAtLines` false nobody asks for `areLines`. */
  constructor(start: TextPlace, valuesBefore: number, looksAtLines: boolean) {
    this.areLines = looksAtLines
    this.#rest = { ...start, text: '', retryAt: 0 }
    this.#values = valuesBefore
  }

  get isBetween(): boolean {
    return this.#rest.text === ''
  }

  get place(): TextPlace {
    return this.#rest
  }

  /** Values so far, those before included. */
  get values(): number {
    return this.#values
  }

  take(more: string): readonly Row[] {
    const before = this.#rest
    const text = before.text + more
    if (text.length < before.retryAt) {
      this.#rest = { ...before, text }
      return []
    }
    const { values, end } = parseJsonPrefix(text, before, false)
    this.areLines &&= before.text === '' && end === text.length && hasValuePerLine(text, values.length)
    this.#rest = restOf(text, end, before)
    return this.#toRows(values)
  }

  end(): readonly Row[] {
    const { text } = this.#rest
    const { values, end } = parseJsonPrefix(text, this.#rest, true)
    this.#rest = restOf(text, end, this.#rest)
    return this.#toRows(values)
  }

  #toRows(nodes: readonly JsonNode[]): readonly Row[] {
    return nodes.map((node) => {
      this.#values += 1
      if (isRecord(node)) return node
      const { file } = this.#rest
      throw new EvalError('dataset/malformed', `${file}: value ${this.#values} is no object; a row is an object of columns.`, {
        details: { file },
      })
    })
  }
}

/** Items of the one array that a file holds; plain values become the column `text`. */
export class ArrayParser implements RowParser {
  readonly areLines = true
  #rest: Rest
  #state: ArrayState = 'start'

  constructor(file: string) {
    this.#rest = { file, line: 1, column: 1, text: '', retryAt: 0 }
  }

  get isBetween(): boolean {
    return false
  }

  get place(): TextPlace {
    return this.#rest
  }

  take(more: string): readonly Row[] {
    const text = this.#rest.text + more
    if (text.length < this.#rest.retryAt) {
      this.#rest = { ...this.#rest, text }
      return []
    }
    return this.#parse(text, false)
  }

  end(): readonly Row[] {
    return this.#parse(this.#rest.text, true)
  }

  #parse(text: string, isLast: boolean): readonly Row[] {
    const { items, end, state } = parseArrayPrefix(text, this.#rest, { state: this.#state, isLast })
    this.#state = state
    this.#rest = restOf(text, end, this.#rest)
    return items.map((item) => (isRecord(item) ? item : new Map([['text', item]])))
  }
}

function restOf(text: string, end: number, begin: Rest): Rest {
  const place = end === 0 ? begin : placeAt(text, end, begin)
  const rest = text.slice(end)
  if (rest.length > maxRecordBytes) throw tooLong(place.file, place.line, 'a value')
  return { file: place.file, line: place.line, column: place.column, text: rest, retryAt: rest.length * 2 }
}

function placeAt(text: string, at: number, { file, line, column }: TextPlace): TextPlace {
  let lines = 0
  let lineStart = -1
  for (let next = text.indexOf('\n'); next !== -1 && next < at; next = text.indexOf('\n', next + 1)) {
    lines += 1
    lineStart = next
  }
  return { file, line: line + lines, column: lines === 0 ? column + at : at - lineStart }
}

/** As Python's `splitlines` sees it: no blank lines, no value over two lines, no two values on one. */
function hasValuePerLine(text: string, values: number): boolean {
  const lines = text.split(/\r\n|\n|\r/)
  if (lines.at(-1) === '') lines.pop()
  return lines.length === values && lines.every((line) => line.trim() !== '')
}
