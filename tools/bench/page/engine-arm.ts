/** The arms that are this project's own engine. */
import { greedyItem } from '../../../src/contracts/items.ts'
import { ModelEngine, type EngineModel } from '../../../src/engines/engine.ts'
import { loadOrt } from '../../../src/engines/ort.ts'
import { writeTexts } from '../../../src/evaluation/model/write-text.ts'
import { checkpointFile } from '../checkpoint-file.ts'
import type { ArmModel, ArmOptions } from './arm-api.ts'
import { metered, type Meter } from './metered-ort.ts'
import type { OpenArm } from './transformers-arm.ts'

/** Opens the model as the model worker does; the self-check's runs aren't on the meter. */
export async function openEngine(
  model: ArmModel,
  { arm, device, threads, selfCheck, switches, longestRun }: ArmOptions,
  meter: Meter,
): Promise<OpenArm> {
  const gpu: GPU | undefined = navigator.gpu
  const engine = new ModelEngine({ loadOrt: async (provider, count) => metered(await loadOrt(provider, count), meter), gpu })
  const folder = `${self.location.origin}/${model.hub}/${model.folder}`
  const config = await (await fetchFile(`${folder}/config.json`)).text()
  const opened: EngineModel =
    arm === 'own'
      ? { checkpoint: [{ path: checkpointFile, bytes: await fetchFile(`${folder}/${checkpointFile}`) }], config }
      : { graph: await fetchFile(`${folder}/onnx/${model.file}`), externalData: await fetchExternal(folder, model), config }
  const scoring = arm === 'reference' ? 'reference' : 'fast'
  const facts = await engine.open(opened, {
    ...{ device, dtype: model.dtype, scoring, threads, selfCheck },
    ...(switches === undefined ? {} : { switches }),
    ...(longestRun === undefined ? {} : { longestRun }),
  })
  meter.reset()
  return {
    facts,
    engine,
    counted: async () => engine.stats(),
    async score(items, prefixes) {
      const answers = await engine.score(
        items.map(({ input, targets }) => ({
          input: Int32Array.from(input),
          targets: targets.map((target) => Int32Array.from(target)),
        })),
        prefixes,
      )
      return answers.map((answer) => answer.answers.map(({ logprob }) => logprob))
    },
    async write(prompts, newTokens, prefixes) {
      const texts = await writeTexts(
        prompts.map((prompt) => greedyItem(prompt, newTokens)),
        { begin: () => undefined, look: async () => null },
        {
          begin: async (items) => engine.beginGeneration(items, prefixes),
          next: async (limit, ended) => engine.continueGeneration(limit, ended),
          end: async () => engine.endGeneration(),
        },
      )
      return texts.map(({ tokens }) => [...tokens])
    },
  }
}

function fetchExternal(folder: string, { externalFiles = [] }: ArmModel): Promise<{ readonly path: string; readonly bytes: Blob }[]> {
  return Promise.all(externalFiles.map(async (path) => ({ path, bytes: await fetchFile(`${folder}/onnx/${path}`) })))
}

/** As the app has it: bytes that belong to the browser and are read part by part. */
async function fetchFile(address: string): Promise<Blob> {
  const response = await fetch(address)
  if (!response.ok) throw new Error(`${address}: ${response.status}`)
  return response.blob()
}
