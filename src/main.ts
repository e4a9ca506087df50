/** Starts the page. */
import { createRunClient } from './app/run-client.ts'
import { mountApp } from './ui/mount.ts'

mountApp(createRunClient(), document.body)

// Only where a user has asked for use without a network (storage page) is there a service worker, and something to bring up to date.
const workers: ServiceWorkerContainer | undefined = navigator.serviceWorker
if (workers?.controller) import('./app/storage/offline-files.ts').then(async ({ refreshOffline }) => refreshOffline(), reportError)
