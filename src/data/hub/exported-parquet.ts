/** The Hub's own conversion of datasets to parquet: for repositories whose rows are made by Python code, or are in formats without a decoder. */
import { EvalError } from '../../base/errors.ts'
import { isRecord } from '../../base/guards.ts'
import type { DatasetDeps, Source } from '../dataset/source.ts'
import { hubFile } from './hub-file.ts'
import type { HubClient } from './hub.ts'

/** The branch that the Hub keeps the converted files in. */
const exportRevision = 'refs/convert/parquet'

interface Asked {
  readonly id: string
  readonly name: string | null
  /** For messages. */
  readonly where: string
  /** Why the repository itself can't be read. */
  readonly why: string
}

/**
 * The converted files of one config, at the commit that the branch stands at now; their hashes are checked like any file's. Null when the Hub
 * has converted nothing. Throws `dataset/not-found` (config), `hub/corrupt` for a listing that can't be right, and the Hub's errors.
 */
export async function openExport(hub: HubClient, { id, name, where, why }: Asked, deps: DatasetDeps): Promise<Source | null> {
  const listing = await listExport(hub, id, deps.signal)
  if (listing === null) return null
  const config = pickExported([...listing.keys()], name, where)
  const snapshot = await hub.snapshot('dataset', id, exportRevision, deps.signal)
  const files = new Map(snapshot.files.map((file) => [file.path, file]))
  let isPart = false
  const splits = [...(listing.get(config) ?? [])].map(([split, addresses]) => {
    const paths = addresses.map((address) => {
      const candidates = pathsOf(address, { base: hub.base, id, config, split })
      const path = candidates.find((one) => files.has(one))
      if (path === undefined)
        throw new EvalError(
          'hub/corrupt',
          `${where}: the Hub lists the parquet file ${address}, but its branch ${exportRevision} has no such file.`,
          {
            details: { address },
          },
        )
      isPart ||= path.includes('/partial-')
      return path
    })
    return [split, paths] as const
  })
  const part = isPart ? ' It holds only the first part of a large dataset.' : ''
  return {
    where,
    commit: snapshot.commit,
    splits: new Map(splits),
    options: {},
    declared: null,
    warnings: [
      `${where}: ${why}, so its rows come from the Hub's parquet version of it (${exportRevision} at ${snapshot.commit.slice(0, 12)}).${part}`,
    ],
    ...(snapshot.isRestricted === true ? { isRestricted: true } : {}),
    formatOf: () => 'parquet',
    openFile: (path) => {
      const file = files.get(path)
      if (file === undefined) throw new EvalError('internal', `${path} is not in the listing it comes from.`)
      const onBytes = (loaded: number): void => {
        deps.onBytes?.(`${id}/${path}`, loaded, file.bytes)
      }
      const watched = { onBytes, ...(deps.signal === undefined ? {} : { signal: deps.signal }) }
      return hubFile(hub, { id, commit: snapshot.commit, file }, watched)
    },
  }
}

/** Config → split → addresses, or null where there is no conversion. */
async function listExport(
  hub: HubClient,
  id: string,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, ReadonlyMap<string, readonly string[]>> | null> {
  let json: unknown
  try {
    const what = `parquet version of dataset '${id}'`
    json = await hub.readApi(`/api/datasets/${id}/parquet`, { what: `the ${what}`, page: null, absent: `has no ${what}` }, signal)
  } catch (error) {
    if (error instanceof EvalError && error.code === 'hub/not-found') return null
    throw error
  }
  if (!isRecord(json)) throw badListing(id)
  const configs = Object.entries(json).map(([config, splits]) => {
    if (!isRecord(splits)) throw badListing(id)
    const files = Object.entries(splits).map(([split, addresses]) => {
      if (!Array.isArray(addresses) || !addresses.every((address) => typeof address === 'string')) throw badListing(id)
      return [split, addresses] as const
    })
    return [config, new Map(files)] as const
  })
  return configs.length === 0 ? null : new Map(configs)
}

function badListing(id: string): EvalError {
  return new EvalError('hub/corrupt', `The Hub's list of parquet files of dataset '${id}' is no mapping from configs and splits to files.`)
}

function pickExported(names: readonly string[], name: string | null, where: string): string {
  const [only] = names
  if (name === null && names.length === 1 && only !== undefined) return only
  const wanted = name ?? 'default'
  if (names.includes(wanted)) return wanted
  const message =
    name === null
      ? `${where} has several configs and no default; dataset_name must be one of: ${names.join(', ')}.`
      : `${where} is not among the configs of the Hub's parquet version: ${names.join(', ')}.`
  throw new EvalError('dataset/not-found', message, { details: { configs: [...names] } })
}

/**
 * The paths within the branch that an address may stand for: `…/api/datasets/ID/parquet/CONFIG/SPLIT/0.parquet`, or
 * `…/datasets/ID/resolve/refs%2Fconvert%2Fparquet/CONFIG/SPLIT/0000.parquet`. Throws `hub/corrupt` for one of another host or repository.
 */
function pathsOf(
  address: string,
  { base, id, config, split }: { readonly base: string; readonly id: string; readonly config: string; readonly split: string },
): readonly string[] {
  const path = decodeURIComponent(address)
  const api = `${base}/api/datasets/${id}/parquet/`
  const resolve = `${base}/datasets/${id}/resolve/${exportRevision}/`
  if (path.startsWith(resolve)) return [path.slice(resolve.length)]
  const [, file] = /^.*\/(\d+)\.parquet$/.exec(path) ?? []
  if (!path.startsWith(api) || file === undefined) {
    throw new EvalError('hub/corrupt', `The Hub names ${address} for a parquet file of dataset '${id}', which is no address of ${base}.`, {
      details: { address },
    })
  }
  const name = `${file.padStart(4, '0')}.parquet`
  return [`${config}/${split}/${name}`, `${config}/partial-${split}/${name}`]
}
