/**
 * Search of a Hub's models: `GET {base}/api/models?search=…`, as huggingface_hub's `HfApi.list_models` and huggingface.js's
 * `listModels` ask it (`filter`, `pipeline_tag`, `sort`, `limit` and one `expand` for each field wanted, `siblings` among them).
 */
import { EvalError } from '../../base/errors.ts'
import { isRecord } from '../../base/guards.ts'
import { download, type Fetch } from './http.ts'

/** A text-generation model as the Hub's list shows it, whatever its files are; what was not said is null. */
export interface FoundModel {
  readonly id: string
  readonly downloads: number | null
  readonly likes: number | null
  readonly license: string | null
  readonly isGated: boolean
  /** ISO 8601. */
  readonly updatedAt: string | null
  /** Paths of all files, without sizes: the list doesn't give them. */
  readonly paths: readonly string[]
}

interface SearchOptions {
  /** Address without a slash at its end. */
  readonly base: string
  readonly fetch: Fetch
  /** Sent to `base` alone, never along a redirect. */
  readonly token: string | null
}

export interface SearchQuery {
  /** Contained in the ids that are found; empty = the most downloaded ones. */
  readonly text: string
  /** 1 to 100. */
  readonly limit: number
}

const longestText = 200
const mostModels = 100
const fields = ['downloads', 'likes', 'gated', 'lastModified', 'tags', 'siblings']

/**
 * The most downloaded models whose id contains the text. Throws `settings/invalid` for a query that can't be asked, `hub/corrupt` for
 * an answer that is no list of models, and what `download` throws: `hub/unreachable`, `hub/rate-limited` (`retryAfterSeconds` in its
 * details), `hub/unauthorized`, `run/stopped` when `signal` fires.
 */
export async function searchHub({ base, fetch, token }: SearchOptions, query: SearchQuery, signal?: AbortSignal): Promise<FoundModel[]> {
  const address = searchAddress(base, query)
  const headers: { readonly [name: string]: string } = token === null ? {} : { Authorization: `Bearer ${token}` }
  const wanted = {
    what: `the list of models that match '${query.text}'`,
    page: null,
    absent: 'has no search for models: nothing is at its address /api/models',
  }
  const { bytes } = await download(fetch, address, headers, wanted, signal === undefined ? {} : { signal })
  const list = parseList(bytes, base)
  return list.map((entry, index) => readModel(entry, index, base))
}

/** The address that is asked; nothing but the query's text can vary in kind. */
export function searchAddress(base: string, { text, limit }: SearchQuery): string {
  if (text.length > longestText) {
    throw new EvalError('settings/invalid', `wanted at most ${longestText} characters to search for, found ${text.length}`)
  }
  if (!Number.isInteger(limit) || limit < 1 || limit > mostModels) {
    throw new EvalError('settings/invalid', `wanted 1 to ${mostModels} models from a search, found ${limit}`)
  }
  const query = new URLSearchParams(text.trim() === '' ? [] : [['search', text.trim()]])
  query.append('pipeline_tag', 'text-generation')
  query.append('sort', 'downloads')
  query.append('direction', '-1')
  query.append('limit', String(limit))
  for (const field of fields) query.append('expand', field)
  return `${base}/api/models?${query.toString()}`
}

function parseList(bytes: Uint8Array, base: string): readonly unknown[] {
  let json: unknown
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (cause) {
    throw new EvalError('hub/corrupt', `${new URL(base).host} answered no JSON to a search for models.`, { cause, details: { base } })
  }
  if (Array.isArray(json)) return json
  throw new EvalError('hub/corrupt', `${new URL(base).host} answered no list to a search for models.`, { details: { base } })
}

function readModel(entry: unknown, index: number, base: string): FoundModel {
  const id = isRecord(entry) ? entry['id'] : undefined
  if (!isRecord(entry) || typeof id !== 'string') {
    throw new EvalError('hub/corrupt', `${new URL(base).host}: model ${index} of the search's answer has no id.`, { details: { base } })
  }
  const { downloads, likes, gated, lastModified, siblings } = entry
  return {
    id,
    downloads: typeof downloads === 'number' ? downloads : null,
    likes: typeof likes === 'number' ? likes : null,
    license: licenseOf(entry['tags']),
    // false, or how access is granted: "auto" or "manual".
    isGated: gated !== undefined && gated !== null && gated !== false,
    updatedAt: typeof lastModified === 'string' ? lastModified : null,
    paths: Array.isArray(siblings) ? siblings.flatMap(pathOf) : [],
  }
}

function pathOf(sibling: unknown): string[] {
  const path = isRecord(sibling) ? sibling['rfilename'] : undefined
  return typeof path === 'string' ? [path] : []
}

/** The Hub repeats the card's licence as a tag, which is smaller than the card. */
function licenseOf(tags: unknown): string | null {
  const list: readonly unknown[] = Array.isArray(tags) ? tags : []
  const tag = list.find((one): one is string => typeof one === 'string' && one.startsWith('license:'))
  return tag === undefined ? null : tag.slice('license:'.length)
}
