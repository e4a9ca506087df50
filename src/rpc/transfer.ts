/** Comlink's two markers, so that other layers needn't know comlink. */
import { proxy, transfer, type ProxyMarked } from 'comlink'

/** Marks a callback to be called back from the other side, rather than copied. */
export function callback<F extends (...args: never[]) => unknown>(run: F): F & ProxyMarked {
  return proxy(run)
}

/** Marks `buffers` in `value` to be moved rather than copied; they are empty here afterwards. */
export function moving<T extends object>(value: T, buffers: readonly Transferable[]): T {
  return transfer(value, [...buffers])
}
