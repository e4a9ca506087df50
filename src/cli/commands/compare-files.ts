/** `npm run eval -- compare A B …`: opens result files and holds every run against the first. No browser is needed. */
import { conversionCheck, conversionSentence } from '../../analysis/compare/agreement/conversion-check.ts'
import { verdictAgreements } from '../../analysis/compare/agreement/verdict-agreement.ts'
import { compareRuns } from '../../analysis/compare/compare-runs.ts'
import { comparedSample, type ComparedRun } from '../../analysis/compare/compared-run.ts'
import { dtypeMatrix } from '../../analysis/compare/series/dtype-matrix.ts'
import { promptFans } from '../../analysis/compare/series/prompt-fan.ts'
import { comparedRun, runLabel } from '../../app/compare/compared-run.ts'
import { openFiles } from '../../app/open/open-files.ts'
import type { OpenedRun } from '../../app/open/opened-run.ts'
import { append } from '../../base/arrays.ts'
import { UsageError } from '../flags/flag-values.ts'
import { comparisonText, type LabelledRun } from '../output/comparison-text.ts'
import { dtypeText, fanText, verdictAgreementText } from '../output/matrix-text.ts'
import { oneLine } from '../output/text-table.ts'
import { filesOf, type Output } from './import-files.ts'

/** Compares the runs that the paths hold, in their order. Throws UsageError for fewer than two runs, and `results/invalid`. */
export async function compareFiles(paths: readonly string[], { from, json, say, print }: Output, hasDetails = false): Promise<void> {
  let next = 0
  const opened: OpenedRun[] = []
  for (const path of paths) for (const files of filesOf(path, from)) append(opened, await openFiles(files, () => `compare-${(next += 1)}`))
  const runs = opened.map((run, index) => ({ ...labelled(run, index), compared: comparedOf(run, labelled(run, index).label) }))
  const [first, ...others] = runs
  if (first === undefined || others.length === 0)
    throw new UsageError(`compare wants two runs at least (folders or files with results), found ${runs.length}`)
  for (const { label, files } of runs) say(`${label}: ${files[0] ?? ''}; reported by whoever made it, not verified.`)
  const comparisons = compareRuns(
    first.compared,
    others.map(({ compared }) => compared),
  )
  const compared = runs.map((run) => run.compared)
  const [matrix, fans] = [dtypeMatrix(compared), promptFans(compared)]
  const agreementsWith = (index: number) => {
    const other = others[index]
    return other === undefined ? [] : verdictAgreements(first.compared, other.compared)
  }
  const conversions = others.map((other) => conversionCheck(first.compared, other.compared))
  if (json) {
    const bare = runs.map(({ label, files, model }): LabelledRun => ({ label, files, model }))
    const pairs = comparisons.map((comparison, index) => ({
      left: first.label,
      right: others[index]?.label ?? '',
      ...comparison,
      agreements: agreementsWith(index),
      conversion: conversions[index] ?? null,
    }))
    print(JSON.stringify({ runs: bare, comparisons: pairs, dtype_matrix: matrix, prompt_fans: fans }, null, 2))
    return
  }
  comparisons.forEach((comparison, index) => {
    const other = others[index]
    if (other === undefined) return
    print(comparisonText(first, other, comparison, hasDetails))
    const agreements = agreementsWith(index)
    if (agreements.length > 0) print(verdictAgreementText(agreements, [first.label, other.label]))
    const conversion = conversions[index] ?? null
    if (conversion !== null) print(`${oneLine(conversionSentence(conversion, first.label, other.label))}\n`)
  })
  const labels = runs.map(({ label }) => label)
  if (matrix !== null) print(dtypeText(matrix, labels))
  if (fans.length > 0) print(fanText(fans, labels))
}

function labelled({ files, summary }: OpenedRun, index: number): LabelledRun {
  const model = summary.resultsFile['model_name']
  return { label: runLabel(index), files, model: typeof model === 'string' ? model : '' }
}

/** What a comparison reads of an opened run. */
export function comparedOf({ summary, samples }: Pick<OpenedRun, 'summary' | 'samples'>, label: string): ComparedRun {
  return comparedRun(summary, new Map([...samples].map(([task, views]) => [task, views.map(comparedSample)])), label)
}
