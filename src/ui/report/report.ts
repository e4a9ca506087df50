/**
 * A run as one HTML file that needs nothing else: no script, no address, styles by their hash alone. It opens in any browser, now and in
 * ten years, and prints.
 */
import { measuredWeights, settingsAsRun } from '../../analysis/scores/measured-weights.ts'
import { isRight } from '../../analysis/viewer/verdict.ts'
import { choiceName } from '../../app/runs/samples.ts'
import { quantileOf975 } from '../../base/normal-quantile.ts'
import { sha256 } from '../../base/sha256.ts'
import type { ResultsRow, RunSummary } from '../../contracts/results.ts'
import type { RunManifest } from '../../contracts/runs.ts'
import type { SampleView } from '../../contracts/samples.ts'
import { lmEvalCommand } from '../../settings/lm-eval-command.ts'
import { effectiveArgs } from '../../settings/model-args.ts'
import { formatCount, formatNats, formatScore, lastParagraph } from '../format.ts'
import { exportTexts as texts } from '../i18n/en-exports.ts'
import { fill } from '../i18n/t.ts'
import { html, Markup, untrusted, untrustedLines, visible } from './markup.ts'
import { style } from './style.ts'

/** How many docs of each task the report shows. */
export const docsInReport = 50

interface Report {
  readonly manifest: RunManifest
  readonly summary: RunSummary
  /** The first docs of each task, `docsInReport` at most, and how many there are; texts of restricted rows are empty already. */
  readonly samples: ReadonlyMap<string, { readonly views: readonly SampleView[]; readonly total: number }>
  /** Tasks whose rows' text is left out. */
  readonly withheld: readonly string[]
}

/** The file's text. */
export function reportHtml(report: Report): string {
  const { manifest, summary } = report
  const title = `${manifest.model.id}: ${manifest.settings.tasks.join(', ')}`
  const policy = `default-src 'none'; style-src 'sha256-${base64OfHex(sha256(style))}'; base-uri 'none'; form-action 'none'`
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <title>${visible(title)}</title>
        ${new Markup(`<style>${style}</style>`)}
      </head>
      <body>
        <main>
          <h1>${untrusted(manifest.model.id)}</h1>
          <p class="lede">${untrusted([manifest.engine.dtype, manifest.engine.device, manifest.settings.tasks.join(', ')].join(' · '))}</p>
          <p class="claim">${texts.reportClaim} ${untrusted(measuredWeights(manifest))}</p>
          <h2>${texts.reportResults}</h2>
          ${table(summary.table.tasks, texts.reportTasks)}
          ${summary.table.groups.length === 0 ? null : table(summary.table.groups, texts.reportGroups)}
          <p class="small">${texts.reportBars}</p>
          ${warnings(summary.warnings)} ${facts(manifest)} ${samples(report)}
        </main>
      </body>
    </html>`
  return `${page.text}\n`
}

function table(rows: readonly ResultsRow[], caption: string): Markup {
  const body = rows.map(
    (row) =>
      html`<tr>
        <th scope="row">${untrusted(row.alias)}</th>
        <td>${untrusted(row.version.trim())}</td>
        <td>${untrusted(row.filter)}</td>
        <td class="num">${untrusted(row.nShot.trim())}</td>
        <td>${untrusted(row.metric)} ${row.direction}</td>
        <td class="num"><strong>${untrusted(formatScore(row.value))}</strong></td>
        <td class="num">${typeof row.stderr === 'number' ? `± ${formatScore(row.stderr)}` : (row.stderr ?? '')}</td>
        <td class="num">${formatCount(row.n)}</td>
        <td>${interval(row)}</td>
      </tr>`,
  )
  return html`<div class="scroll">
    <table>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${texts.reportColumns.map((name) => html`<th scope="col">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${body}
      </tbody>
    </table>
  </div>`
}

const plotWidth = 160

/** The score and its 95% interval on a line from 0 to 1; nothing for scores that don't lie there. */
function interval({ value, stderr, metric }: ResultsRow): Markup | null {
  if (typeof value !== 'number' || !(value >= 0 && value <= 1)) return null
  const x = (share: number) => (4 + Math.min(1, Math.max(0, share)) * (plotWidth - 8)).toFixed(1)
  const spread = typeof stderr === 'number' && Number.isFinite(stderr) ? quantileOf975 * stderr : 0
  const label = `${metric} ${formatScore(value)}${spread === 0 ? '' : ` ± ${spread.toFixed(4)}`}`
  return html`<svg width="${plotWidth}" height="16" viewBox="0 0 ${plotWidth} 16" role="img" aria-label="${visible(label)}">
    <line class="axis" x1="${x(0)}" x2="${x(1)}" y1="8" y2="8" />
    ${[0, 0.25, 0.5, 0.75, 1].map((tick) => html`<line class="axis" x1="${x(tick)}" x2="${x(tick)}" y1="5" y2="11" />`)}
    <line class="range" x1="${x(value - spread)}" x2="${x(value + spread)}" y1="8" y2="8" />
    <circle cx="${x(value)}" cy="8" r="3.5" />
  </svg>`
}

function warnings(list: readonly string[]): Markup | null {
  if (list.length === 0) return null
  return html`<h2>${texts.reportWarnings}</h2>
    <ul>
      ${list.map((warning) => html`<li>${untrusted(warning)}</li>`)}
    </ul>`
}

function facts(manifest: RunManifest): Markup {
  const { model, engine, settings, app } = manifest
  const check = engine.selfCheck
  const entries: readonly (readonly [string, string])[] = [
    [texts.reportModel, `${model.id} (${model.revision})`],
    [texts.reportCommit, model.commit],
    [texts.reportLicence, model.license ?? '–'],
    [texts.reportWeights, engine.dtype],
    [
      texts.reportDevice,
      [engine.device, engine.adapter === null ? '' : `${engine.adapter.vendor} ${engine.adapter.architecture}`].join(' ').trim(),
    ],
    [
      texts.reportSelfCheck,
      check.maxAbsDiff === null ? check.status : `${check.status}, ${check.maxAbsDiff.toExponential(1)} ${texts.reportNats}`,
    ],
    [texts.reportScoring, engine.scoring],
    ...Object.entries(manifest.datasets).map(([task, origin]): readonly [string, string] => [
      texts.reportData,
      `${task}: ${origin.path}${origin.name === null ? '' : ` (${origin.name})`}${origin.commit === null ? '' : ` @ ${origin.commit}`}`,
    ]),
    [
      texts.reportSettings,
      JSON.stringify({ ...settings, modelArgs: effectiveArgs(settings.modelArgs), taskFiles: settings.taskFiles.map(({ path }) => path) }),
    ],
    [texts.reportCommand, lmEvalCommand(settingsAsRun(manifest), settings.taskFiles.length === 0 ? null : 'tasks')],
    [texts.reportMade, fill(texts.reportMadeBy, { time: manifest.createdAt, version: app.version, build: app.build })],
  ]
  return html`<h2>${texts.reportRestsOn}</h2>
    <dl>
      ${entries.map(
        ([name, value]) =>
          html`<dt>${name}</dt>
            <dd>${untrusted(value)}</dd>`,
      )}
    </dl>`
}

function samples({ samples: byTask, withheld }: Report): readonly Markup[] {
  return [...byTask].map(([task, { views, total }]) => {
    const isWithheld = withheld.includes(task)
    return html`<h2>${texts.reportSamples} ${untrusted(task)}</h2>
      <p class="small">
        ${fill(texts.reportShown, { shown: formatCount(views.length), total: formatCount(total) })} ${isWithheld ? texts.withheld : null}
      </p>
      ${views.map((view) => sample(view, isWithheld))}`
  })
}

function sample(view: SampleView, isWithheld: boolean): Markup {
  const verdict = isRight(view)
  const mark = verdict === null ? '' : verdict ? `✓ ${texts.reportRight}` : `✕ ${texts.reportWrong}`
  const choices = view.choices.map(
    (choice, index) =>
      html`<tr>
        <th scope="row">${choiceName(index)} ${untrusted(choice.text)}</th>
        <td class="num">${formatNats(choice.logprob)}</td>
        <td>
          ${[
            view.gold.includes(index) ? texts.reportGold : '',
            view.picks?.acc === index ? 'acc' : '',
            view.picks?.acc_norm === index ? 'acc_norm' : '',
          ]
            .filter((one) => one !== '')
            .join(', ')}
        </td>
      </tr>`,
  )
  return html`<details>
    <summary>${view.docId} ${mark} ${isWithheld ? null : untrusted(lastParagraph(view.prompt).slice(0, 160))}</summary>
    ${
      isWithheld
        ? null
        : html`${untrustedLines(view.prompt)}
            <p class="small">${texts.reportTarget} ${untrusted(view.target)}</p>`
    }
    ${
      choices.length === 0
        ? null
        : html`<table>
            <tbody>
              ${choices}
            </tbody>
          </table>`
    }
    ${isWithheld ? null : view.generated.map(untrustedLines)}
  </details>`
}

function base64OfHex(hex: string): string {
  return btoa(hex.replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16))))
}
