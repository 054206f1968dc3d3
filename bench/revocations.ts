import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '#lib/platform/db/client.ts'
import { startProcessReaper } from '#lib/platform/db/embedded/test-process-reaper.ts'
import { startEmbedded } from '#lib/platform/db/embedded.ts'
import { migrate } from '#lib/platform/db/migrate.ts'
import { addAsset, addCustomer, addKey, addMember } from '#lib/platform/db/test-rows.ts'
import { startApp } from './http/program.ts'
import {
  BY_DIRECTORY,
  BY_SCREEN,
  CUSTOMER,
  call,
  cookieOf,
  directoryOf,
  type Key,
  type Means,
  REVOCATIONS,
  type Revocation,
  UNANSWERED,
} from './revocation-methods.ts'

// Revokes a thousand keys in different ways while all of them are in use at full speed, and checks whether a request
// that began after its key was revoked is answered.
// npm run build, then npm run revocations [-- <keys, default 1000> [<method: api by default, scim or screen>]]

const count = Number(process.argv[2] ?? 1000)
const REVOCATIONS_BY: Record<string, readonly Revocation[]> = {
  api: REVOCATIONS,
  scim: BY_DIRECTORY,
  screen: BY_SCREEN,
}
const revocations = REVOCATIONS_BY[process.argv[3] ?? 'api'] ?? []
if (revocations.length === 0)
  throw new Error(`Keys are ended by one of ${Object.keys(REVOCATIONS_BY).join(', ')}.`)
const isByScreen = revocations === BY_SCREEN
const CONCURRENT_REQUESTS = 64
const ENDING = 8
/** Keys that are made in parallel: one customer waits for its turn on the pool. */
const AT_ONCE = 20

const reaper = startProcessReaper()
const folder = await mkdtemp(join(tmpdir(), 'console-revocations-'))
reaper.removeFolder(folder)
const embedded = await startEmbedded(join(folder, 'database'))
await migrate(embedded.url)
const database = openDatabase(embedded.url)
try {
  await addCustomer(CUSTOMER)
  await addAsset(CUSTOMER, 'workspace-suite-1', { purchased: 5 })
  const admin = await addKey(CUSTOMER, ['admin'])
  const keys: Key[] = []
  while (keys.length < count) {
    const most = Math.min(AT_ONCE, count - keys.length)
    keys.push(...(await Promise.all(Array.from({ length: most }, (_, n) => newKey(keys.length + n)))))
  }
  const cookie = await cookieOf(await addMember(CUSTOMER, { roles: ['admin'] }))
  const means = { admin, cookie, ...(await directoryOf(keys)) }
  // Two processes, because each has its own cache.
  const app = await startApp(reaper, embedded.url, '2')
  const faults = await revoked(app.url, means, keys)
  await app.stop()
  for (const fault of faults.slice(0, 20)) console.log(fault)
  process.exitCode = faults.length > 0 ? 1 : 0
} finally {
  await database.close()
  await embedded.release()
  await reaper.dismiss()
  await rm(folder, { recursive: true, force: true })
}

async function newKey(n: number): Promise<Key> {
  const member = await addMember(CUSTOMER, { roles: ['it-manager'] })
  const id = `key-${n}`
  const secret = await addKey(CUSTOMER, ['it-manager'], { id, issuedBy: member })
  return { id, member, secret, cookie: isByScreen ? await cookieOf(member) : '' }
}

async function revoked(url: string, means: Means, keys: Key[]): Promise<string[]> {
  const faults: string[] = []
  const tally = { requests: 0, later: 0, before: 0, inSessions: 0 }
  /** Sends calls with the key; if the screens revoke it, with its member's session, too. */
  const sendBoth = async (key: Key) => {
    await send(key, key.secret)
    if (isByScreen && !key.isKeyAlone) await send(key, key)
  }
  const send = async (key: Key, by: string | { cookie: string }) => {
    const began = performance.now()
    const status = await call(url, 'GET /billing/v1/assets', by).catch(() => UNANSWERED)
    if (status === UNANSWERED) return
    const isAfterRevocation = key.endedAt !== undefined && began > key.endedAt
    tally.requests += 1
    if (by === key) tally.inSessions += 1
    tally[isAfterRevocation ? 'later' : 'before'] += 1
    if (isAfterRevocation && status !== 401 && status !== 403)
      faults.push(`${key.id}: ${status}, ${began - (key.endedAt ?? 0)} ms after its end`)
    if (!key.isEnding && status !== 200) faults.push(`${key.id}: ${status}, before its end`)
  }
  let isOver = false
  const requests = Array.from({ length: CONCURRENT_REQUESTS }, async () => {
    while (!isOver) await sendBoth(keys[Math.floor(Math.random() * keys.length)] as Key)
  })
  const queue = [...keys.entries()]
  const ending = Array.from({ length: ENDING }, async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [n, key] = next
      key.isEnding = true
      await (revocations[n % revocations.length] as Revocation)(url, means, key)
      key.endedAt = performance.now()
    }
  })
  await Promise.all(ending)
  isOver = true
  await Promise.all(requests)
  for (const key of keys) await sendBoth(key)
  console.log(
    `${keys.length} keys ended under ${tally.requests} requests, ${tally.inSessions} of them by cookie, ${tally.later} later: ${faults.length} faults.`,
  )
  return faults
}
