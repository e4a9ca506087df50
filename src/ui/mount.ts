/** Puts the app into a document, over any client: the real one, or a test's. */
import { mount } from 'svelte'
import { AppState } from '../app/app-state.svelte.ts'
import type { RunClient } from '../app/run-client.ts'
import App from './App.svelte'
import { showLanguage, storedLanguage } from './i18n/choose-language.ts'
import './styles.css'

export function mountApp(client: RunClient, target: Element): void {
  const show = () => mount(App, { target, props: { app: new AppState(client) } })
  const stored = storedLanguage()
  if (stored === 'en') show()
  // Without its file, the page is better in English than not at all.
  else showLanguage(stored).then(show, show)
}
