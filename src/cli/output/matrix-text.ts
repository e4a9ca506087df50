/** The dtype matrix, prompt fans and agreements of compared runs, as text. */
import type { VerdictAgreement } from '../../analysis/compare/agreement/verdict-agreement.ts'
import type { DtypeCell, DtypeMatrix } from '../../analysis/compare/series/dtype-matrix.ts'
import type { PromptFan } from '../../analysis/compare/series/prompt-fan.ts'
import { oneLine, tableLines } from './text-table.ts'

/** A row a dtype and task, the tasks that suffer most first; `labels[i]` names run `i`. */
export function dtypeText({ reference, arms }: DtypeMatrix, labels: readonly string[]): string {
  const row = (dtype: string, cell: DtypeCell): readonly string[] => [
    dtype,
    cell.task ?? 'all tasks',
    String(cell.docs),
    cell.scored === 0 ? '' : String(cell.otherPick),
    cell.meanKl?.toExponential(2) ?? '',
    String(cell.lost),
    String(cell.gained),
    cell.difference === null ? '' : signed(cell.difference),
    cell.pAdjusted === null ? (cell.p?.toFixed(4) ?? '') : `${cell.pAdjusted.toFixed(4)} (Holm)`,
  ]
  return [
    `Dtypes of one model, beside ${reference.dtype} (${labels[reference.run] ?? ''}):`,
    ...tableLines(
      ['Dtype', 'Task', 'Docs', 'Other pick', 'Mean KL', 'Lost', 'Gained', 'Difference', 'p'],
      arms.flatMap(({ dtype, all, tasks }) => [row(dtype, all), ...tasks.map((cell) => row(dtype, cell))]),
    ),
    '',
  ].join('\n')
}

/** Each fan's scores, and how far they lie apart beside the error of the docs. */
export function fanText(fans: readonly PromptFan[], labels: readonly string[]): string {
  return fans
    .flatMap(({ metric, docs, arms, spread, sd, samplingError, p, pairs }) => {
      const name = (place: number): string => `${labels[arms[place]?.run ?? 0] ?? ''} ${oneLine(arms[place]?.task ?? '')}`
      const [widest] = [...pairs].sort((a, b) => b.difference - a.difference)
      return [
        `${arms.length} prompts over the same ${docs} docs, ${oneLine(metric)}: spread ${spread.toFixed(4)}, sd ${sd.toFixed(4)}, sampling error ${samplingError.toFixed(4)}${p === null ? '' : `, p of no difference ${p.toFixed(4)} (Cochran’s Q)`}`,
        ...tableLines(
          ['Prompt', 'Value', 'Stderr'],
          arms.map(({ value, stderr }, place) => [name(place), value.toFixed(4), stderr.toFixed(4)]),
        ),
        ...(widest === undefined
          ? []
          : [
              `${name(widest.better)} less ${name(widest.worse)}, doc by doc: ${signed(widest.difference)} ± ${widest.stderr.toFixed(4)}, p ${widest.pAdjusted.toFixed(4)} (Holm over ${pairs.length})`,
            ]),
        '',
      ]
    })
    .join('\n')
}

/** How far two runs agree on single docs, where their tasks or metrics have other names. */
export function verdictAgreementText(agreements: readonly VerdictAgreement[], [a, b]: readonly [string, string]): string {
  return agreements
    .map(({ left, right, pairedBy, agreement: { n, agree, gained, lost, kappa, p } }) =>
      [
        `${a} ${oneLine(left.task)} (${oneLine(left.metric)}) and ${b} ${oneLine(right.task)} (${oneLine(right.metric)}), doc by doc (by ${pairedBy}):`,
        `${agree} of ${n} agree, kappa ${kappa.toFixed(4)}; only ${a} has ${gained.length} right, only ${b} ${lost.length}, p ${p.toFixed(4)} (McNemar).`,
        '',
      ].join('\n'),
    )
    .join('\n')
}

function signed(value: number): string {
  return `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(4)}`
}
