/** Word edit distance within a beam around the diagonal, as sacrebleu's TER computes it, with the alignment it implies. */

const beamWidth = 25

/** Rows and their cells that are kept; what is beyond them is computed anew. */
const maxRows = 10_000
const maxCells = 2 ** 22

const operations = ['insert', 'delete', 'keep', 'substitute'] as const
type Operation = (typeof operations)[number]
const codeOf: Record<Operation, number> = { insert: 0, delete: 1, keep: 2, substitute: 3 }
const outside = 1e16

/** Where each reference word stands in the hypothesis, and which words of either are errors (1) or not (0). */
export interface Alignment {
  /** By reference position; -1 = before the hypothesis' first word. */
  readonly toHypothesis: readonly number[]
  readonly hypothesisErrors: readonly number[]
  readonly referenceErrors: readonly number[]
}

/** The cells of a row that lie in the beam, from the place `from` of the reference on. */
interface Row {
  readonly from: number
  readonly costs: Float64Array
  readonly operations: Uint8Array
}

/** The row behind a beginning of a hypothesis, and those behind its next words. */
interface Prefix {
  readonly row: Row
  readonly next: Map<string, Prefix>
}

/** Distances of word lists to one reference. Rows are kept by prefix, as shifted hypotheses share most of theirs. */
export class BeamEditDistance {
  private readonly reference: readonly string[]
  private readonly start: Prefix
  private rows = 0
  private cells = 0

  constructor(reference: readonly string[]) {
    this.reference = reference
    const costs = Float64Array.from({ length: reference.length + 1 }, (_, j) => j)
    this.start = { row: { from: 0, costs, operations: new Uint8Array(costs.length) }, next: new Map() }
  }

  /** The number of edits from `words` to the reference, and the alignment of one cheapest way. */
  measure(words: readonly string[]): { readonly edits: number; readonly alignment: Alignment } {
    let prefix = this.start
    const rows = [prefix.row]
    words.forEach((word, index) => {
      // The beam depends on the hypothesis' length; all that one instance sees are permutations of one list.
      let longer = prefix.next.get(word)
      if (longer === undefined) {
        longer = { row: this.nextRow(prefix.row, words, index + 1), next: new Map() }
        this.keep(prefix, word, longer)
      }
      prefix = longer
      rows.push(prefix.row)
    })
    return { edits: costAt(prefix.row, this.reference.length), alignment: this.align(rows) }
  }

  private keep(prefix: Prefix, word: string, longer: Prefix): void {
    if (this.rows >= maxRows || this.cells >= maxCells) return
    this.rows += 1
    this.cells += longer.row.costs.length
    prefix.next.set(word, longer)
  }

  private nextRow(above: Row, words: readonly string[], i: number): Row {
    const { reference } = this
    const ratio = reference.length / words.length
    const width = beamWidth < ratio / 2 ? Math.ceil(ratio / 2 + beamWidth) : beamWidth
    const diagonal = Math.floor(i * ratio)
    const from = Math.max(0, diagonal - width)
    const to = i === words.length ? reference.length + 1 : Math.min(reference.length + 1, diagonal + width)
    const row = { from, costs: new Float64Array(to - from).fill(outside), operations: new Uint8Array(to - from) }
    const { costs, operations } = row
    const word = words[i - 1]
    for (let j = from; j < to; j++) {
      const isSame = j > 0 && word === reference[j - 1]
      // In sacrebleu's order: of equal costs the first one stays.
      const diagonalCost = costAt(above, j - 1) + (isSame ? 0 : 1)
      if (j > 0 && diagonalCost < outside) {
        costs[j - from] = diagonalCost
        operations[j - from] = isSame ? codeOf.keep : codeOf.substitute
      }
      const aboveCost = costAt(above, j) + 1
      if (aboveCost < (costs[j - from] ?? outside)) {
        costs[j - from] = aboveCost
        operations[j - from] = codeOf.delete
      }
      const leftCost = (j > from ? (costs[j - 1 - from] ?? outside) : outside) + 1
      if (leftCost < (costs[j - from] ?? outside)) {
        costs[j - from] = leftCost
        operations[j - from] = codeOf.insert
      }
    }
    return row
  }

  private align(rows: readonly Row[]): Alignment {
    const trace: Operation[] = []
    let i = rows.length - 1
    let j = this.reference.length
    while (i > 0 || j > 0) {
      const row = rows[i]
      const operation = operations[row?.operations[j - row.from] ?? codeOf.insert] ?? 'insert'
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

/** `outside` beyond the beam. */
function costAt({ from, costs }: Row, j: number): number {
  const at = j - from
  return at < 0 || at >= costs.length ? outside : (costs[at] ?? outside)
}
