import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '#lib/platform/db/client.ts'
import { startWarden } from '#lib/platform/db/embedded/test-warden.ts'
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
  UNANSWERED,
  WAYS,
  type Way,
} from './revocation-ways.ts'

// A thousand keys end, one way or another, while all of them are used as fast as they can be: is any request answered that
// began after its key had ended?
// npm run build, then npm run revocations [-- <keys, 1000 unless told> [<by whom: api unless told, scim or screen>]]

const count = Number(process.argv[2] ?? 1000)
const WAYS_BY: Record<string, readonly Way[]> = { api: WAYS, scim: BY_DIRECTORY, screen: BY_SCREEN }
const ways = WAYS_BY[process.argv[3] ?? 'api'] ?? []
if (ways.length === 0) throw new Error(`Keys are ended by one of ${Object.keys(WAYS_BY).join(', ')}.`)
const isByScreen = ways === BY_SCREEN
const ASKING = 64
const ENDING = 8
/** So many keys are made at once: one customer waits for its turn at the connections. */
const AT_ONCE = 20

const warden = startWarden()
const folder = await mkdtemp(join(tmpdir(), 'console-revocations-'))
warden.removeFolder(folder)
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
  // Two processes: what one of them has seen tells the other nothing.
  const app = await startApp(warden, embedded.url, '2')
  const faults = await revoked(app.url, means, keys)
  await app.stop()
  for (const fault of faults.slice(0, 20)) console.log(fault)
  process.exitCode = faults.length > 0 ? 1 : 0
} finally {
  await database.close()
  await embedded.release()
  await warden.dismiss()
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
  /** Calls by the key; where the screens end it, by its member's session, too. */
  const askBoth = async (key: Key) => {
    await ask(key, key.secret)
    if (isByScreen && !key.isKeyAlone) await ask(key, key)
  }
  const ask = async (key: Key, by: string | { cookie: string }) => {
    const began = performance.now()
    const status = await call(url, 'GET', '/billing/v1/assets', by).catch(() => UNANSWERED)
    if (status === UNANSWERED) return
    const isLater = key.endedAt !== undefined && began > key.endedAt
    tally.requests += 1
    if (by === key) tally.inSessions += 1
    tally[isLater ? 'later' : 'before'] += 1
    if (isLater && status !== 401 && status !== 403)
      faults.push(`${key.id}: ${status}, ${began - (key.endedAt ?? 0)} ms after its end`)
    if (!key.isEnding && status !== 200) faults.push(`${key.id}: ${status}, before its end`)
  }
  let isOver = false
  const asking = Array.from({ length: ASKING }, async () => {
    while (!isOver) await askBoth(keys[Math.floor(Math.random() * keys.length)] as Key)
  })
  const queue = [...keys.entries()]
  const ending = Array.from({ length: ENDING }, async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [n, key] = next
      key.isEnding = true
      await (ways[n % ways.length] as Way)(url, means, key)
      key.endedAt = performance.now()
    }
  })
  await Promise.all(ending)
  isOver = true
  await Promise.all(asking)
  for (const key of keys) await askBoth(key)
  console.log(
    `${keys.length} keys ended under ${tally.requests} requests, ${tally.inSessions} of them by cookie, ${tally.later} later: ${faults.length} faults.`,
  )
  return faults
}
