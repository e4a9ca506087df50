/** The arms that run models: which models, on which devices, over which works, and the rows that come of it. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { append } from '../../src/base/arrays.ts'
import { launchBrowser } from '../../src/cli/browser/browser.ts'
import { describeMachine } from '../../src/cli/browser/gpu-switches.ts'
import { projectFolder } from '../../src/cli/browser/build.ts'
import { buildPage } from '../../src/cli/browser/page-build.ts'
import { localHubPath, serve } from '../../src/cli/browser/serve.ts'
import { startBrowserArm, type RunningArm } from './arms.ts'
import { checkpointFile } from './checkpoint-file.ts'
import { compareArms, docsThatDiffer, largestDifference, type ArmOutcome } from './compare-arms.ts'
import { startHarnessArm } from './harness-arm.ts'
import { serveModels, type BenchModel } from './model-files.ts'
import type { ArmName, BenchRow } from './rows.ts'
import { trieTokens } from './trie.ts'
import { makeWork, type BenchWork, type WorkName } from './works.ts'

export interface ModelBenchSettings {
  readonly models: readonly BenchModel[]
  readonly works: readonly WorkName[]
  readonly arms: readonly ArmName[]
  readonly docs: number
  readonly threads: number
  readonly seed: number
  /** For the arm `harness`, which is left out without one. */
  readonly python: string | null
  readonly say: (line: string) => void
}

/**
 * Docs on a software adapter, where a doc takes a minute: its counts and differences are what is looked at, and two docs share what there is to share.
 */
const softwareDocs = 2

/** Measures every model, work and arm that is asked for. On a software adapter only a few docs, and no long texts. */
export async function measureModels(settings: ModelBenchSettings): Promise<readonly BenchRow[]> {
  const settingsOf = (model: BenchModel): ModelBenchSettings => {
    if (model.device === 'wasm' || describeMachine().hasGpu) return settings
    return { ...settings, docs: Math.min(settings.docs, softwareDocs), works: settings.works.filter((work) => work !== 'generate_200') }
  }
  return withPage(settings, async (page) => {
    const rows: BenchRow[] = []
    for (const model of settings.models)
      for (const name of settingsOf(model).works) append(rows, await measureWork(page, model, name, settingsOf(model)))
    return rows
  })
}

/** The fast arm alone over ever more docs of mmlu_5shot, each number in a browser of its own: time should grow with them, memory not. */
export async function measureGrowth(settings: ModelBenchSettings, counts: readonly number[]): Promise<readonly BenchRow[]> {
  return withPage(settings, async (page) => {
    const rows: BenchRow[] = []
    for (const model of settings.models)
      for (const docs of counts) append(rows, await measureWork(page, model, 'mmlu_5shot', { ...settings, docs, arms: ['fast'] }))
    return rows
  })
}

interface BenchPage {
  readonly address: string
  /** As `ArmModel` has it. */
  readonly hub: string
}

async function withPage<T>({ models, say }: ModelBenchSettings, use: (page: BenchPage) => Promise<T>): Promise<T> {
  say('Building the page')
  const site = await buildPage(join(projectFolder, 'tools/bench/page'), 'bench-page')
  const server = await serve({ folder: site, port: 0, localHub: serveModels(models) })
  try {
    return await use({ address: server.address, hub: server.secret.slice(1) + localHubPath })
  } finally {
    await server.close()
    rmSync(site, { recursive: true })
  }
}

async function measureWork(
  { address, hub }: BenchPage,
  model: BenchModel,
  name: WorkName,
  settings: ModelBenchSettings,
): Promise<readonly BenchRow[]> {
  const { docs, threads, seed, python, say } = settings
  const work = makeWork(name, { docs, vocabularySize: vocabularySizeOf(model.folder), windowTokens: model.windowTokens, seed })
  const wanted = settings.arms.filter((arm) => {
    // Nothing can be grouped where texts are written, and the harness's CPU is measured once, beside WASM.
    if (arm === 'one_forward') return work.newTokens === 0
    if (arm === 'own') return existsSync(join(model.folder, checkpointFile))
    return arm !== 'harness' || (python !== null && model.device === 'wasm')
  })
  say(`${name}, ${docs} docs, ${model.id} ${model.dtype} on ${model.device}: ${wanted.join(', ')}`)
  const browser = await launchBrowser({ gpu: model.device === 'webgpu' ? 'hardware-or-software' : 'hardware', say })
  const arms = new Map<ArmName, RunningArm>()
  try {
    const files = { hub, folder: model.key, dtype: model.dtype, file: model.file }
    for (const arm of wanted) {
      if (arm === 'harness') {
        if (python !== null) arms.set(arm, await startHarnessArm(python, model.folder, threads))
        continue
      }
      // Of another graph than the reference arm's.
      const selfCheck = arm === 'own' ? null : (arms.get('reference')?.facts?.selfCheck ?? null)
      arms.set(arm, await startBrowserArm(browser, address, files, { arm, device: model.device, threads, selfCheck }))
    }
    for (const [arm, { facts }] of arms) {
      if (facts === null) continue
      if (arm !== 'reference' && facts.scoring !== 'fast')
        say(`The arm ${arm} scores by the reference path: ${facts.scoringReason ?? 'no reason is given'}.`)
      const { unpackedProducts: weights } = facts
      if (weights !== undefined) say(`  ${arm}: ${weights.unpacked} of ${weights.products} products unpacked, ${weights.bytes} bytes`)
    }
    const outcomes = await compareArms(work, arms)
    const trie = trieOf(work)
    const reference = outcomes.get('reference') ?? null
    const rows = [...outcomes].map(([arm, outcome]) =>
      rowOf({ arm, work, model, threads, trie, openingPeak: arms.get(arm)?.openingPeak ?? null, reference }, outcome),
    )
    say(`  ms a doc: ${rows.map((row) => `${row.arm} ${Math.round(row.ms / row.docs)}`).join(', ')}`)
    return rows
  } finally {
    await arms.get('harness')?.close()
    await browser.close()
  }
}

/** What a row says beside its arm's outcome. `reference`: the outcome that differences are to. */
interface RowFacts {
  readonly arm: ArmName
  readonly work: BenchWork
  readonly model: Pick<BenchModel, 'id' | 'device' | 'dtype'>
  readonly threads: number
  readonly trie: number
  readonly openingPeak: number | null
  readonly reference: ArmOutcome | null
}

/** An arm's outcome as a row. */
export function rowOf({ arm, work, model, threads, trie, openingPeak, reference }: RowFacts, outcome: ArmOutcome): BenchRow {
  const { usage, processorMs, peakBytes } = outcome
  return {
    work: work.name,
    arm,
    model: model.id,
    device: arm === 'harness' ? 'cpu' : model.device,
    dtype: arm === 'harness' ? 'fp32' : model.dtype,
    threads,
    docs: work.docs.length,
    ms: usage.ms,
    engine_ms: usage.engineMs,
    cpu_ms: processorMs,
    runs: usage.runs,
    tokens: usage.tokens,
    trie_tokens: trie,
    rows: usage.rows,
    bytes_read_back: usage.bytesReadBack,
    peak_bytes: peakBytes,
    opening_peak_bytes: openingPeak,
    max_abs_diff: reference === null ? null : largestDifference(outcome, reference),
    docs_that_differ: reference === null ? null : docsThatDiffer(outcome, reference),
  }
}

/** Tokens of all that must be run: inputs of scored pieces; prompts, and what is written after them but for its last token. */
export function trieOf({ docs, newTokens }: BenchWork): number {
  const inputs = docs.flatMap(({ requests, prompt }) => (prompt === null ? requests.flat().map(({ input }) => input) : [prompt]))
  return trieTokens(inputs) + docs.length * Math.max(0, newTokens - 1)
}

function vocabularySizeOf(folder: string): number {
  // A file that config.json's readers have checked; only its size is wanted.
  const { vocab_size: size } = JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')) as { readonly vocab_size: number }
  return size
}
