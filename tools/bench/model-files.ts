/** Models of the benchmark: where they are, and their files served below `/local-hub/`. */
import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { projectFolder } from '../../src/cli/browser/build.ts'
import { contentType } from '../../src/cli/browser/serve.ts'
import { blobsOf, insideOf } from '../../src/cli/browser/this-machine.ts'

/** A model on a device, as rows name it. */
export interface BenchModel {
  /** Unique; its name below `/local-hub/`. */
  readonly key: string
  readonly id: string
  readonly folder: string
  readonly dtype: string
  /** Below `onnx/`. */
  readonly file: string
  readonly device: 'wasm' | 'webgpu'
  /** Tokens of a window of rolling texts. */
  readonly windowTokens: number
}

const smollm2 = 'HuggingFaceTB/SmolLM2-135M-Instruct'

/** SmolLM2 of the folder that `build_hub.py` wrote, on WASM: the decomposed graph. */
export function smolModel(models: string): BenchModel {
  return {
    key: 'smollm2',
    id: smollm2,
    folder: join(models, smollm2),
    dtype: 'q4',
    file: 'model_q4.onnx',
    device: 'wasm',
    windowTokens: 2048,
  }
}

/** The embedded default model on both devices. */
export function embeddedModels(): readonly BenchModel[] {
  const resolved = join(projectFolder, 'public/hub/yardstick/pico/resolve')
  const commits = existsSync(resolved) ? readdirSync(resolved) : []
  const commit = commits.find((name) => existsSync(join(resolved, name, 'onnx/model_q4.onnx'))) ?? 'none'
  const model = { id: 'yardstick/pico', folder: join(resolved, commit), dtype: 'q4', file: 'model_q4.onnx', windowTokens: 512 }
  return [
    { key: 'embedded', device: 'wasm', ...model },
    { key: 'embedded-webgpu', device: 'webgpu', ...model },
  ]
}

/** The first file of a model that isn't there; null when all are. */
export function missingOf({ folder, file }: BenchModel): string | null {
  return [`onnx/${file}`, 'config.json'].map((name) => join(folder, name)).find((path) => !existsSync(path)) ?? null
}

/** Answers `/<key>/<path>` with the file of that model's folder. */
export function serveModels(models: readonly BenchModel[]): RequestListener {
  return (request, response) => {
    const [, key = '', ...rest] = new URL(request.url ?? '/', 'http://localhost').pathname.split('/')
    const folder = models.find((model) => model.key === key)?.folder
    const path = folder === undefined ? null : insideOf(folder, join(...rest), blobsOf(folder))
    if (path === null || !statSync(path).isFile()) {
      response.writeHead(404).end()
      return
    }
    response.writeHead(200, { 'Content-Type': contentType(rest.at(-1) ?? ''), 'Content-Length': statSync(path).size })
    if (request.method === 'HEAD') response.end()
    else createReadStream(path).pipe(response)
  }
}
