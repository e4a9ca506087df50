/** Starts the page. */
import { createRunClient } from './app/run-client.ts'
import { mountApp } from './ui/mount.ts'

mountApp(createRunClient(), document.body)
