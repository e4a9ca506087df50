/** What the browser tells about the space of this origin. Browsers differ in how much of it they have; WebKitGTK 2.50's workers have no `estimate`. */

export interface OriginSpace {
  /** Bytes of the whole origin, caches included; null where the browser doesn't tell. */
  readonly usedBytes: number | null
  readonly quotaBytes: number | null
  /** The browser promised not to evict; null where it doesn't tell. */
  readonly isPersistent: boolean | null
}

/** Never rejects: what a browser can't or won't tell is null. */
export async function measureOriginSpace(): Promise<OriginSpace> {
  // Absent outside secure contexts, and in parts, whatever the types say.
  const manager = typeof navigator === 'undefined' ? undefined : (navigator.storage as Partial<StorageManager> | undefined)
  const estimate = await manager?.estimate?.().catch(() => undefined)
  const isPersistent = await manager?.persisted?.().catch(() => undefined)
  return { usedBytes: estimate?.usage ?? null, quotaBytes: estimate?.quota ?? null, isPersistent: isPersistent ?? null }
}
