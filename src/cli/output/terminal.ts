/** What the command line writes: untrusted files, models and datasets give most of the text, so all of it goes through here. */

/**
 * Control characters but tab and line feed, in which escape sequences begin and lines are overwritten; marks, embeddings and isolates that
 * rearrange text; line separators.
 */
// oxlint-disable-next-line no-control-regex -- finding control characters is what it is for
const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** The text with such characters as `\u001b`: seen, obeyed by no terminal, and still the same value inside JSON. */
export function visible(text: string): string {
  return text.replace(hidden, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** One line, or several, on standard output. */
export function print(text: string): void {
  process.stdout.write(`${visible(text)}\n`)
}

/** Text on standard error, as it stands but for what is hidden. */
export function complain(text: string): void {
  process.stderr.write(visible(text))
}
