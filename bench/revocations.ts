import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CustomerId } from '#lib/access/rules.ts'
import { findCustomer } from '#lib/access/store.ts'
import { openDatabase, type Transaction } from '#lib/db/client.ts'
import { startWarden } from '#lib/db/embedded/test-warden.ts'
import { startEmbedded } from '#lib/db/embedded.ts'
import { migrate } from '#lib/db/migrate.ts'
import { scope } from '#lib/db/scope.ts'
import { addAsset, addCustomer, addKey, addMember } from '#lib/db/test-rows.ts'
import { setDisabled, setMember } from '#lib/members/store/write.ts'
import { startApp } from './http/program.ts'

// A thousand keys end, one way or another, while all of them are used as fast as they can be: is any request answered that
// began after its key had ended?
// npm run build, then npm run revocations [-- <keys, 1000 unless told>]

const count = Number(process.argv[2] ?? 1000)
const ASKING = 64
const ENDING = 8
const CUSTOMER = 'northwind'

const UNANSWERED = 0

type Key = { id: string; secret: string; member: string; isEnding?: true; endedAt?: number }

type Way = (url: string, admin: string, key: Key) => Promise<unknown>

/** Each ends a key, or takes away what it opens. */
const WAYS: Way[] = [
  (url, admin, { id }) => done(() => call(url, 'DELETE', `/billing/v1/keys/${id}`, admin)),
  (url, _, { secret }) => done(() => call(url, 'POST', '/auth/v1/leaked-keys', '', [{ token: secret }])),
  (url, _, { id, secret }) =>
    done(() => call(url, 'POST', `/billing/v1/keys/${id}/rotation`, secret, { overlap: 'now' })),
  (_, __, { member }) => ofCustomer((tx, id) => setDisabled(tx, id, member, true)),
  (_, __, { member }) => ofCustomer((tx, id) => setMember(tx, id, member, { roles: [] })),
]

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
  const keys = await Promise.all(Array.from({ length: count }, (_, n) => newKey(n)))
  // Two processes: what one of them has seen tells the other nothing.
  const app = await startApp(warden, embedded.url, '2')
  const faults = await revoked(app.url, admin, keys)
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
  return { id, member, secret: await addKey(CUSTOMER, ['it-manager'], { id, issuedBy: member }) }
}

async function revoked(url: string, admin: string, keys: Key[]): Promise<string[]> {
  const faults: string[] = []
  const tally = { requests: 0, later: 0, before: 0 }
  const ask = async (key: Key) => {
    const began = performance.now()
    const status = await call(url, 'GET', '/billing/v1/assets', key.secret).catch(() => UNANSWERED)
    if (status === UNANSWERED) return
    const isLater = key.endedAt !== undefined && began > key.endedAt
    tally.requests += 1
    tally[isLater ? 'later' : 'before'] += 1
    if (isLater && status !== 401 && status !== 403)
      faults.push(`${key.id}: ${status}, ${began - (key.endedAt ?? 0)} ms after its end`)
    if (!key.isEnding && status !== 200) faults.push(`${key.id}: ${status}, before its end`)
  }
  let isOver = false
  const asking = Array.from({ length: ASKING }, async () => {
    while (!isOver) await ask(keys[Math.floor(Math.random() * keys.length)] as Key)
  })
  const queue = [...keys.entries()]
  const ending = Array.from({ length: ENDING }, async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [n, key] = next
      key.isEnding = true
      await (WAYS[n % WAYS.length] as Way)(url, admin, key)
      key.endedAt = performance.now()
    }
  })
  await Promise.all(ending)
  isOver = true
  await Promise.all(asking)
  for (const key of keys) await ask(key)
  console.log(
    `${keys.length} keys ended under ${tally.requests} requests, ${tally.later} of them later: ${faults.length} faults.`,
  )
  return faults
}

type Change = (tx: Transaction, customerId: CustomerId) => Promise<void>

async function ofCustomer(change: Change): Promise<void> {
  const customer = await findCustomer(CUSTOMER)
  if (customer) await scope(customer, (tx) => change(tx, customer.customerId))
}

/** A connection that was not taken is tried again: what is asked here may be asked twice. */
async function done(ask: () => Promise<number>): Promise<void> {
  for (let tries = 1; tries <= 5; tries++) {
    const status = await ask().catch(() => UNANSWERED)
    if (status === 200) return
    if (status !== UNANSWERED) throw new Error(`A key was not ended: ${status}.`)
  }
  throw new Error('The service does not answer.')
}

async function call(url: string, method: string, path: string, key: string, body?: unknown): Promise<number> {
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(key ? { authorization: `Bearer ${key}` } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  await response.arrayBuffer()
  return response.status
}
