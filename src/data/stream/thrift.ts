/**
 * Thrift's compact protocol, in which parquet writes its footer and page headers, looked over before it is read: the reader makes a list of
 * whatever length it is told of before it looks for the items, and follows a number for as long as it goes on.
 */

const maxNesting = 32
/** A number of 64 bits in groups of seven. */
const maxNumberBytes = 10

/** Type codes of the protocol. */
const stop = 0
const [bool, otherBool, byte, i16, i32, i64, double, binary, list, struct] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12]

/** A struct, or a list with so many items still to come. */
type Open = { readonly kind: 'struct' } | { readonly kind: 'list'; readonly type: number; left: number }

/** Where the struct that begins at `start` ends. Throws a RangeError for one that isn't whole, or promises more than there is. */
export function checkThrift(bytes: Uint8Array, start: number): number {
  let at = start
  const next = (): number => {
    const value = bytes[at]
    if (value === undefined) throw new RangeError('a header that ends too early')
    at += 1
    return value
  }
  const skipNumber = (): number => {
    let value = 0
    for (let index = 0; ; index++) {
      if (index === maxNumberBytes) throw new RangeError('a number of more than 64 bits')
      const group = next()
      value += (group & 127) * 2 ** (7 * index)
      if (group < 128) return value
    }
  }
  const skip = (count: number): void => {
    if (count > bytes.length - at) throw new RangeError('a text that is longer than what holds it')
    at += count
  }
  const open: Open[] = [{ kind: 'struct' }]
  /** Past a value that holds no other, or into one that does. */
  const enter = (type: number, isItem: boolean): void => {
    switch (type) {
      case bool:
      case otherBool:
        // A field's type says its value; an item has a byte of its own.
        if (isItem) skip(1)
        return
      case byte:
        return skip(1)
      case i16:
      case i32:
      case i64:
        skipNumber()
        return
      case double:
        return skip(8)
      case binary:
        return skip(skipNumber())
      case list: {
        const head = next()
        const left = head >> 4 === 15 ? skipNumber() : head >> 4
        // Every item takes a byte at least.
        if (left > bytes.length - at) throw new RangeError(`a list of ${left} items in ${bytes.length - at} bytes`)
        open.push({ kind: 'list', type: head & 15, left })
        return
      }
      case struct:
        open.push({ kind: 'struct' })
        return
      default:
        throw new RangeError(`a value of the unknown type ${type}`)
    }
  }
  for (let inside = open.at(-1); inside !== undefined; inside = open.at(-1)) {
    if (open.length > maxNesting) throw new RangeError(`values nested deeper than ${maxNesting}`)
    if (inside.kind === 'list') {
      if (inside.left === 0) open.pop()
      else {
        inside.left -= 1
        enter(inside.type, true)
      }
      continue
    }
    const head = next()
    if ((head & 15) === stop) {
      open.pop()
      continue
    }
    // The field's number, where it isn't told by its distance from the one before.
    if (head >> 4 === 0) skipNumber()
    enter(head & 15, false)
  }
  return at
}
