/** Configuration files of runs as text: the way back from `run-config.ts`. */
import type { Json } from '../base/errors.ts'
import type { RunSettings } from '../contracts/run-settings.ts'
import { yamlString } from '../python/yaml/write.ts'
import { effectiveArgs } from './model-args.ts'

type Entries = readonly (readonly [key: string, value: Json])[]

const defaultSeeds = [0, 1234, 1234, 1234]

/** Torch's name for weights that it can load; null for ONNX's quantised ones, which it has no counterpart of. */
export function torchDtype(dtype: string | null): string | null {
  return { fp32: 'float32', fp16: 'float16' }[dtype ?? ''] ?? null
}

/** The model arguments of a run in the harness's words: `pretrained`, `revision`, `dtype` as they ran, then those given that took effect. */
export function harnessModelArgs(settings: Pick<RunSettings, 'model' | 'revision' | 'dtype' | 'modelArgs'>): {
  readonly [key: string]: Json
} {
  const dtype = torchDtype(settings.dtype)
  return {
    pretrained: settings.model,
    ...(settings.revision === 'main' ? {} : { revision: settings.revision }),
    ...(dtype === null ? {} : { dtype }),
    // One file of a repository of several.
    ...(settings.dtype?.endsWith('.gguf') === true ? { gguf_file: settings.dtype } : {}),
    ...effectiveArgs(settings.modelArgs),
  }
}

/** A run as the harness's `--config` file: what differs from its defaults, in its order of keys. `includePath` for tasks of one's own. */
export function formatRunConfig(settings: RunSettings, includePath: string | null = null): string {
  const { random, numpy, torch, fewshot } = settings.seeds
  const seeds = [random, numpy, torch, fewshot]
  const entries: Entries = [
    ['model', 'hf'],
    ['model_args', harnessModelArgs(settings)],
    ['tasks', settings.tasks],
    ['num_fewshot', settings.numFewshot],
    ['limit', settings.limit],
    ['samples', settings.samples],
    ['log_samples', true],
    ['output_path', 'results'],
    ['predict_only', settings.predictOnly],
    ['system_instruction', settings.systemInstruction],
    ['apply_chat_template', settings.applyChatTemplate],
    ['fewshot_as_multiturn', settings.fewshotAsMultiturn],
    ['include_path', includePath],
    ['gen_kwargs', settings.genKwargs],
    ['seed', seeds.every((seed, index) => seed === defaultSeeds[index]) ? null : seeds],
    ['metadata', settings.metadata],
  ]
  // False differs from "not given" for this one key alone.
  return toYaml(entries.filter(([key, value]) => !isDefault(value) || (key === 'fewshot_as_multiturn' && value === false)))
}

/** The model as the African-language suite's `--model-config-yaml`. */
export function formatModelConfig(settings: Pick<RunSettings, 'model' | 'revision' | 'dtype' | 'modelArgs'>): string {
  const { pretrained, ...rest } = harnessModelArgs(settings)
  return toYaml([['model_name', pretrained ?? settings.model], ['model_type', 'hf'], ...Object.entries(rest)])
}

/** Tasks as the African-language suite's `--task-config-yaml`: one template over languages where the names have that form. */
export function formatTaskList(tasks: readonly string[]): string {
  const { template, languages } = templateOf(tasks)
  return toYaml([
    ['task_name', commonStart(tasks).replace(/_+$/, '') || 'tasks'],
    ['task_template', template],
    ['languages', languages],
  ])
}

interface LanguageTemplate {
  readonly template: string
  readonly languages: readonly string[]
}

/** The template of fewest languages that gives these names, in this order; without one, all the names for a language that none of them uses. */
function templateOf(tasks: readonly string[]): LanguageTemplate {
  for (let size = Math.floor(tasks.length / 2); size >= 1; size--) {
    if (tasks.length % size !== 0) continue
    const found = templateOfBlocks(tasks, size)
    if (found !== null) return found
  }
  return { template: tasks.join(','), languages: ['und'] }
}

/** The template of `size` names a language; null when the names don't follow one. */
function templateOfBlocks(tasks: readonly string[], size: number): LanguageTemplate | null {
  const firsts = tasks.filter((_, index) => index % size === 0)
  const start = commonStart(firsts)
  const end = commonStart(firsts.map((name) => reversed(name.slice(start.length))))
  const languages = firsts.map((name) => name.slice(start.length, name.length - end.length))
  const [language = ''] = languages
  const isOnlyLanguage = start === '' && end === ''
  if (isOnlyLanguage || languages.some((one) => one === '') || new Set(languages).size < languages.length) return null
  const template = tasks
    .slice(0, size)
    .map((name) => (name.startsWith(start + language) ? `${start}{{language}}${name.slice(start.length + language.length)}` : name))
    .join(',')
  const names = languages.flatMap((one) => template.replaceAll('{{language}}', one).split(','))
  return names.every((name, index) => name === tasks[index]) ? { template, languages } : null
}

function commonStart(names: readonly string[]): string {
  const [first = ''] = names
  let length = first.length
  for (const name of names) while (!name.startsWith(first.slice(0, length))) length -= 1
  return first.slice(0, length)
}

function reversed(text: string): string {
  return [...text].reverse().join('')
}

function isDefault(value: Json): boolean {
  if (value === null || value === false) return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

/** Mappings and lists one level deep as blocks, all else in JSON's form, which is YAML too. */
function toYaml(entries: Entries): string {
  return entries
    .map(([key, value]) => {
      if (Array.isArray(value)) return `${key}:\n${value.map((item: Json) => `  - ${scalar(item)}\n`).join('')}`
      if (typeof value === 'object' && value !== null)
        return `${key}:\n${Object.entries(value)
          .map(([name, item]) => `  ${scalar(name)}: ${scalar(item)}\n`)
          .join('')}`
      return `${key}: ${scalar(value)}\n`
    })
    .join('')
}

function scalar(value: Json): string {
  return typeof value === 'string' ? yamlString(value) : JSON.stringify(value)
}
