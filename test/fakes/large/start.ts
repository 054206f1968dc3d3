import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { NO_NETWORK } from '../no-network.ts'
import { vendorFakes } from '../vendor-fakes.ts'
import type { FaultPlan, ProcessMessage } from './process.ts'

/** A fake in a separate process. It counts the calls since the last fault plan. */
export type Large = {
  request(command: FaultPlan | 'counts'): Promise<ProcessMessage>
  close(): void
}

/**
 * Starts a vendor's fake with so many subscriptions, and sets this process's settings to this vendor only.
 * @param folder for files that its settings name
 */
export async function startLarge(vendor: string, subscriptions: number, folder: string): Promise<Large> {
  const path = fileURLToPath(new URL('process.ts', import.meta.url))
  const child = fork(path, [vendor, String(subscriptions), folder])
  const [{ settings }] = (await once(child, 'message')) as [ProcessMessage]
  // The measurement counts calls, not how long calls wait for each other.
  const limits = Object.fromEntries(vendorFakes.map(({ callsSetting }) => [callsSetting, '1000000']))
  Object.assign(process.env, NO_NETWORK, limits, settings)
  return {
    async request(command) {
      const answer = once(child, 'message')
      child.send(command)
      return (await answer)[0]
    },
    close: () => child.disconnect(),
  }
}
