/** `npm run parity`: every golden of the harness, run through the built app in headless Chromium and compared. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { maxOf } from '../../src/base/arrays.ts'
import { projectFolder } from '../../src/cli/browser/build.ts'
import { hubBelow } from '../../src/cli/browser/local-hub.ts'
import { commandLineOrigin } from '../../src/cli/browser/origin.ts'
import { localHubPath } from '../../src/cli/browser/serve.ts'
import { openSession, type Session, type SessionOptions } from '../../src/cli/browser/session.ts'
import { listenForInterrupt } from '../../src/cli/commands/interrupt.ts'
import { callerFolder } from '../../src/cli/files/caller-folder.ts'
import { UsageError } from '../../src/cli/flags/flag-values.ts'
import { createProgress, standardError, type Progress } from '../../src/cli/output/progress.ts'
import { describeError, reportError } from '../../src/cli/output/report-error.ts'
import { complain, print } from '../../src/cli/output/terminal.ts'
import type { HubAccess } from '../../src/contracts/hub-access.ts'
import { makeTaskPack } from '../../tools/build/task-pack.ts'
import { formatParityHelp, parseParityArgs, type ParityOptions } from './args.ts'
import { MissingPieceError, readGoldens, type Golden } from './goldens.ts'
import { addressOf, dataFilesOf, modelOf, runGolden, settingsOf } from './run.ts'
import { didPass, formatHead, formatOutcome, type Outcome } from './table.ts'
import { bundledSelector, findHarnessTasks, openTaskLibrary, taskSelector, type TaskSelection } from './tasks.ts'

const exitCodes = { failed: 1, usage: 2, stopped: 130 } as const

/** A golden with everything that its run needs, or why it can't run. */
type Prepared =
  | { readonly golden: Golden; readonly model: string; readonly selection: TaskSelection; readonly dataFiles: ReadonlyMap<string, string> }
  | { readonly golden: Golden; readonly reason: string }

interface Places {
  readonly goldens: string
  readonly datasets: string
  readonly models: string
}

/** The folders of the options or their defaults. Throws MissingPieceError for one that isn't there. */
function findPlaces(options: ParityOptions): Places {
  const given = (folder: string | null, fallback: string): string =>
    folder === null ? resolve(projectFolder, fallback) : resolve(callerFolder(), folder)
  const datasets = given(options.datasets, '../shared/hub')
  if (!existsSync(join(datasets, 'datasets')))
    throw new MissingPieceError(`The datasets are missing: there is no folder ${join(datasets, 'datasets')} (--datasets names another).`)
  const models = options.models ?? process.env['YARDSTICK_MODELS'] ?? ''
  if (models === '')
    throw new MissingPieceError('The models are missing: --models or YARDSTICK_MODELS names the folder that holds them as OWNER/NAME.')
  if (!existsSync(resolve(callerFolder(), models)))
    throw new MissingPieceError(`The models are missing: there is no folder ${resolve(callerFolder(), models)} (--models names another).`)
  return { goldens: given(options.goldens, '../shared/goldens/smollm2-135m-instruct'), datasets, models: resolve(callerFolder(), models) }
}

function findModel(golden: Golden, options: ParityOptions, places: Places): string {
  const model = options.model ?? modelOf(golden)
  if (existsSync(join(places.models, model))) return model
  throw new MissingPieceError(`The model ${model} is missing: there is no folder ${join(places.models, model)} (--models, --model).`)
}

/** Settles model, task files and data files of every golden. Throws MissingPieceError when a piece is missing that many need. */
function prepareAll(options: ParityOptions, places: Places): Prepared[] {
  const goldens = readGoldens(places.goldens, options.ids)
  if (options.tasks === 'bundled') return prepareBundled(goldens, options, places)
  const folder = findHarnessTasks(options.includePath === null ? null : resolve(callerFolder(), options.includePath))
  const select = taskSelector(folder === null ? null : openTaskLibrary(folder))
  return goldens.map((golden) => {
    const model = findModel(golden, options, places)
    try {
      const selection = select(golden)
      return { golden, model, selection, dataFiles: dataFilesOf(selection, places.datasets) }
    } catch (error) {
      if (error instanceof MissingPieceError) throw error
      return { golden, reason: describeError(error) }
    }
  })
}

/** The same for the bundled tasks; what isn't bundled is left out unless it was asked for by its id. */
function prepareBundled(goldens: readonly Golden[], options: ParityOptions, places: Places): Prepared[] {
  const select = bundledSelector(makeTaskPack(join(projectFolder, 'public', 'tasks')))
  return goldens.flatMap((golden): Prepared[] => {
    try {
      return [{ golden, model: findModel(golden, options, places), selection: select(golden), dataFiles: new Map() }]
    } catch (error) {
      if (!(error instanceof MissingPieceError) || options.ids !== null) throw error
      return []
    }
  })
}

async function runAll(options: ParityOptions, progress: Progress, print: (line: string) => void): Promise<number> {
  const places = findPlaces(options)
  const all = prepareAll(options, places)
  const addresses = new Map(
    [...new Set(all.flatMap((each) => ('reason' in each ? [] : [...each.dataFiles.values()])))].map((file, index) => [
      file,
      addressOf(file, index),
    ]),
  )
  let session: Session | null = null
  const interrupt = listenForInterrupt(() => {
    // Ends the run that is waited for: its page is gone.
    session?.close().catch(() => undefined)
  })
  const localHub = hubBelow({
    modelRoots: [places.models],
    datasetRoots: [join(places.datasets, 'datasets')],
    // The slice lies under the name of its repository elsewhere.
    datasets: { 'Neo111x/DFIR-Metric': join(places.datasets, 'datasets', 'DFIR-Metric', 'DFIR-Metric') },
  })
  const access: HubAccess = { base: commandLineOrigin + localHubPath, token: null, localModels: {} }
  const sessionOptions: SessionOptions = {
    gpu: { use: options.device === 'webgpu' ? 'hardware-or-software' : 'hardware', unsafe: false, float16: false },
    access,
    localHub,
    localFiles: new Map([...addresses].map(([file, address]) => [address, file])),
    say: (line) => {
      progress.say(line)
    },
    signal: interrupt.signal,
  }
  const idWidth = maxOf(
    all.map(({ golden }) => golden.id.length),
    2,
  )
  let passed = 0
  try {
    print(formatHead(idWidth))
    for (const each of all) {
      const startMs = performance.now()
      let outcome: Outcome
      if ('reason' in each) outcome = each
      else {
        session ??= await openSession(sessionOptions)
        outcome = await runOne(session, each, options, addresses, progress)
        if (interrupt.signal.aborted) return exitCodes.stopped
        if ('isDead' in outcome) {
          await session.close()
          session = null
        }
      }
      progress.end()
      print(formatOutcome(each.golden.id, idWidth, (performance.now() - startMs) / 1000, outcome))
      if (didPass(outcome)) passed++
    }
  } catch (error) {
    if (interrupt.signal.aborted) return exitCodes.stopped
    throw error
  } finally {
    await session?.close()
    interrupt.release()
  }
  print(`${passed} passed, ${all.length - passed} failed`)
  return passed === all.length ? 0 : exitCodes.failed
}

/** Runs one golden; an error is its outcome, with `isDead` when the page went with it. */
async function runOne(
  session: Session,
  { golden, model, selection, dataFiles }: Exclude<Prepared, { readonly reason: string }>,
  { dtype, device, scoring }: ParityOptions,
  addresses: ReadonlyMap<string, string>,
  progress: Progress,
): Promise<Outcome | { readonly reason: string; readonly isDead: true }> {
  progress.say(`--- ${golden.id}`)
  const served = Object.fromEntries([...dataFiles].map(([path, file]) => [path, addresses.get(file) ?? '']))
  try {
    const settings = settingsOf(golden, { model, dtype, device, scoring }, selection, served)
    return {
      comparison: await runGolden(session, golden, settings, (event) => {
        progress.show(event)
      }),
    }
  } catch (error) {
    const reason = describeError(error)
    // Whether the page has gone shows a moment after the call that failed with it.
    const isDead = await Promise.race([session.died.catch(() => true), sleep(500, false)])
    return isDead ? { reason: 'The browser or its page ended during the run (out of memory, most often).', isDead } : { reason }
  }
}

async function main(argv: readonly string[]): Promise<number> {
  const options = parseParityArgs(argv)
  if (options.help) {
    print(formatParityHelp())
    return 0
  }
  return runAll(options, createProgress(standardError()), print)
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    if (error instanceof MissingPieceError) complain(`${error.message}\n`)
    else reportError(error, complain)
    process.exitCode = error instanceof UsageError ? exitCodes.usage : exitCodes.failed
  },
)
