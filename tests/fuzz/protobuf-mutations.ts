/** Damage to protobuf messages that keeps their lengths right: fields gone, twice, moved, with another's content, nested ever deeper. */
import { bytesField, integerField, joinBytes } from '../../src/onnx/wire.ts'
import { protobufFields } from '../../src/onnx/protobuf.ts'
import type { Random } from './random.ts'

interface Field {
  readonly number: number
  /** As it stands in the message. */
  readonly whole: Uint8Array
  /** Content of a field with a length; null for a number. */
  readonly content: Uint8Array | null
}

/** The fields of a message; null for bytes that are none. */
function fieldsOf(message: Uint8Array): Field[] | null {
  const fields: Field[] = []
  let start = 0
  try {
    for (const field of protobufFields(message)) {
      const whole = message.subarray(start, field.end)
      const isContent = ((message[start] ?? 0) & 7) === 2
      fields.push({ number: field.number, whole, content: isContent ? field.bytes : null })
      start = field.end
    }
  } catch {
    // A text or numbers, which happen not to read as a message.
    return null
  }
  return fields
}

/** The message with one change somewhere in it, `room` levels down at most. */
export function mutateMessage(random: Random, message: Uint8Array, room = 5): Uint8Array {
  const fields = fieldsOf(message)
  if (fields === null || fields.length === 0) return bytesChanged(random, message)
  const at = random.below(fields.length)
  const chosen = fields[at]
  if (chosen === undefined) return message
  if (chosen.content !== null && room > 0 && random.chance(80)) {
    // Shorter contents are mostly names, which decide what a graph is.
    const content =
      chosen.content.length < 40 && random.chance(50) ? otherContent(random, fields) : mutateMessage(random, chosen.content, room - 1)
    return withField(fields, at, bytesField(chosen.number, content))
  }
  switch (random.below(7)) {
    case 0:
      return joinBytes(fields.filter((_, index) => index !== at).map(({ whole }) => whole))
    case 1:
      return withField(fields, at, joinBytes(Array.from({ length: 2 + random.below(30) }, () => chosen.whole)))
    case 2:
      return withField(fields, at, fields[random.below(fields.length)]?.whole ?? chosen.whole)
    case 3:
      return withField(fields, at, bytesField(chosen.number, nested(random, message)))
    case 4:
      return withField(fields, at, integerField(chosen.number, random.pick([0, 1, 2 ** 31, 2 ** 53 - 1])))
    case 5:
      return joinBytes([...fields].reverse().map(({ whole }) => whole))
    default:
      return withField(fields, at, bytesChanged(random, chosen.whole))
  }
}

function withField(fields: readonly Field[], at: number, whole: Uint8Array): Uint8Array {
  return joinBytes(fields.map((field, index) => (index === at ? whole : field.whole)))
}

/** What another field of the same message holds: a name for another name makes cycles and graphs that hang in the air. */
function otherContent(random: Random, fields: readonly Field[]): Uint8Array {
  return (
    fields[random.below(fields.length)]?.content ??
    new TextEncoder().encode(random.pick(['', 'logits', 'input_ids', '__proto__', 'past_key_values.0.key', 'constructor']))
  )
}

/** The message within itself, as a graph is within an attribute of its node. */
function nested(random: Random, message: Uint8Array): Uint8Array {
  let inner: Uint8Array = message.subarray(0, 200)
  const depth = random.chance(3) ? 3000 : random.pick([2, 20, 50])
  for (let level = 0; level < depth; level++) inner = bytesField(1, bytesField(5, bytesField(6, inner)))
  return inner
}

function bytesChanged(random: Random, bytes: Uint8Array): Uint8Array {
  const changed = bytes.slice()
  const at = random.below(changed.length)
  if (random.chance(20)) return changed.subarray(0, at)
  if (changed.length > 0) changed[at] = random.chance(50) ? random.below(256) : 0xff
  return changed
}
