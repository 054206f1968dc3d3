import { openDatabase } from '#lib/platform/db/client.ts'
import { resolveUntilAborted } from './jobs.ts'
import { assetIdOf } from './seeds.ts'
import type { Seed } from './stage.ts'
import { type Answered, write } from './writers.ts'

// A process of several that share a database: runs writers and the job, until it is told to end, or killed.

/** Input of a process, as one argument. */
export type WriterInput = {
  database: string
  vendor: string
  seeds: Seed[]
  keys: string[]
  /** Prefix of the process's request ids. */
  name: string
  seed: number
}

const { database, vendor, seeds, keys, name, seed } = JSON.parse(process.argv[2] ?? '') as WriterInput
const opened = openDatabase(database)
const end = new AbortController()
process.on('message', () => end.abort())
// The parent process has ended.
process.on('disconnect', () => process.exit())
const resolving = resolveUntilAborted(end.signal)
const onAnswer = (answer: Answered) => process.send?.(answer)
await write({ vendor, seeds, keys, assetId: assetIdOf }, { patches: end.signal, seed, name, onAnswer })
await resolving
await opened.close()
process.disconnect()
