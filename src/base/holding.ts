/**
 * Waits for an operation of a browser's object, and keeps the object alive until it has settled.
 *
 * Chromium forgets a pending operation of a file handle when the handle itself is collected, and its promise then never settles (156: 318 of 1,500 writes
 * into the private file system with a garbage collection every 3 ms, none of 1,500 with the handles held). `await` holds the promise, not the handle.
 */
export async function holding<Owner extends object, T>(owner: Owner, operate: (owner: Owner) => Promise<T>): Promise<T> {
  // An entry a call: two operations of one object end at different times.
  const entry = { owner }
  pending.add(entry)
  try {
    return await operate(owner)
  } finally {
    pending.delete(entry)
  }
}

const pending = new Set<{ readonly owner: object }>()
