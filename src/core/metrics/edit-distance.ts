/** Word edit distance within a beam around the diagonal, as sacrebleu's TER computes it, with the alignment it implies. */

const beamWidth = 25

type Operation = 'insert' | 'delete' | 'keep' | 'substitute'

/** Where each reference word stands in the hypothesis, and which words of either are errors (1) or not (0). */
export interface Alignment {
  /** By reference position; -1 = before the hypothesis' first word. */
  readonly toHypothesis: readonly number[]
  readonly hypothesisErrors: readonly number[]
  readonly referenceErrors: readonly number[]
}

interface Row {
  readonly costs: Float64Array
  readonly operations: Operation[]
}

/** Distances of word lists to one reference. Rows are kept by prefix, as shifted hypotheses share most of theirs. */
export class BeamEditDistance {
  private readonly reference: readonly string[]
  private readonly kept = new Map<string, Row>()
  private readonly first: Row

  constructor(reference: readonly string[]) {
    this.reference = reference
    this.first = {
      costs: Float64Array.from({ length: reference.length + 1 }, (_, j) => j),
      operations: new Array<Operation>(reference.length + 1).fill('insert'),
    }
  }

  /** The number of edits from `words` to the reference, and the alignment of one cheapest way. */
  measure(words: readonly string[]): { readonly edits: number; readonly alignment: Alignment } {
    const rows = [this.first]
    let prefix = ''
    let previous = this.first
    words.forEach((word, index) => {
      prefix += `${word} `
      // The beam depends on the hypothesis' length; all that one instance sees are permutations of one list.
      const row = this.kept.get(prefix) ?? this.nextRow(previous, words, index + 1)
      if (this.kept.size < 10_000) this.kept.set(prefix, row)
      rows.push(row)
      previous = row
    })
    return { edits: previous.costs[this.reference.length] ?? Infinity, alignment: this.align(rows) }
  }

  private nextRow(above: Row, words: readonly string[], i: number): Row {
    const { reference } = this
    const ratio = reference.length / words.length
    const width = beamWidth < ratio / 2 ? Math.ceil(ratio / 2 + beamWidth) : beamWidth
    const diagonal = Math.floor(i * ratio)
    const from = Math.max(0, diagonal - width)
    const to = i === words.length ? reference.length + 1 : Math.min(reference.length + 1, diagonal + width)
    const costs = new Float64Array(reference.length + 1).fill(1e16)
    const operations = new Array<Operation>(reference.length + 1).fill('insert')
    for (let j = from; j < to; j++) {
      if (j === 0) {
        costs[0] = (above.costs[0] ?? 0) + 1
        operations[0] = 'delete'
        continue
      }
      const isSame = words[i - 1] === reference[j - 1]
      const choices = [
        [(above.costs[j - 1] ?? 0) + (isSame ? 0 : 1), isSame ? 'keep' : 'substitute'],
        [(above.costs[j] ?? 0) + 1, 'delete'],
        [(costs[j - 1] ?? 0) + 1, 'insert'],
      ] as const
      for (const [cost, operation] of choices) {
        if (cost >= (costs[j] ?? 0)) continue
        costs[j] = cost
        operations[j] = operation
      }
    }
    return { costs, operations }
  }

  private align(rows: readonly Row[]): Alignment {
    const trace: Operation[] = []
    let i = rows.length - 1
    let j = this.reference.length
    while (i > 0 || j > 0) {
      const operation = rows[i]?.operations[j] ?? 'insert'
      trace.push(operation)
      if (operation !== 'insert') i--
      if (operation !== 'delete') j--
    }
    const toHypothesis: number[] = []
    const hypothesisErrors: number[] = []
    const referenceErrors: number[] = []
    for (const operation of trace.reverse()) {
      const error = operation === 'keep' ? 0 : 1
      if (operation !== 'insert') hypothesisErrors.push(error)
      if (operation === 'delete') continue
      toHypothesis.push(hypothesisErrors.length - 1)
      referenceErrors.push(error)
    }
    return { toHypothesis, hypothesisErrors, referenceErrors }
  }
}
