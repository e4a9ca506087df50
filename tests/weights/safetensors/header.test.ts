import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readSafetensors } from '../../../src/weights/safetensors/header.ts'
import type { ByteSource } from '../../../src/weights/source.ts'
import { sourceOfBytes } from '../../support/byte-source.ts'

type Verdict = { readonly [name: string]: readonly [dtype: string, shape: readonly number[], sha256: string] } | null
interface Golden {
  readonly cases: readonly (readonly [what: string, base64: string, verdict: Verdict])[]
}
const golden = JSON.parse(readFileSync(join(import.meta.dirname, '../../goldens/weights/safetensors.json'), 'utf8')) as Golden

async function verdictOf(file: Uint8Array): Promise<Verdict> {
  const { tensors } = await readSafetensors(sourceOfBytes('model.safetensors', file))
  return Object.fromEntries(
    [...tensors].map(([name, { dtype, shape, start, end }]) => [
      name,
      [dtype, shape, createHash('sha256').update(file.subarray(start, end)).digest('hex')],
    ]),
  )
}

function fileOf(header: string, bytes = 0, length = header.length): Uint8Array {
  const file = new Uint8Array(8 + header.length + bytes)
  new DataView(file.buffer).setBigUint64(0, BigInt(length), true)
  file.set(new TextEncoder().encode(header), 8)
  return file
}

describe('the safetensors library’s verdicts', () => {
  test.each(golden.cases.filter(([what]) => !/^(stricter|laxer)/.test(what)))('%s', async (_, base64, verdict) => {
    const file = new Uint8Array(Buffer.from(base64, 'base64'))
    if (verdict === null) await expect(verdictOf(file)).rejects.toMatchObject({ name: 'EvalError', code: 'model/corrupt' })
    else expect(await verdictOf(file)).toEqual(verdict)
  })

  test.each(golden.cases.filter(([what]) => /^(stricter|laxer)/.test(what)))('%s', async (what, base64, verdict) => {
    const outcome = verdictOf(new Uint8Array(Buffer.from(base64, 'base64')))
    expect(verdict === null).toBe(what.startsWith('laxer'))
    if (verdict === null) expect(Object.keys((await outcome) ?? {})).toEqual(['a'])
    else
      await expect(outcome).rejects.toThrow(/^wanted no second entry for the key "a" at character \d+ of the header of model.safetensors/)
  })
})

test('gives the metadata, and tensors in the order of their bytes', async () => {
  const [, base64] = golden.cases[0] ?? ['', '']
  const { metadata, tensors } = await readSafetensors(sourceOfBytes('model.safetensors', new Uint8Array(Buffer.from(base64, 'base64'))))
  expect([...metadata]).toEqual(expect.arrayContaining([['note', 'ü\n']]))
  const starts = [...tensors.values()].map(({ start }) => start)
  expect(starts).toEqual(starts.toSorted((one, other) => one - other))
})

test('says what is wrong, and where', async () => {
  const read = (file: Uint8Array) => readSafetensors(sourceOfBytes('part.safetensors', file))
  await expect(read(fileOf('{}', 0, 100_000_001))).rejects.toThrow(
    'wanted a safetensors header of at most 100000000 bytes, found the length 100000001 in part.safetensors',
  )
  await expect(read(fileOf('{"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,20]}}', 20))).rejects.toThrow(
    'wanted 24 bytes for the tensor a (F32 [2, 3]) in part.safetensors, found 20',
  )
  await expect(read(fileOf('{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}', 9))).rejects.toThrow(
    'wanted part.safetensors to end with a at byte 66, found 71 bytes',
  )
})

test('takes no memory for what a header claims, and reads nothing but the header', async () => {
  const reads: (readonly [number, number])[] = []
  const header = fileOf('{"a":{"dtype":"BF16","shape":[1000000,2000],"data_offsets":[0,4000000000]}}')
  const source: ByteSource = {
    name: 'large.safetensors',
    bytes: header.length + 4e9,
    read: (start, end) => {
      reads.push([start, end])
      return Promise.resolve(header.subarray(start, end))
    },
  }
  const { tensors } = await readSafetensors(source)
  expect(tensors.get('a')).toMatchObject({ shape: [1_000_000, 2000], start: header.length, end: header.length + 4e9 })
  expect(reads).toEqual([
    [0, 8],
    [8, header.length],
  ])
})

test('keeps names that objects of JavaScript have', async () => {
  const entry = (at: number) => `{"dtype":"U8","shape":[1],"data_offsets":[${at},${at + 1}]}`
  const file = fileOf(`{"__proto__":${entry(0)},"constructor":${entry(1)},"toString":${entry(2)}}`, 3)
  const { tensors } = await readSafetensors(sourceOfBytes('odd.safetensors', file))
  expect([...tensors.keys()]).toEqual(['__proto__', 'constructor', 'toString'])
})

test('a file that gives fewer bytes than it has is an error', async () => {
  const file = fileOf('{}')
  const source: ByteSource = { name: 'x', bytes: file.length, read: (start) => Promise.resolve(file.subarray(start, start + 1)) }
  await expect(readSafetensors(source)).rejects.toThrow("wanted 8 bytes from byte 0 of x (the header's length), found 1")
})
