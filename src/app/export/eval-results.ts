/**
 * Scores in the Hub's form for evaluation results: a YAML list for the folder `.eval_results/` of a model's repository. Source: "Evaluation
 * Results" and `eval_results.yaml` of huggingface/hub-docs at 2be4979e. A browser's results are self-reported: there is no `verifyToken`, and
 * no `evaluation_framework`, which is for those that have one.
 */
import type { ResultsRow, ResultsTable } from '../../contracts/results.ts'
import type { RunManifest } from '../../contracts/runs.ts'

/** The YAML, one entry for each task whose rows come from the Hub; null when there is none. */
export function evalResultsYaml(table: ResultsTable, manifest: RunManifest): string | null {
  const entries = [...rowsByTask(table)].flatMap(([task, rows]) => {
    const origin = manifest.datasets[task]
    const [main] = rows
    if (origin?.commit === undefined || origin.commit === null || !hubId.test(origin.path)) return []
    if (main === undefined || typeof main.value !== 'number' || !Number.isFinite(main.value)) return []
    return [
      [
        '- dataset:',
        `    id: ${quoted(origin.path)}`,
        // The Hub's own task id stands in the dataset's eval.yaml; its config is what it usually is.
        `    task_id: ${quoted(origin.name ?? 'default')}`,
        `    revision: ${quoted(origin.commit)}`,
        `  value: ${yamlNumber(main.value)}`,
        `  date: ${quoted(manifest.createdAt)}`,
        `  notes: ${quoted(notesOf(task, main, rows, manifest))}`,
        '',
      ].join('\n'),
    ]
  })
  return entries.length === 0 ? null : entries.join('')
}

const hubId = /^[\w.-]+\/[\w.-]+$/

function rowsByTask({ tasks }: ResultsTable): ReadonlyMap<string, readonly ResultsRow[]> {
  const rows = new Map<string, ResultsRow[]>()
  for (const row of tasks) rows.set(row.task, [...(rows.get(row.task) ?? []), row])
  return rows
}

/** What the number is, and the task's others, as a reader of the leaderboard needs it. */
function notesOf(task: string, main: ResultsRow, rows: readonly ResultsRow[], { app, engine, settings }: RunManifest): string {
  const name = ({ metric, filter }: ResultsRow) => (filter === 'none' ? metric : `${metric} (${filter})`)
  const others = rows.filter((row) => row !== main).map((row) => `${name(row)} ${String(row.value)}`)
  return [
    `${name(main)} of lm-evaluation-harness task ${task}, version ${main.version.trim()}, ${main.nShot.trim()}-shot`,
    `${main.n} docs${settings.limit === null && settings.samples === null ? '' : ', not the whole set'}`,
    `stderr ${String(main.stderr ?? 'N/A')}`,
    ...(others.length === 0 ? [] : [`also ${others.join(', ')}`]),
    `weights ${engine.dtype} on ${engine.device}`,
    `Yardstick ${app.version}, self-reported`,
  ].join('; ')
}

/** A double-quoted scalar: JSON's escapes are YAML's, and the line breaks that only YAML knows are escaped, too. */
function quoted(text: string): string {
  const json = JSON.stringify(text)
  return json.replace(/[\u007f-\u009f\u2028\u2029\ufeff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** YAML 1.1 takes `1e-7` for a text: its numbers have a dot. */
function yamlNumber(value: number): string {
  const text = String(value)
  return /e/.test(text) && !text.includes('.') ? text.replace('e', '.0e') : text
}
