/** RFC 4648, with padding. Characters are made in parts, since a call takes only so many arguments. */
export function toBase64(bytes: Uint8Array): string {
  let text = ''
  // oxlint-disable-next-line syntax/forbidden -- a part is short
  for (let at = 0; at < bytes.length; at += 0x2000) text += String.fromCharCode(...bytes.subarray(at, at + 0x2000))
  return btoa(text)
}
