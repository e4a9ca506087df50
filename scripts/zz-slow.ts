import { readYaml } from '/root/y/wt/links/src/core/yaml.ts'
import { parse } from 'yaml'
const inputs: Record<string, string> = {
  flow: 'a: ' + '['.repeat(20000),
  flowclosed: 'a: ' + '['.repeat(5000) + ']'.repeat(5000),
  dashes: 'a:\n ' + '- '.repeat(20000) + 'x',
  questions: '? '.repeat(5000) + 'x',
  keys: Array.from({ length: 20000 }, (_, i) => `k${i}: 1`).join('\n'),
  quotes: 'a: "' + '\n'.repeat(200000) + '"',
  plain: 'a: ' + 'x\n  '.repeat(100000),
  anchors: Array.from({ length: 20000 }, (_, i) => `k${i}: &a${i} 1`).join('\n') + '\n' + Array.from({ length: 20000 }, (_, i) => `l${i}: *a${i}`).join('\n'),
  bomb: 'a0: &a0 [x,x,x,x,x,x,x,x,x]\n' + Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`).join(',')}]`).join('\n'),
  comments: '# x\n'.repeat(100000),
  tabs: 'a:' + '\t'.repeat(100000) + 'b',
  spaces: 'a: ' + ' '.repeat(200000) + '#',
  merge: 'b: &b {' + Array.from({ length: 3000 }, (_, i) => `k${i}: 1`).join(', ') + '}\n' + Array.from({ length: 300 }, (_, i) => `c${i}: {<<: *b}`).join('\n'),
  blockscalar: 'a: |\n' + '  x\n'.repeat(200000),
  flowkeys: 'a: {' + Array.from({ length: 20000 }, (_, i) => `k${i}: 1`).join(', ') + '}',
}
for (const [name, text] of Object.entries(inputs).filter(([n])=>n===process.argv[2])) {
  for (const [how, f] of [['core', () => readYaml('dataset_kwargs: {data_files: x}\n' + text, 't.yaml')], ['yaml', () => parse(text, { uniqueKeys: false, logLevel: 'silent' })]] as const) if (how === process.argv[3]) {
    const t = performance.now()
    let r = 'ok'
    try { f() } catch (e) { r = String((e as Error).message).slice(0, 60).replaceAll('\n', ' ') }
    console.log(name, how, text.length, Math.round(performance.now() - t), 'ms', r)
  }
}
