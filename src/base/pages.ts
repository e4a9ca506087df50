import { append } from './arrays.ts'

/** All samples of a list that is handed out page by page, from `offset` on each; fewer than its total where a page comes empty. */
export async function readPages<Sample>(
  pageAt: (offset: number) => Promise<{ readonly total: number; readonly samples: readonly Sample[] }>,
): Promise<readonly Sample[]> {
  const all: Sample[] = []
  for (let total = 1; all.length < total;) {
    const page = await pageAt(all.length)
    if (page.samples.length === 0) break
    append(all, page.samples)
    total = page.total
  }
  return all
}
