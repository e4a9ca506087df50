/** Whether a newer version of the page was published while this one is open. */

/**
 * True when the published page names another entry script than the one that runs here. Asked only when a part of the page couldn't be loaded;
 * without network nothing can be told, and it is false.
 */
export async function isNewerPublished(): Promise<boolean> {
  const entry = document.querySelector<HTMLScriptElement>('script[type="module"][src]')?.src
  if (entry === undefined) return false
  const name = new URL(entry).pathname.split('/').at(-1) ?? ''
  try {
    const response = await fetch(new URL(location.pathname, location.href), { cache: 'no-store' })
    return response.ok && !(await response.text()).includes(`/${name}`)
  } catch {
    return false
  }
}

/** True for what an `import()` or a worker's start says when its file is gone. */
export function isMissingPart(error: unknown): boolean {
  const text = error instanceof Error ? error.message : String(error)
  return /dynamically imported module|module script|could not be loaded|Unable to preload/i.test(text)
}
