/** The layers, lowest first; each may import itself and what it lists. ARCHITECTURE.md draws the same picture. */
const layers = {
  'src/core': { may: [], npm: ['yaml'] },
  'src/text': { may: ['src/core', 'src/rpc'], npm: ['@huggingface/tokenizers'] },
  'src/engines': { may: ['src/core'], npm: ['onnxruntime-web', 'onnxruntime-common'] },
  'src/data': { may: ['src/core'], npm: ['hyparquet', 'hyparquet-compressors', 'yaml', 'pako', 'hash-wasm'] },
  'src/storage': { may: ['src/core'], npm: ['idb'] },
  'src/rpc': { may: ['src/core'], npm: ['comlink', 'valibot'] },
  'src/evaluation': { may: ['src/core', 'src/data', 'src/engines', 'src/rpc', 'src/storage'], npm: [] },
  // The page knows the run worker by its address alone (`?worker&url`).
  'src/app': { may: ['src/core', 'src/rpc'], files: ['workers/run[.]worker[.]ts$'], npm: ['svelte', 'valibot', 'fflate'] },
  'src/ui': { may: ['src/core', 'src/app'], npm: ['svelte', 'qr', 'd3-scale', 'd3-shape'] },
  workers: { may: ['src/core', 'src/text', 'src/engines', 'src/data', 'src/storage', 'src/rpc', 'src/evaluation'], npm: ['comlink'] },
}
const own = (layer) => `^${layer}/`
const pkg = (name) => `(^|/)node_modules/${name}(/|$)`
export default {
  forbidden: [
    ...Object.entries(layers).map(([layer, { may, files = [], npm }]) => ({
      name: `${layer}-imports-only-what-it-may`,
      severity: 'error',
      from: { path: own(layer) },
      to: { pathNot: [own(layer), ...may.map(own), ...files, ...npm.map(pkg)] },
    })),
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'resolvable', severity: 'error', from: { pathNot: '[.]svelte$' }, to: { couldNotResolve: true } },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)svelte/internal/|[?]url$' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'svelte', 'browser', 'default', 'types'] },
  },
}
