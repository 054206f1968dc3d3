import { setTimeout as sleep } from 'node:timers/promises'
import type { Load } from './load.ts'
import { waitFor } from './programs.ts'
import type { Tally } from './tally.ts'

type Options = { seconds: number; name: string; kill: () => unknown; until?: () => Promise<unknown> }

/**
 * Kills, waits until changes are acknowledged again, and goes on for so many seconds.
 * @param options.until resolves when the database is complete again, if the load goes on until then
 * @throws Error if no change is acknowledged for two minutes
 */
export async function part(load: Load, { seconds, name, kill, until }: Options): Promise<Tally> {
  console.log(`Killed: ${name} …`)
  const tally = load.count(name)
  await kill()
  await sleep(1000)
  const before = tally.changes
  await waitFor(async () => tally.changes > before).catch((error: Error) => {
    throw new Error(`No change is acknowledged: ${tally.fault ?? 'no answer'}`, { cause: error })
  })
  await until?.()
  await sleep(seconds * 1000)
  tally.end()
  return tally
}
