import { openDatabase } from '#lib/platform/db/client.ts'
import { resolveUntilAborted } from './jobs.ts'
import { assetIdOf } from './seeds.ts'
import type { Seed } from './stage.ts'
import { type Answered, write } from './writers.ts'

// One of several processes that share a database: writers and the job, until it is told to end, or killed.

/** What a process is given, as one argument. */
export type WriterInput = {
  database: string
  vendor: string
  seeds: Seed[]
  keys: string[]
  /** What the ids of its requests begin with. */
  name: string
  seed: number
}

const { database, vendor, seeds, keys, name, seed } = JSON.parse(process.argv[2] ?? '') as WriterInput
const opened = openDatabase(database)
const end = new AbortController()
process.on('message', () => end.abort())
// Whoever started it is gone.
process.on('disconnect', () => process.exit())
const resolving = resolveUntilAborted(end.signal)
const onAnswer = (answer: Answered) => process.send?.(answer)
await write({ vendor, seeds, keys, assetId: assetIdOf }, { patches: end.signal, seed, name, onAnswer })
await resolving
await opened.close()
process.disconnect()
