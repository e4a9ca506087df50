import { createContext, runInContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { bootstrapSource, forbiddenGlobals, lockdownScript } from '../../src/rpc/bootstrap.ts'

/** A realm with some of the forbidden names, as own members and on prototypes, the way a worker's global scope has them. */
function makeRealm(): object {
  const realm = createContext({})
  runInContext(
    `globalThis.fetch = () => 'fetched'
     globalThis.WebSocket = class {}
     class WorkerNavigator { get storage() { return 'storage' } get gpu() { return 'gpu' } get language() { return 'en' } }
     globalThis.navigator = new WorkerNavigator()
     globalThis.Scope = class { get indexedDB() { return 'db' } get caches() { return 'caches' } importScripts() {} }
     Object.setPrototypeOf(globalThis, Scope.prototype)`,
    realm,
  )
  return realm
}

describe('the lockdown', () => {
  it('takes own members, inherited members and members of navigator away', () => {
    const realm = makeRealm()
    runInContext(lockdownScript(), realm)
    const left: unknown = runInContext(
      '[fetch, WebSocket, indexedDB, caches, importScripts, navigator.storage, navigator.gpu, navigator.language].map(String).join()',
      realm,
    )
    expect(left).toBe(`${'undefined,'.repeat(7)}en`)
  })

  it('leaves nothing on the prototypes to be borrowed', () => {
    const realm = makeRealm()
    runInContext(lockdownScript(), realm)
    const borrow = (code: string): unknown => runInContext(`(() => { try { return ${code} } catch (error) { return 'threw' } })()`, realm)
    expect(borrow("Object.getOwnPropertyDescriptor(Scope.prototype, 'indexedDB').get")).toBeUndefined()
    expect(borrow('Scope.prototype.importScripts')).toBeUndefined()
    expect(borrow("Object.getOwnPropertyDescriptor(Object.getPrototypeOf(navigator), 'storage').get")).toBeUndefined()
  })

  it('can not be undone by assigning, deleting or redefining', () => {
    const realm = makeRealm()
    runInContext(lockdownScript(), realm)
    const after: unknown = runInContext(
      `fetch = () => 1; delete globalThis.fetch; try { Object.defineProperty(globalThis, 'fetch', { value: () => 1 }) } catch {}; String(fetch)`,
      realm,
    )
    expect(after).toBe('undefined')
  })

  it('throws when something can not be taken away', () => {
    const realm = makeRealm()
    runInContext(`Object.defineProperty(globalThis, 'XMLHttpRequest', { value: class {}, configurable: false, writable: false })`, realm)
    expect(() => {
      runInContext(lockdownScript(), realm)
    }).toThrow(/can not take away XMLHttpRequest/)
  })

  it('covers the ways out that a worker has', () => {
    for (const name of [
      'fetch',
      'XMLHttpRequest',
      'WebSocket',
      'WebTransport',
      'EventSource',
      'indexedDB',
      'caches',
      'Worker',
      'importScripts',
      'BroadcastChannel',
    ])
      expect(forbiddenGlobals).toContain(name)
  })
})

describe('the bootstrap module', () => {
  it('locks before it imports, and only dynamically', () => {
    const source = bootstrapSource('https://example.org/x.js', true)
    expect(source.indexOf('defineProperty')).toBeLessThan(source.indexOf('import("https://example.org/x.js")'))
    expect(source).not.toMatch(/import\s+['"{*]/)
  })

  it('quotes the address', () => {
    expect(bootstrapSource('https://example.org/"x.js', false)).toContain('import("https://example.org/\\"x.js")')
  })

  it('tells when the lock fails, and imports nothing then', () => {
    const realm = makeRealm()
    runInContext(
      `globalThis.told = []; globalThis.postMessage = (m) => told.push(m.message)
       Object.defineProperty(globalThis, 'fetch', { value: () => 1, configurable: false, writable: false })`,
      realm,
    )
    runInContext(bootstrapSource('https://example.org/x.js', true), realm)
    expect(runInContext('told.join()', realm)).toBe('Error: can not take away fetch')
  })
})
