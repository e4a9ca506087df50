/** How the Hub is reached, and what else only the one that opened the browser knows. */

/** Given anew by each page or command line and kept in memory only; never part of a run's settings. */
export interface HubAccess {
  /** Without a slash at its end; null = https://huggingface.co. */
  readonly base: string | null
  /** Sent to `base` alone, never along a redirect. */
  readonly token: string | null
  /** Models on our own origin, by the name that the settings use: where their Hub is, and the id they have there. */
  readonly localModels: { readonly [model: string]: { readonly base: string; readonly id: string } }
  /** Where addresses of `RunSettings.dataFiles` that begin with `named` are served this time: below `at`. */
  readonly localFiles?: { readonly named: string; readonly at: string }
  /** Switches of its GPU that the browser was started with: not of the Hub, but known to the same one, the command line. */
  readonly switches?: readonly string[]
}
