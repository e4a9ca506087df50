/** What the page and the frame of `address.html` say to each other. */

export interface AddressRequest {
  readonly address: string
  readonly limitBytes: number
}

/** After `begin`, each message from the page asks for the next part. */
export type AddressAnswer =
  | { readonly type: 'begin'; readonly bytes: number | null; readonly contentType: string }
  | { readonly type: 'part'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly type: 'end' }
  | { readonly type: 'failed'; readonly why: 'network' | 'status' | 'too-large'; readonly detail: string }
