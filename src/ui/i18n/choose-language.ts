/** Changes the language of the page. A translation is a file of its own, loaded when it is chosen. */
import { language, languages, type Language } from './language.svelte.ts'
import type { Translation } from './translation.ts'

const storageKey = 'yardstick-language'

const load: { readonly [language in Exclude<Language, 'en'>]: () => Promise<Translation> } = {
  fr: async () => (await import('./fr.json')).default,
  sw: async () => (await import('./sw.json')).default,
  zh: async () => (await import('./zh.json')).default,
}

/** What was chosen before; English where nothing was, or storage is blocked. */
export function storedLanguage(): Language {
  try {
    const stored = localStorage.getItem(storageKey)
    return languages.find((one) => one === stored) ?? 'en'
  } catch {
    return 'en'
  }
}

/** Shows the page in a language. Fails when its file can't be loaded; the page then stays as it is. */
export async function showLanguage(to: Language): Promise<void> {
  language.texts = to === 'en' ? null : { ...(await load[to]()) }
  language.current = to
  document.documentElement.lang = to
}

/** Shows the page in a language and remembers it. */
export async function chooseLanguage(to: Language): Promise<void> {
  await showLanguage(to)
  try {
    localStorage.setItem(storageKey, to)
  } catch {
    // Storage may be blocked; the choice then lasts as long as the page.
  }
}
