/** Content hashes, as hex. */
import { createSHA256 } from 'hash-wasm'
import { toHex } from '../base/hex.ts'

/** SHA-256 of bytes, 32 of them. WebCrypto copies what it hashes. */
export async function sha256(bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', asOwned(bytes)))
}

/** SHA-256 of bytes, or of a text's UTF-8. */
export async function sha256Hex(content: string | Uint8Array): Promise<string> {
  return toHex(await sha256(typeof content === 'string' ? new TextEncoder().encode(content) : content))
}

/** SHA-1 of `bytes`. */
export async function sha1Hex(bytes: Uint8Array): Promise<string> {
  return toHex(await crypto.subtle.digest('SHA-1', asOwned(bytes)))
}

/** The name that git gives a file of this content: SHA-1 over a header and the bytes. */
export async function gitBlobOid(bytes: Uint8Array): Promise<string> {
  const header = new TextEncoder().encode(`blob ${bytes.length}\0`)
  const blob = new Uint8Array(header.length + bytes.length)
  blob.set(header)
  blob.set(bytes, header.length)
  return toHex(await crypto.subtle.digest('SHA-1', blob))
}

/** WebCrypto refuses shared memory; such bytes are copied. */
function asOwned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, byteLength } = bytes
  return buffer instanceof ArrayBuffer ? new Uint8Array(buffer, byteOffset, byteLength) : new Uint8Array(bytes)
}

/** SHA-256 of bytes that come one after the other. */
export async function streamedSha256(): Promise<{ update(bytes: Uint8Array): void; hex(): string }> {
  const hash = (await createSHA256()).init()
  return {
    update: (bytes) => {
      hash.update(bytes)
    },
    hex: () => hash.digest('hex'),
  }
}
