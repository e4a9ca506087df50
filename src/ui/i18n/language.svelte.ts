/** The language of the page, and the texts of a language other than English once they are loaded (`choose-language.ts`). */

export const languages = ['en', 'fr', 'sw', 'zh'] as const
export type Language = (typeof languages)[number]

/** Each language by its own name. */
export const languageNames: { readonly [language in Language]: string } = { en: 'English', fr: 'Français', sw: 'Kiswahili', zh: '中文' }

class CurrentLanguage {
  /** BCP 47. */
  current: Language = $state.raw('en')
  /** Sections by name, as `Translation` names them; null in English. */
  texts: { readonly [section: string]: object } | null = $state.raw(null)
}

export const language = new CurrentLanguage()

/** A file's texts with any strings in the place of its own. */
type Translated<English> = { readonly [key in keyof English]: English[key] extends string ? string : English[key] }

/** The texts of an English file in the language of the page. Called while a component renders, it follows a change of language. */
export function translated<English extends object>(section: string, english: English): Translated<English> {
  // What is loaded is a Translation: its sections have the keys of their English files, or they wouldn't have compiled.
  return (language.texts?.[section] ?? english) as Translated<English>
}
