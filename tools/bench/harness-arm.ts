/** The arm `harness`: the real lm-evaluation-harness in a Python process, if there is one. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { projectFolder } from '../../src/cli/browser/build.ts'
import { childEnvironment } from '../../src/cli/browser/child-environment.ts'
import type { RunningArm } from './arms.ts'
import type { Scored, Written } from './page/arm-api.ts'
import { processorMs, residentBytes } from './renderer-memory.ts'

/** A Python that has lm_eval and torch: `YARDSTICK_PYTHON`, else that of `.oracle`, else `python3`; null when none has. */
export function findHarnessPython(): string | null {
  const named = process.env['YARDSTICK_PYTHON']
  const candidates = named === undefined || named === '' ? [join(projectFolder, '.oracle/bin/python'), 'python3'] : [named]
  return (
    candidates.find((python) => {
      if (python.includes('/') && !existsSync(python)) return false
      const probe = 'import importlib.util as u, sys; sys.exit(0 if u.find_spec("lm_eval") and u.find_spec("torch") else 1)'
      return spawnSync(python, ['-c', probe], { env: childEnvironment() }).status === 0
    }) ?? null
  )
}

/** Whether a Python's torch can use a GPU. */
export function hasCuda(python: string): boolean {
  const probe = 'import sys, torch; sys.exit(0 if torch.cuda.is_available() else 1)'
  return spawnSync(python, ['-c', probe], { env: childEnvironment() }).status === 0
}

/** Where the harness computes, and in which dtype; `auto`: the checkpoint's, as a user gets who says nothing. */
export interface HarnessPlace {
  readonly device: 'cpu' | 'cuda'
  readonly dtype: 'float32' | 'auto'
}

/** Opens the model in `folder` (config.json, tokenizer, model.safetensors), one doc's requests a call. */
export async function startHarnessArm(
  python: string,
  folder: string,
  threads: number,
  place: HarnessPlace = { device: 'cpu', dtype: 'float32' },
): Promise<RunningArm> {
  const child = spawn(python, [join(import.meta.dirname, 'harness.py')], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: childEnvironment({ OMP_NUM_THREADS: String(threads), HF_HUB_OFFLINE: '1', TOKENIZERS_PARALLELISM: 'false' }),
  })
  let complaints = ''
  child.stderr.on('data', (chunk: Buffer) => {
    complaints = (complaints + chunk.toString()).slice(-2000)
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]() as AsyncIterator<string, undefined>
  const call = async (request: object): Promise<unknown> => {
    child.stdin.write(`${JSON.stringify(request)}\n`)
    const line = await lines.next()
    if (line.done === true) throw new Error(`The harness ended: ${complaints.trim().split('\n').at(-1) ?? ''}`)
    const answer: unknown = JSON.parse(line.value)
    if (typeof answer === 'object' && answer !== null && 'error' in answer) throw new Error(`The harness failed: ${String(answer.error)}`)
    return answer
  }
  // Our own script on the other side: what it answers is written in its head.
  const arm: RunningArm = {
    facts: null,
    score: async (items) => (await call({ score: items })) as Scored,
    write: async (prompts, newTokens) => (await call({ write: prompts, newTokens })) as Written,
    memory: () => (child.pid === undefined ? null : residentBytes([child.pid])),
    processor: () => (child.pid === undefined ? null : processorMs([child.pid])),
    openingPeak: null,
    close: async () => {
      child.kill()
    },
  }
  try {
    await call({ open: folder, threads, ...place })
  } catch (error) {
    await arm.close()
    throw error
  }
  return arm
}
