/** A judged run as files: predictions and judge replies, linked by the docs' ids, and a summary as CSV and Markdown. */
import { cautionText, judgeCautions, type ModelSize } from '../../analysis/judge/caution.ts'
import type { JudgedTexts } from '../../analysis/judge/docs.ts'
import type { JudgeOutcome, Share } from '../../analysis/judge/outcome.ts'
import type { QuizScore } from '../../analysis/judge/quiz.ts'
import type { JudgeBy } from '../../analysis/judge/verdict.ts'
import { sanitizeModelName } from '../../harness/results/file-names.ts'
import { csvLine, type CsvCell } from '../export/csv.ts'

/** One task's answers, judged. */
export interface JudgeReport {
  readonly task: string
  readonly candidate: ModelSize
  readonly judge: ModelSize & { readonly dtype: string | null; readonly device: string | null; readonly chatTemplate: boolean }
  readonly by: JudgeBy
  readonly texts: JudgedTexts
  readonly template: string
  /** Null where the judge wasn't tried. */
  readonly quiz: QuizScore | null
  readonly outcome: JudgeOutcome
}

export interface ReportFile {
  /** Below the folder of the judged run. */
  readonly path: string
  readonly text: string
}

/** UTC as it stands in names of files: `20261122T011502Z`. */
export function utcStamp(now: Date): string {
  return now.toISOString().replace(/\.\d+/, '').replace(/[-:]/g, '')
}

/** All files of reports that were made together, at `now`. Every prediction and every reply has its doc's id. */
export function reportFiles(reports: readonly JudgeReport[], now: Date): readonly ReportFile[] {
  const stamp = utcStamp(now)
  return [
    ...reports.flatMap((report) => [
      { path: filePath('predictions', report), text: predictionsText(report) },
      { path: filePath('results', report), text: repliesText(report, now) },
    ]),
    { path: `summary_${stamp}.csv`, text: summaryCsv(reports, now) },
    { path: `summary_${stamp}.md`, text: summaryMarkdown(reports, now) },
  ]
}

function filePath(kind: string, { candidate, task }: JudgeReport): string {
  return `${kind}/${sanitizeModelName(candidate.id)}/${task.replace(/[/\\]/g, '_')}.json`
}

/** What the candidate answered, as a JSON list. */
function predictionsText({ outcome }: JudgeReport): string {
  return listText(
    outcome.docs.map(({ docId, question, obj_gold, prediction, naive }) => ({ id: docId, question, obj_gold, prediction, naive })),
  )
}

/** How every answer was judged, and by whom, as a JSON object. */
function repliesText({ judge, by, texts, template, quiz, outcome, candidate, task }: JudgeReport, now: Date): string {
  const { docs, ...totals } = outcome
  const replies = docs.map(({ docId, reply, logprobs, verdict, lenient, byRule }) => ({
    ...{ id: docId, reply, verdict, lenient },
    decided_by: byRule ? 'empty-answer' : by,
    ...(logprobs === null ? {} : { logprob_yes: logprobs[0], logprob_no: logprobs[1] }),
  }))
  const used = { ...texts, filter: filterOf({ texts, outcome }) }
  const head = { created_at: now.toISOString(), task, model: candidate, judge, by, texts: used, template, quiz, totals }
  return `${JSON.stringify({ ...head, replies }, null, 2)}\n`
}

function listText(items: readonly unknown[]): string {
  return `${JSON.stringify(items, null, 2)}\n`
}

/** One line a task; shares between 0 and 1. */
function summaryCsv(reports: readonly JudgeReport[], now: Date): string {
  const rows = reports.map((report) => summaryCells(report, now))
  const header = rows[0]?.map(([name]) => name) ?? []
  return [csvLine(header), ...rows.map((row) => csvLine(row.map(([, cell]) => cell)))].join('')
}

function summaryCells(report: JudgeReport, now: Date): readonly (readonly [name: string, cell: CsvCell])[] {
  const { outcome, quiz, candidate, judge, texts } = report
  return [
    ['created_at_utc', now.toISOString()],
    ['task', report.task],
    ['model', candidate.id],
    ['judge', judge.id],
    ['judge_dtype', judge.dtype],
    ['by', report.by],
    ['filter', filterOf(report)],
    ['pred_postprocessor', texts.prediction],
    ['gold_postprocessor', texts.gold],
    ['docs', outcome.judge.n],
    ['judge_accuracy', numberOf(outcome.judge.value)],
    ['judge_low', outcome.judge.low],
    ['judge_high', outcome.judge.high],
    ['naive_accuracy', outcome.naive === null ? null : numberOf(outcome.naive.value)],
    ['both_right', outcome.table?.bothRight ?? null],
    ['judge_only', outcome.table?.judgeOnly ?? null],
    ['naive_only', outcome.table?.naiveOnly ?? null],
    ['both_wrong', outcome.table?.bothWrong ?? null],
    ['mcnemar_p', outcome.agreement?.p ?? null],
    ['invalid', outcome.invalid],
    ['invalid_rate', outcome.invalidRate],
    ['empty', outcome.empty],
    ['quiz_right', quiz?.right ?? null],
    ['quiz_pairs', quiz?.n ?? null],
    ['cautions', judgeCautions(candidate, judge).join(' ')],
  ]
}

/** The filter that was taken, also where the task's first was meant. */
function filterOf({ texts, outcome }: Pick<JudgeReport, 'texts' | 'outcome'>): string | null {
  return texts.filter ?? outcome.docs[0]?.filter ?? null
}

function numberOf(value: number): number | null {
  return Number.isNaN(value) ? null : value
}

/** The summary as a reader wants it: a table, and below it what is to be known of it. */
function summaryMarkdown(reports: readonly JudgeReport[], now: Date): string {
  const cell = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').replaceAll('|', '\\|')
  const rows = reports.map(({ task, candidate, judge, outcome }) =>
    [
      task,
      candidate.id,
      judge.id,
      shareText(outcome.judge),
      shareText(outcome.naive),
      `${outcome.invalid} (${percent(outcome.invalidRate)})`,
    ].map(cell),
  )
  return [
    `# Judged answers, ${now.toISOString()}`,
    '',
    '| Task | Model | Judge | Judge accuracy | Naive accuracy | Invalid replies |',
    '|---|---|---|---|---|---|',
    ...rows.map((row) => `| ${row.join(' | ')} |`),
    ...reports.flatMap((report) => ['', `## ${cell(report.task)}`, '', ...reportLines(report).map((line) => `- ${cell(line)}`)]),
    '',
  ].join('\n')
}

/** Sentences about one task's verdicts, for files and the terminal. */
export function reportLines({ by, texts, quiz, outcome, candidate, judge }: JudgeReport): readonly string[] {
  const { table, agreement } = outcome
  const way = by === 'text' ? 'by the text that it wrote' : 'by comparing the log-probabilities of “[Yes]” and “[No]”'
  return [
    `The judge decided ${way}; predictions went through “${texts.prediction}”, references through “${texts.gold}”.`,
    ...(quiz === null ? ['The judge was not tried on the quiz.'] : [quizText(quiz)]),
    ...judgeCautions(candidate, judge).map((caution) => cautionText(caution, candidate, judge)),
    `Of ${outcome.judge.n} answers ${outcome.empty} were empty (no, without asking) and ${outcome.invalid} had an invalid verdict, ${outcome.lenient} of them readable as one leniently.`,
    ...(table === null || agreement === null
      ? [
          outcome.naive === null
            ? 'The task’s metric doesn’t say right or wrong: there is nothing to hold the judge against.'
            : 'No doc has a valid verdict of the judge and one of the metric: there is nothing to compare.',
        ]
      : [
          `Both right ${table.bothRight}, judge alone ${table.judgeOnly}, metric alone ${table.naiveOnly}, both wrong ${table.bothWrong}.`,
          `McNemar’s exact p = ${agreement.p.toPrecision(4)}: the two accuracies are ${outcome.isDistinguishable === true ? 'distinguishable' : 'not distinguishable'} at 0.05.`,
        ]),
  ]
}

/** What the quiz says of a judge, in a sentence or two. */
export function quizText({ right, n, low, high, invalid, falseYes, falseNo, constant, isUsable }: QuizScore): string {
  const score = `Quiz: ${right} of ${n} labelled pairs right (95% interval ${percent(low)} to ${percent(high)}), ${falseYes} wrong ones called right, ${falseNo} right ones called wrong, ${invalid} invalid.`
  return isUsable ? score : `${score} One verdict for everything would score ${percent(constant)}: this judge can’t be told from that.`
}

function shareText(share: Share | null): string {
  return share === null || share.n === 0 ? '–' : `${percent(share.value)} (${percent(share.low)} to ${percent(share.high)})`
}

function percent(value: number): string {
  return `${(100 * value).toFixed(1)}%`
}
