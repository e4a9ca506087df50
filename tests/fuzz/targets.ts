/** Everything that the fuzzer can be aimed at: a name, a seed and a number make one input, always the same. */
import { fuzzFormats, makeCase, type FuzzFormat } from './cases.ts'
import { randomOf } from './random.ts'
import { runCase } from './run-case.ts'
import { judge, type CaseResult, type FuzzTarget } from './target.ts'
import { ggufTarget } from './targets/gguf-target.ts'
import { onnxTarget } from './targets/onnx-target.ts'
import { regexTarget } from './targets/regex-target.ts'
import { runTarget } from './targets/run-target.ts'
import { safetensorsTarget } from './targets/safetensors-target.ts'
import { templateTarget } from './targets/template-target.ts'
import { tokenizerTarget } from './targets/tokenizer-target.ts'
import { yamlTarget } from './targets/yaml-target.ts'

export const inputTargets = ['yaml', 'template', 'regex', 'tokenizer', 'onnx', 'run', 'safetensors', 'gguf'] as const
export type InputTarget = (typeof inputTargets)[number]

/** Data files first, by their formats. */
export const targetNames = [...fuzzFormats, ...inputTargets] as const
export type TargetName = (typeof targetNames)[number]

/** An input that can be run, and kept as a file. */
export interface Prepared {
  readonly name: string
  readonly bytes: Uint8Array
  readonly run: () => Promise<CaseResult>
}

const isFormat = (target: TargetName): target is FuzzFormat => fuzzFormats.some((format) => format === target)

/** Input `index` of a target. */
export async function prepare(seed: string, target: TargetName, index: number): Promise<Prepared> {
  if (isFormat(target)) {
    const one = makeCase(seed, target, index)
    return { name: one.name, bytes: one.bytes, run: () => runCase(one) }
  }
  const random = randomOf(seed, target, index)
  switch (target) {
    case 'yaml':
      return from(yamlTarget, random)
    case 'template':
      return from(templateTarget, random)
    case 'regex':
      return from(regexTarget, random)
    case 'tokenizer':
      return from(tokenizerTarget, random)
    case 'onnx':
      return from(onnxTarget, random)
    case 'run':
      return from(runTarget, random)
    case 'safetensors':
      return from(safetensorsTarget, random)
    case 'gguf':
      return from(ggufTarget, random)
  }
}

async function from<Data>(target: FuzzTarget<Data>, random: ReturnType<typeof randomOf>): Promise<Prepared> {
  const { data, name, bytes } = await target.make(random)
  return { name, bytes, run: () => judge(() => target.run(data)) }
}

/** Targets whose inputs hold regular expressions. */
export const backtracking: ReadonlySet<TargetName> = new Set(['template', 'regex', 'tokenizer'])
