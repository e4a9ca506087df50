/**
 * The rooms, lowest first; each may import itself, the rooms that it lists, and the packages. ARCHITECTURE.md draws the same picture, and
 * tests/architecture.test.ts holds the two together.
 */
export const semantics = ['src/base', 'src/contracts', 'src/python', 'src/harness', 'src/ports', 'src/settings', 'src/analysis']
export const rooms = {
  'src/base': { may: [], npm: [] },
  'src/contracts': { may: ['src/base'], npm: [] },
  'src/python': { may: ['src/base', 'src/contracts'], npm: ['yaml'] },
  'src/harness': { may: ['src/base', 'src/contracts', 'src/python'], npm: [] },
  'src/ports': { may: ['src/base', 'src/contracts', 'src/python', 'src/harness'], npm: [] },
  'src/settings': { may: ['src/base', 'src/contracts', 'src/python'], npm: [] },
  'src/analysis': { may: semantics, npm: [] },
  'src/rpc': { may: semantics, npm: ['comlink', 'valibot'] },
  'src/tokenizing': { may: [...semantics, 'src/rpc'], npm: ['@huggingface/tokenizers'] },
  'src/data': { may: ['src/base', 'src/contracts'], npm: ['hyparquet', 'hyparquet-compressors', 'yaml', 'pako', 'hash-wasm'] },
  'src/weights': { may: ['src/base', 'src/contracts'], npm: [] },
  'src/planning': { may: ['src/base', 'src/contracts', 'src/data'], npm: [] },
  'src/onnx': { may: ['src/base'], npm: [] },
  'src/architectures': { may: ['src/base', 'src/contracts', 'src/onnx'], npm: [] },
  'src/conversion': { may: ['src/base', 'src/contracts', 'src/weights', 'src/onnx', 'src/architectures'], npm: [] },
  'src/engines': {
    may: ['src/base', 'src/contracts', 'src/planning', 'src/onnx', 'src/weights', 'src/architectures', 'src/conversion'],
    npm: ['onnxruntime-web', 'onnxruntime-common'],
  },
  'src/storage': { may: semantics, npm: ['idb'] },
  'src/second-opinion': { may: ['src/base', 'src/contracts', 'src/rpc', 'src/engines'], npm: ['@huggingface/transformers'] },
  'src/text-worker': { may: [...semantics, 'src/rpc', 'src/tokenizing'], npm: [] },
  'src/evaluation': {
    may: [...semantics, 'src/data', 'src/planning', 'src/conversion', 'src/engines', 'src/rpc', 'src/storage'],
    npm: [],
  },
  // The page knows the run worker by its address alone (`?worker&url`).
  'src/app': { may: [...semantics, 'src/rpc'], files: ['workers/run[.]worker[.]ts$'], npm: ['svelte', 'valibot', 'fflate'] },
  'src/ui': { may: [...semantics, 'src/rpc', 'src/app'], npm: ['svelte', 'qr', 'd3-scale', 'd3-shape'] },
  workers: {
    may: [
      ...semantics,
      'src/rpc',
      'src/tokenizing',
      'src/data',
      'src/planning',
      'src/engines',
      'src/storage',
      'src/second-opinion',
      'src/text-worker',
      'src/evaluation',
    ],
    npm: ['comlink'],
  },
}
/** What stands within a room in an order of its own: each part imports only those before it. */
export const parts = {
  'src/python': ['source', 'regex', 'yaml', 'jinja'],
  // The walk of a doc: task file, requests, filtered responses, metrics, results.
  'src/harness': ['tasks', 'requests', 'filters', 'metrics', 'results'],
  'src/ports': ['algebra', 'math-verify', 'original-mmlu', 'functions'],
  'src/analysis': ['answers', 'cluster', 'averages', 'compare', 'lab', 'viewer', 'scores', 'judge', 'shards', 'prompt-variants'],
}
const own = (room) => `^${room}/`
const pkg = (name) => `(^|/)node_modules/${name}(/|$)`
export default {
  forbidden: [
    ...Object.entries(rooms).map(([room, { may, files = [], npm }]) => ({
      name: `${room}-imports-only-what-it-may`,
      severity: 'error',
      from: { path: own(room) },
      to: { pathNot: [own(room), ...may.filter((other) => other !== room).map(own), ...files, ...npm.map(pkg)] },
    })),
    ...Object.entries(parts).flatMap(([room, names]) =>
      names.slice(0, -1).map((name, at) => ({
        name: `${room}/${name}-imports-no-later-part`,
        severity: 'error',
        from: { path: own(`${room}/${name}`) },
        to: { path: names.slice(at + 1).map((later) => own(`${room}/${later}`)) },
      })),
    ),
    {
      name: 'what-ships-imports-no-tools-or-tests',
      severity: 'error',
      from: { path: '^(src|workers)/' },
      to: { path: '^(tools|tests|scripts)/' },
    },
    {
      name: 'the-page-imports-no-command-line',
      severity: 'error',
      from: { path: '^(src|workers)/', pathNot: '^src/cli/' },
      to: { path: '^src/cli/' },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'resolvable', severity: 'error', from: { pathNot: '[.]svelte$' }, to: { couldNotResolve: true } },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)svelte/internal/|[?]url$|^tests/goldens/' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'svelte', 'browser', 'default', 'types'] },
  },
}
