/** The few globals that the core uses beyond ES2023; every browser, worker and Node has them. */
declare class TextEncoder {
  encode(text?: string): Uint8Array<ArrayBuffer>
}
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean })
  decode(bytes?: Uint8Array): string
}
declare class MessagePort {
  postMessage(message: unknown, transfer: readonly ArrayBuffer[]): void
  close(): void
}
declare class MessageChannel {
  readonly port1: MessagePort
  readonly port2: MessagePort
}
