/** Giving memory back before it is collected. */

/** Nothing listens at the other end. */
let nowhere: MessagePort | null = null

/**
 * Gives a buffer's memory back at once, by sending it away; its views are empty then. Of buffers that the browser made, a collection frees neither the ones that are only
 * dropped nor those detached by `transfer` soon enough: reading 1 GiB in pieces of 16 MiB left 0.9 GiB behind in Chromium 156, and 15 MiB like this.
 */
export function freeBuffer(buffer: ArrayBuffer): void {
  if (nowhere === null) {
    const { port1, port2 } = new MessageChannel()
    port2.close()
    nowhere = port1
  }
  nowhere.postMessage(null, [buffer])
}
