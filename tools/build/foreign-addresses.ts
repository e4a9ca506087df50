/**
 * Which addresses of other origins a built file names. A name is no request, but a new one must be looked at by a person and
 * then written down here; the Content-Security-Policy blocks what slips through, and a browser test watches the network.
 */

/** Hosts that may stand in the build, and why. */
const knownHosts: { readonly [host: string]: string } = {
  'huggingface.co': 'the Hub: the one place that is fetched from',
  'github.com': 'in messages and comments',
  'www.w3.org': 'XML namespaces',
  'svelte.dev': 'links in messages',
  'json-schema.org': 'schema names in messages',
  'onnxruntime.ai': 'links in messages of onnxruntime-web',
  'developer.mozilla.org': 'links in messages',
  'web.dev': 'links in messages of onnxruntime-web',
  'rolldown.rs': 'links in messages of the bundler',
  'files.invalid': 'a base for relative addresses; the name can never resolve (RFC 6761)',
  'www.npmjs.com': 'a link in a message of hash-wasm',
  'example.org': 'an example in a text; reserved for that (RFC 2606)',
  'yaml.org': 'tag names (tag:yaml.org,2002)',
}

/** Hosts from which libraries load code by default: never in the build, whatever the context. */
const codeHosts =
  /(^|\.)(jsdelivr\.net|unpkg\.com|cdnjs\.cloudflare\.com|esm\.sh|skypack\.dev|googleapis\.com|gstatic\.com|jspm\.(io|dev))$/

/** Addresses in `text` whose host isn't known, each once. */
export function foreignAddresses(text: string): string[] {
  const found = [...text.matchAll(/(?:https?|wss?):\/\/([a-z0-9.-]+\.[a-z]{2,})(?::\d+)?[^\s"'`<>\\)]*/gi)]
  const foreign = found.filter(([, host = '']) => codeHosts.test(host.toLowerCase()) || !isKnown(host.toLowerCase()))
  return [...new Set(foreign.map(([address]) => address))]
}

function isKnown(host: string): boolean {
  return (
    Object.keys(knownHosts).some((known) => host === known || host.endsWith(`.${known}`)) || host === 'hf.co' || host.endsWith('.hf.co')
  )
}
