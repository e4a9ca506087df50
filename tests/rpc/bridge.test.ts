import { expect, test } from 'vitest'
import { bridge } from '../../src/rpc/bridge.ts'

interface Api {
  add(a: number, b: number): Promise<number>
  watch(onChange: (value: number) => void): Promise<void>
  stop(): Promise<string>
}

function otherSide(): Api & { readonly received: unknown[] } {
  const received: unknown[] = []
  return {
    received,
    add: async (a, b) => a + b,
    watch: async (onChange) => {
      received.push(onChange)
      onChange(7)
    },
    stop: async () => 'there',
  }
}

test('methods that this side has are answered here, all others there, anew for each call', async () => {
  let connected = 0
  const client = bridge<{ stop(): Promise<string> }, Api>({ stop: async () => 'here' }, async () => {
    connected += 1
    return otherSide()
  })
  expect(await client.stop()).toBe('here')
  expect(connected).toBe(0)
  expect(await client.add(2, 3)).toBe(5)
  expect(await client.add(2, 4)).toBe(6)
  expect(connected).toBe(2)
})

test('callbacks are marked to be called back, since functions are not copied', async () => {
  const side = otherSide()
  const client = bridge<object, Api>({}, async () => side)
  const heard: number[] = []
  await client.watch((value) => heard.push(value))
  expect(heard).toEqual([7])
  // Comlink's own marker.
  const marker = Object.getOwnPropertySymbols(side.received[0]).map(String)
  expect(marker).toEqual(['Symbol(Comlink.proxy)'])
})

test('an object that is awaited is no promise, and an unknown method is told by its name', async () => {
  const client = bridge<object, Api>({}, async () => otherSide())
  expect(await Promise.resolve(client)).toBe(client)
  const unknown: unknown = Reflect.get(client, 'nothing')
  await expect(typeof unknown === 'function' ? Reflect.apply(unknown, null, []) : null).rejects.toThrow('no method "nothing"')
})
