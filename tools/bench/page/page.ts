/** The page around an arm's worker, which starts as the app's workers do. */
import { startWorker } from '../../../src/rpc/start-worker.ts'
import type { ArmApi } from './arm-api.ts'
import workerAddress from './arm.worker.ts?worker&url'

declare global {
  interface Window {
    arm: ArmApi
  }
}

window.arm = startWorker<ArmApi>(workerAddress, { name: 'arm' }).api
