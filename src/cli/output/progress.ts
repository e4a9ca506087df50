/** A run's events as text on standard error: one line that is rewritten on a terminal, a line now and then elsewhere. */
import { DownloadProgress, type DownloadTotals } from '../../app/setup/download-progress.ts'
import type { EngineFacts } from '../../contracts/engine.ts'
import type { Phase, RunEvent } from '../../contracts/progress.ts'
import { visible } from './terminal.ts'

export interface ProgressOutput {
  readonly isTerminal: boolean
  readonly columns: number
  write(text: string): void
  /** Monotonic milliseconds. */
  now(): number
}

/** The process's standard error. */
export function standardError(): ProgressOutput {
  const { stderr } = process
  return { isTerminal: stderr.isTTY, columns: stderr.columns, write: (text) => stderr.write(text), now: () => performance.now() }
}

export interface Progress {
  /** A line that stays. */
  say(line: string): void
  show(event: RunEvent): void
  /** Leaves the rewritten line, so that other output starts on a fresh one. */
  end(): void
}

const phaseNames: { readonly [phase in Phase]: string } = {
  tasks: 'Reading the tasks',
  data: 'Loading the data',
  model: 'Loading the model',
  'self-check': 'Checking the adapter against WASM',
  score: 'Scoring',
  results: 'Computing the results',
}

/** Without a terminal a line at most every so many milliseconds. */
const quietMs = 10_000

export function createProgress(output: ProgressOutput): Progress {
  let isOpen = false
  let lastLineMs = -Infinity
  let lastReason: string | null = null
  const downloads = new DownloadProgress()
  let scoring: { readonly sinceMs: number; readonly kept: number } | null = null

  const end = (): void => {
    if (isOpen) output.write('\n')
    isOpen = false
  }
  const say = (line: string): void => {
    if (isOpen) output.write('\r\x1b[K')
    isOpen = false
    output.write(`${visible(line)}\n`)
  }
  const update = (text: string, isLast: boolean): void => {
    // One line, since it is rewritten.
    const line = visible(text).replaceAll('\n', '\\n')
    if (output.isTerminal) {
      output.write(`\r\x1b[K${line.slice(0, Math.max(20, output.columns - 1))}`)
      isOpen = true
    } else if (isLast || output.now() - lastLineMs >= quietMs) {
      lastLineMs = output.now()
      output.write(`${line}\n`)
    }
  }

  return {
    say,
    end,
    show: (event) => {
      if (event.type !== 'waiting' && event.type !== 'warning') lastReason = null
      switch (event.type) {
        case 'phase':
          if (event.phase === 'score') scoring = null
          say(phaseNames[event.phase])
          break
        case 'bytes':
          downloads.add(event, output.now())
          update(downloadLine(event, downloads.totals()), false)
          break
        case 'started':
          say(`Run ${event.runId}: ${event.docsTotal} docs, ${event.requestsTotal} requests`)
          break
        case 'engine':
          for (const line of describeEngine(event.facts)) say(line)
          break
        case 'progress': {
          const computed = event.requestsDone - event.requestsKept
          scoring ??= { sinceMs: output.now(), kept: computed }
          const rate = ratePerSecond(computed - scoring.kept, output.now() - scoring.sinceMs)
          update(progressLine(event, rate), event.requestsDone === event.requestsTotal)
          break
        }
        case 'generating':
          update(generationLine(event), false)
          break
        case 'note':
          say(event.message)
          break
        case 'warning':
          say(`Warning: ${event.message}`)
          break
        case 'waiting':
          // A countdown comes each second: the reason is said once, the seconds are the line that is rewritten.
          if (event.message !== lastReason) say(event.message)
          lastReason = event.message
          if (event.seconds !== null) update(`  going on in ${formatSeconds(event.seconds)}`, false)
          break
        case 'done':
          end()
          break
      }
    },
  }
}

function downloadLine(event: Extract<RunEvent, { type: 'bytes' }>, totals: DownloadTotals): string {
  const ofTotal = (loaded: number, total: number | null): string =>
    `${formatBytes(loaded)}${total === null ? '' : ` of ${formatBytes(total)}`}`
  const { bytesPerSecond, secondsLeft } = totals
  const parts = [
    `  ${ofTotal(totals.loaded, totals.total)}`,
    ...(bytesPerSecond === null || bytesPerSecond <= 0 ? [] : [`${formatBytes(Math.round(bytesPerSecond))}/s`]),
    ...(secondsLeft === null || secondsLeft === 0 ? [] : [`${formatSeconds(secondsLeft)} left`]),
    totals.files === 1 ? event.file : `${event.file} ${ofTotal(event.loaded, event.total)}`,
  ]
  return parts.join(' · ')
}

function ratePerSecond(requests: number, ms: number): number | null {
  return requests > 0 && ms > 500 ? (requests * 1000) / ms : null
}

function progressLine(event: Extract<RunEvent, { type: 'progress' }>, rate: number | null): string {
  const left = event.requestsTotal - event.requestsDone
  const parts = [
    `  docs ${event.docsDone}/${event.docsTotal}`,
    `requests ${event.requestsDone}/${event.requestsTotal}${event.requestsKept > 0 ? ` (${event.requestsKept} kept)` : ''}`,
    ...(rate === null ? [] : [`${rate.toFixed(1)} requests/s`]),
    ...(rate === null || left === 0 ? [] : [`${formatSeconds(left / rate)} left`]),
    ...event.scores
      .slice(0, 2)
      .map((score) => `${score.task} ${score.metric} ${score.value.toFixed(3)} [${score.low.toFixed(2)}, ${score.high.toFixed(2)}]`),
  ]
  return parts.join(' · ')
}

function generationLine({ task, docId, tokens, maxTokens, tokensPerSecond }: Extract<RunEvent, { type: 'generating' }>): string {
  const rate = tokensPerSecond === null ? 'reading the prompt' : `${tokensPerSecond.toFixed(1)} tokens/s`
  return `  ${task} doc ${docId} · ${tokens} of at most ${maxTokens} tokens · ${rate}`
}

/** Device and dtype, why this device, and what the self-check said. */
function describeEngine(facts: EngineFacts): string[] {
  const adapter =
    facts.adapter === null
      ? ''
      : ` on ${[facts.adapter.vendor, facts.adapter.architecture, facts.adapter.description].filter((part) => part !== '').join(' ')}`
  return [
    `Model: ${facts.dtype}, ${facts.device}${adapter}, ${facts.threads} thread${facts.threads === 1 ? '' : 's'}, scoring ${facts.scoring}${facts.deviceReason === '' ? '' : ` (${facts.deviceReason})`}`,
    ...(facts.selfCheck.status === 'skipped' ? [] : [`Self-check ${facts.selfCheck.status}: ${facts.selfCheck.message}`]),
    ...(facts.isDynamicallyQuantised
      ? ['This graph quantises its activations: a score depends on what shares its forward pass, so each sequence has its own.']
      : []),
  ]
}

export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(0)} kB`
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`
}

export function formatSeconds(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`
}
