/**
 * All code of `address.html`: fetches the one address that its page sends, once, and hands the bytes over in parts as they are asked for.
 *
 * The page itself may only ask its own origin and the Hub. This frame may ask any https address, so it holds nothing worth having (no
 * token, no state), takes one message of its own page, and before it fetches it narrows its policy to that one origin for good.
 */
import type { AddressAnswer, AddressRequest } from './app/setup/address-messages.ts'

const receive = (event: MessageEvent<unknown>): void => {
  const [port] = event.ports
  if (event.origin !== location.origin || event.source !== parent || parent === window || port === undefined) return
  if (!isRequest(event.data)) return
  removeEventListener('message', receive)
  const tell = (answer: AddressAnswer, moved: Transferable[] = []): void => port.postMessage(answer, moved)
  answerWith(event.data, port, tell).catch((error: unknown) => tell({ type: 'failed', why: 'network', detail: String(error) }))
}
addEventListener('message', receive)

async function answerWith(
  { address, limitBytes }: AddressRequest,
  port: MessagePort,
  tell: (answer: AddressAnswer, moved?: Transferable[]) => void,
): Promise<void> {
  narrowTo(new URL(address).origin)
  const response = await fetch(address, { mode: 'cors', credentials: 'omit', referrerPolicy: 'no-referrer', cache: 'no-store' })
  if (!response.ok) {
    tell({ type: 'failed', why: 'status', detail: String(response.status) })
    return
  }
  const length = Number(response.headers.get('Content-Length') ?? NaN)
  // A packed body is longer once it is unpacked, so its length says nothing.
  const bytes = Number.isSafeInteger(length) && response.headers.get('Content-Encoding') === null ? length : null
  if (bytes !== null && bytes > limitBytes) {
    tell({ type: 'failed', why: 'too-large', detail: String(bytes) })
    return
  }
  const reader = response.body?.getReader()
  let loaded = 0
  const next = async (): Promise<void> => {
    const part = await reader?.read()
    if (part === undefined || part.done) {
      tell({ type: 'end' })
      return
    }
    loaded += part.value.length
    if (loaded > limitBytes) {
      await reader?.cancel()
      tell({ type: 'failed', why: 'too-large', detail: String(loaded) })
      return
    }
    // A part of its own memory, which can be moved rather than copied.
    const own = part.value.slice()
    tell({ type: 'part', bytes: own }, [own.buffer])
  }
  port.onmessage = () => {
    next().catch((error: unknown) => tell({ type: 'failed', why: 'network', detail: String(error) }))
  }
  tell({ type: 'begin', bytes, contentType: response.headers.get('Content-Type') ?? '' })
}

/** Policies only ever add up: from here on nothing but this origin can be asked, redirects included. */
function narrowTo(origin: string): void {
  const policy = document.createElement('meta')
  policy.httpEquiv = 'Content-Security-Policy'
  policy.content = `default-src 'none'; connect-src ${origin}`
  document.head.append(policy)
}

function isRequest(data: unknown): data is AddressRequest {
  return (
    typeof data === 'object' &&
    data !== null &&
    'address' in data &&
    typeof data.address === 'string' &&
    'limitBytes' in data &&
    typeof data.limitBytes === 'number'
  )
}
