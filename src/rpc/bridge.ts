/** The one bridge over a worker's border: an API is declared once, and whoever is on this side of it gets the same methods. */

/**
 * An object with the methods of `own`, and for every other name a call of that method over the border, arguments that are functions marked to be called
 * back. `connect` gives the other side, anew for each call: a worker may have been replaced.
 */
export function bridge<Own extends object, Api extends object>(own: Own, connect: () => Promise<Api>): Own & Omit<Api, keyof Own> {
  const forwarders = new Map<string, (...args: readonly unknown[]) => Promise<unknown>>()
  const forward = (name: string) => {
    const known = forwarders.get(name)
    if (known !== undefined) return known
    const forwarder = async (...args: readonly unknown[]): Promise<unknown> => {
      const ready = await Promise.all(args.map((arg) => (isFunction(arg) ? marked(arg) : arg)))
      const method: unknown = Reflect.get(await connect(), name)
      if (!isFunction(method)) throw new TypeError(`The other side has no method "${name}".`)
      return Reflect.apply(method, undefined, ready)
    }
    forwarders.set(name, forwarder)
    return forwarder
  }
  // A proxy takes the type of its target; what it answers beside that is what `forward` does.
  return new Proxy(own, {
    // Without the second case the object would look like a promise to `await`.
    get: (target, name) => (typeof name === 'symbol' || name === 'then' || name in target ? Reflect.get(target, name) : forward(name)),
  }) as Own & Omit<Api, keyof Own>
}

/** A callback as it crosses the border; undefined for none. comlink is loaded when the first one does. */
export async function marked<F extends ((...args: never[]) => unknown) | undefined>(run: F): Promise<F> {
  if (run === undefined) return run
  const { callback } = await import('./transfer.ts')
  return callback(run)
}

function isFunction(value: unknown): value is (...args: unknown[]) => unknown {
  return typeof value === 'function'
}
