/** The environment of every program that we start: no token or key is any of its business. */

/** The Hub's token by all names that its libraries read, and the judge's key. */
const secrets = /^(?:HF_TOKEN|HF_API_TOKEN|HUGGING_?FACE_(?:HUB_)?(?:API_)?TOKEN|HUGGINGFACEHUB_API_TOKEN|YARDSTICK_JUDGE_KEY)$/i

/** This process's environment without them, `more` added. */
export function childEnvironment(more: { readonly [name: string]: string } = {}): { [name: string]: string } {
  const kept = Object.entries(process.env).flatMap(([name, value]) => (value === undefined || secrets.test(name) ? [] : [[name, value]]))
  return { ...(Object.fromEntries(kept) as { [name: string]: string }), ...more } // Pairs of two strings, as just made.
}
