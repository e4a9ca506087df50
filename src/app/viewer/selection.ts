/** What the viewer shows, as its address says it. */
import { norms, type Norm } from '../../analysis/lab/norms.ts'
import { docShows, type DocShow, type DocQuery } from '../../analysis/viewer/doc-filters.ts'
import type { Query } from '../router.svelte.ts'

export interface DocName {
  readonly task: string
  readonly docId: number
}

export interface DocSelection extends DocQuery {
  /** Empty for the docs of all tasks. */
  readonly task: string
  /** Empty for each task's first filter. */
  readonly filter: string
  readonly text: string
  /** Null for the first of the list. */
  readonly doc: DocName | null
}

/** Nats below which two sums count as near each other, unless the reader says otherwise. */
export const nearChoices = [0.01, 0.1, 0.5, 1] as const
const defaultNear = 0.1
const defaultAgainst = 'acc_norm'

/** The norms that `acc` can be compared with. */
export const comparedNorms = norms.filter((norm): norm is Exclude<Norm, 'acc'> => norm !== 'acc')

/**
 * Reads a selection; what can't be read is left at its default. A doc stands as `doc=12` within a task, as `doc=task/12` among all tasks: the harness's
 * `doc_id`.
 */
export function readSelection(query: Query): DocSelection {
  const task = query['task'] ?? ''
  const near = Number(query['near'] ?? '')
  return {
    task,
    filter: query['filter'] ?? '',
    show: readShow(query['show'] ?? ''),
    against: comparedNorms.find((norm) => norm === query['against']) ?? defaultAgainst,
    nearNats: Number.isFinite(near) && near > 0 ? near : defaultNear,
    text: query['text'] ?? '',
    doc: readDoc(query['doc'] ?? '', task),
  }
}

/** The query of a selection; defaults are left out, so that a link stays short. */
export function selectionQuery({ task, filter, show, against, nearNats, text, doc }: DocSelection): Query {
  return {
    task,
    filter,
    show: show === 'all' ? '' : show,
    against: show !== 'flipped' || against === defaultAgainst ? '' : against,
    near: show !== 'near-tie' || nearNats === defaultNear ? '' : String(nearNats),
    text,
    doc: doc === null ? '' : task === '' ? `${doc.task}/${doc.docId}` : String(doc.docId),
  }
}

/** Links of earlier versions said `differ`. */
function readShow(show: string): DocShow {
  return show === 'differ' ? 'flipped' : (docShows.find((name) => name === show) ?? 'all')
}

function readDoc(text: string, task: string): DocName | null {
  const slash = text.lastIndexOf('/')
  const number = text.slice(slash + 1)
  if (!/^\d{1,10}$/.test(number)) return null
  return { task: slash < 0 ? task : text.slice(0, slash), docId: Number(number) }
}
