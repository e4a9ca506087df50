/** Puts the app into a document, over any client: the real one, or a test's. */
import { mount } from 'svelte'
import { AppState } from '../app/app-state.svelte.ts'
import type { RunClient } from '../app/run-client.ts'
import App from './App.svelte'
import './styles.css'

export function mountApp(client: RunClient, target: Element): void {
  mount(App, { target, props: { app: new AppState(client) } })
}
