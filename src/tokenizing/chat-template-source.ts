/** Where a model keeps its chat template: chat_template.jinja, or tokenizer_config.json as one text or a list of named ones. */
import type { Json } from '../base/errors.ts'
import { isRecord } from '../base/guards.ts'
import { isArray } from './tokenizer-files.ts'

/** The template text, or named templates; null when there is none. The file of its own wins. */
export function readChatTemplate(inConfig: Json | undefined, file: string | null): string | { readonly [name: string]: string } | null {
  if (file !== null) return file
  if (typeof inConfig === 'string') return inConfig
  if (!isArray(inConfig)) return null
  const named = inConfig.flatMap((entry): [string, string][] => {
    if (!isRecord(entry) || typeof entry['name'] !== 'string' || typeof entry['template'] !== 'string') return []
    return [[entry['name'], entry['template']]]
  })
  return named.length === 0 ? null : Object.fromEntries(named)
}
