/** The search address of a Hub over folders: `/api/models?search=…`, with the parameters that the app sends. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { listRepoFiles } from '../files/repo-files.ts'

/** One model of the answer, with all the fields that may be asked for by `expand`. */
interface ListedModel {
  readonly id: string
  readonly downloads: number
  readonly likes: number
  readonly gated: boolean
  readonly private: boolean
  readonly lastModified: string
  readonly pipeline_tag: string | null
  readonly tags: readonly string[]
  readonly siblings: readonly { readonly rfilename: string }[]
}

const alwaysSent = ['id', 'private']

/** The models whose id contains every word of `search` and that pass `filter` and `pipeline_tag`; no file's content is hashed for it. */
export function searchFolders(folders: ReadonlyMap<string, string>, query: URLSearchParams): readonly object[] {
  const words = (query.get('search') ?? '').toLowerCase().split(/\s+/)
  const filters = query.getAll('filter')
  const task = query.get('pipeline_tag')
  const fields = new Set([...alwaysSent, ...query.getAll('expand')])
  const limit = Number(query.get('limit') ?? '1000')
  return [...folders]
    .filter(([id]) => words.every((word) => id.toLowerCase().includes(word)))
    .map(([id, folder]) => listModel(id, folder))
    .filter((model) => filters.every((tag) => model.tags.includes(tag)) && (task === null || model.pipeline_tag === task))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .slice(0, limit)
    .map((model) => Object.fromEntries(Object.entries(model).filter(([name]) => fields.has(name))))
}

function listModel(id: string, folder: string): ListedModel {
  const paths = listRepoFiles(folder).listed
  const license = /^license:\s*(\S+)\s*$/m.exec(frontMatter(folder))?.[1]
  // A repository of GGUF files alone has no config.json; the Hub reads their headers.
  const isWriter = /ForCausalLM|LMHeadModel/.test(readText(join(folder, 'config.json'))) || paths.some((path) => path.endsWith('.gguf'))
  const task = isWriter ? 'text-generation' : null
  return {
    id,
    downloads: 0,
    likes: 0,
    gated: false,
    private: false,
    lastModified: statSync(folder).mtime.toISOString(),
    pipeline_tag: task,
    // As the Hub does, which derives these from the files, the configuration and the card.
    tags: [
      ...['onnx', 'safetensors', 'gguf'].filter((format) => paths.some((path) => path.endsWith(`.${format}`))),
      ...(task === null ? [] : [task]),
      ...(license === undefined ? [] : [`license:${license}`]),
    ],
    siblings: paths.map((rfilename) => ({ rfilename })),
  }
}

function frontMatter(folder: string): string {
  return /^---\r?\n([\s\S]*?)\r?\n---/.exec(readText(join(folder, 'README.md')))?.[1] ?? ''
}

function readText(place: string): string {
  return existsSync(place) ? readFileSync(place, 'utf8') : ''
}
