import { openDatabase } from '#lib/platform/db/client.ts'
import { type Sent, send } from './orderers.ts'
import { assetIdOf } from './seeds.ts'
import type { Seed } from './stage.ts'

// One request about a next term in a process of its own, which is killed in the midst of it.

export type OrderTask = { database: string; key: string; seed: Seed; sent: Sent }

const { database, key, seed, sent } = JSON.parse(process.argv[2] ?? '') as OrderTask
const opened = openDatabase(database)
process.stdout.write(await send({ keys: [key], assetId: assetIdOf }, 0, seed, sent))
await opened.close()
