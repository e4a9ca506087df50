/** `npm run bench -- --gpu`: all parts, from the adapter's facts to a whole MMLU. */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { projectFolder } from '../../../src/cli/browser/build.ts'
import { buildPage } from '../../../src/cli/browser/page-build.ts'
import { localHubPath, serve } from '../../../src/cli/browser/serve.ts'
import { callerFolder } from '../../../src/cli/files/caller-folder.ts'
import type { AdapterFacts } from '../../../src/contracts/model-session.ts'
import { nameOf } from '../../../src/engines/device.ts'
import { needsShaderF16 } from '../../../src/engines/graph/dtypes.ts'
import type { BenchFlags } from '../args.ts'
import { checkpointFile } from '../checkpoint-file.ts'
import { findHarnessPython, hasCuda } from '../harness-arm.ts'
import { serveModels } from '../model-files.ts'
import type { BenchRow } from '../rows.ts'
import { ArmPages } from './arms.ts'
import { Collected } from './collected.ts'
import { goldenFileOf, scoreGoldens } from './goldens.ts'
import { readCard, startGpuBrowser } from './machine.ts'
import { measureGroup, openArm, type GroupSettings } from './measure-group.ts'
import { embeddedGpuModels, gpuModel, type GpuModel } from './models/gpu-model.ts'
import type { MadeDtype } from './models/graph-weights.ts'
import { MadeWeights } from './models/made-weights.ts'
import { parametersOf, shapes, tinyShape, type ShapeConfig } from './models/shapes.ts'
import { madeForms, writeModel, type MadeForm } from './models/write-model.ts'
import { peakOf } from './peaks.ts'
import type { GpuReport } from './report.ts'
import { targetsOf } from './targets.ts'

type Say = (line: string) => void

/** Lengths of `--quick`: a prefix of mmlu_5shot has 15 tokens then, and passes stay below 32, from which on SwiftShader's GroupQueryAttention is wrong. */
const quickScale = 1 / 40
/** MMLU's longest prefix has 2,485 tokens. */
const quickMmluScale = 1 / 400

/** Tokens of a pass: SwiftShader's GroupQueryAttention is wrong in the first of this length, which the self-check is to find. */
const quickPass = 32
/** Every so many of the goldens' requests. */
const quickGoldens = 16

/** V8's optimising compiler works while the model runs, and costs more than a short run itself. */
const quickCompiler = ['--js-flags=--liftoff-only']

/** Runs all parts that this machine can. What can't be run is among `skipped`, what is wrong among `faults`. */
export async function measureGpu(flags: BenchFlags, say: Say): Promise<{ readonly gpu: GpuReport; readonly arms: readonly BenchRow[] }> {
  const found = new Collected(flags.gpu.minutes, say)
  say('Building the page')
  const site = await buildPage(join(projectFolder, 'tools/bench/page'), 'bench-page')
  const models: GpuModel[] = []
  const server = await serve({ folder: site, port: 0, localHub: serveModels(models) })
  const float16 = flags.gpu.dtypes.some(needsShaderF16)
  const args = flags.quick ? quickCompiler : []
  try {
    const browser = await startGpuBrowser(server.address, { unsafe: flags.gpu.unsafe, float16, args, say })
    try {
      const { version, switches, note } = browser
      const place = {
        address: server.address,
        hub: server.secret.slice(1) + localHubPath,
        threads: flags.threads,
        switches,
        ...(flags.quick ? { longestRun: quickPass } : {}),
      }
      const pages = new ArmPages(browser.context, place)
      const adapter = await pages.describeAdapter()
      const card = readCard()
      const tflops = flags.gpu.peakTflops ?? peakOf(card?.name ?? adapter?.description ?? null)
      await measureParts({ pages, models, adapter, flags, tflops, say }, found)
      const { rows, made, checks, goldens, mmlu, skipped, faults } = found
      const targets = targetsOf(rows, mmlu)
      const gpu = {
        adapter,
        card,
        browser: version,
        switches,
        note,
        peak_tflops: tflops,
        made,
        checks,
        goldens,
        mmlu,
        targets,
        skipped,
        faults,
      }
      return { gpu, arms: rows }
    } finally {
      await browser.close()
    }
  } finally {
    await server.close()
    rmSync(site, { recursive: true })
  }
}

interface Setting {
  readonly pages: ArmPages
  /** What the server answers with; grows as models are made. */
  readonly models: GpuModel[]
  readonly adapter: AdapterFacts | null
  readonly flags: BenchFlags
  readonly tflops: number | null
  readonly say: Say
}

async function measureParts(setting: Setting, found: Collected): Promise<void> {
  const { adapter, flags } = setting
  if (adapter === null) {
    found.skip('everything', 'this browser offers no WebGPU adapter')
    return
  }
  const isQuick = flags.quick || adapter.isFallback
  if (!flags.quick && adapter.isFallback)
    found.skip('models of real shapes', `the only adapter is a software one (${nameOf(adapter)}): all is done as with --quick`)
  await measureEmbedded(setting, isQuick ? ['q4'] : ['fp32', 'q4'], isQuick, found)
  if (isQuick)
    found.skip(
      'real shapes, other dtypes',
      '--quick: a made model of two layers in fp32, of its GroupQueryAttention graph the loop alone, and the embedded model as such a graph in q4',
    )
  const python = findPython(flags, isQuick, found)
  const group: GroupSettings = {
    ...{ works: flags.works, arms: isQuick ? flags.arms.filter((arm) => arm !== 'one_forward') : flags.arms },
    ...{ docs: flags.docs, seed: flags.seed, threads: flags.threads, tflops: setting.tflops, python },
    ...(isQuick
      ? { scale: quickScale, mmluScale: quickMmluScale, mmluDocsPerSubject: 1 }
      : { scale: 1, mmluScale: 1, mmluDocsPerSubject: Infinity }),
  }
  if (isQuick) {
    await measureShape(setting, { id: 'random/tiny', config: tinyShape, dtype: 'fp32' }, group, found)
    return
  }
  for (const shape of flags.gpu.shapes)
    for (const [place, dtype] of flags.gpu.dtypes.entries()) {
      const name = `random/${shape}`
      if (needsShaderF16(dtype) && !adapter.hasShaderF16) found.skip(`${name} ${dtype}`, 'this adapter has no shader-f16')
      else
        // lm_eval has one dtype, the checkpoint's: once a shape is enough.
        await measureShape(
          setting,
          { id: name, config: shapes[shape], dtype },
          { ...group, python: place === 0 ? group.python : null },
          found,
        )
    }
}

/** Null where lm_eval can't be asked, which is said where it was to be. */
function findPython({ arms }: BenchFlags, isQuick: boolean, found: Collected): string | null {
  if (!arms.includes('harness')) return null
  const part = "lm_eval on torch's CUDA"
  const python = isQuick ? null : findHarnessPython()
  if (isQuick) found.skip(part, '--quick: there is no GPU for it to be compared on')
  else if (python === null) found.skip(part, 'no Python with lm_eval and torch: name one with YARDSTICK_PYTHON')
  else if (!hasCuda(python)) found.skip(part, `torch of ${python} finds no CUDA device`)
  else return python
  return null
}

/** Parts a and d on the embedded model's two exported families. */
async function measureEmbedded(
  { pages, models, flags }: Setting,
  dtypes: readonly ('fp32' | 'q4')[],
  isQuick: boolean,
  found: Collected,
): Promise<void> {
  for (const dtype of dtypes) {
    const embedded = embeddedGpuModels(dtype)
    if (embedded.length < 2) found.skip(`the embedded model in ${dtype}`, `found ${embedded.length} of its two families below public/hub`)
    for (const model of embedded) {
      // An opening takes 10 to 20 s of processor time on a software adapter: our engine opens the other family as the made model.
      if (isQuick && model.form !== 'gqa') continue
      models.push(model)
      const arm = await openArm(pages, 'fast', model, found)
      if (arm === null) continue
      const file = goldenFileOf(model)
      const part = `${model.id} ${dtype}: goldens`
      if (file === null) found.skip(part, 'tests/goldens/embedded/ort has none of it')
      else {
        const row = await found.part(part, () => scoreGoldens(arm, model, file, flags.quick ? quickGoldens : 1))
        if (row !== null) {
          found.goldens.push(row)
          if (!(row.max_abs_diff <= row.tolerance)) found.fault(`${part}: off by ${row.max_abs_diff} nats, ${row.tolerance} are allowed`)
        }
      }
      await arm.close()
    }
  }
}

/** Parts a to c on a made model: its exported families, and our own graph beside the first of them. One model is on the disk at a time. */
async function measureShape(
  setting: Setting,
  { id, config, dtype }: { readonly id: string; readonly config: ShapeConfig; readonly dtype: MadeDtype },
  group: GroupSettings,
  found: Collected,
): Promise<void> {
  const { pages, models, flags } = setting
  const given = flags.gpu.folder
  const root = given === null ? mkdtempSync(join(tmpdir(), 'yardstick-models-')) : resolve(callerFolder(), given)
  const folder = join(root, `${id.replace('/', '-')}-${dtype}`)
  try {
    const forms = await found.part(`${id} ${dtype}: making it`, () =>
      Promise.resolve(makeForms(folder, { id, config, dtype, seed: flags.seed }, found)),
    )
    if (forms === null) return
    for (const model of forms.values()) models.push(model)
    for (const form of ['decomposed', 'gqa'] as const) {
      const exported = forms.get(form)
      const own = form === 'decomposed' ? (forms.get('own') ?? null) : null
      // Our engine has opened the embedded model of this family before.
      const arms = flags.quick && form === 'gqa' ? group.arms.filter((arm) => arm === 'naive') : group.arms
      if (exported !== undefined) await measureGroup(pages, { exported, own, parameters: parametersOf(config) }, { ...group, arms }, found)
    }
  } finally {
    if (!flags.gpu.keepsModels) rmSync(given === null ? root : folder, { recursive: true, force: true })
  }
}

function makeForms(
  folder: string,
  { id, config, dtype, seed }: { readonly id: string; readonly config: ShapeConfig; readonly dtype: MadeDtype; readonly seed: number },
  found: Collected,
): ReadonlyMap<MadeForm, GpuModel> {
  const start = performance.now()
  const weights = new MadeWeights(config, seed)
  let bytes = 0
  const forms = new Map(
    madeForms.map((form) => {
      const place = join(folder, form)
      const files = writeModel(place, form, dtype, config, weights)
      for (const file of form === 'own' ? [checkpointFile] : files.map((name) => join('onnx', name)))
        bytes += statSync(join(place, file)).size
      return [form, gpuModel(place, { id, form, dtype })] as const
    }),
  )
  found.made.push({ model: id, dtype, parameters: parametersOf(config), bytes, ms: performance.now() - start })
  return forms
}
