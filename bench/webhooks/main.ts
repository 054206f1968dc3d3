import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { openDatabase } from '#lib/platform/db/client.ts'
import { startProcessReaper } from '#lib/platform/db/embedded/test-process-reaper.ts'
import { startEmbedded } from '#lib/platform/db/embedded.ts'
import { migrate } from '#lib/platform/db/migrate.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { addAssets, addCustomer, addInvoice, addKey, addMember } from '#lib/platform/db/test-rows.ts'
import { installationSecret } from '#lib/platform/runtime/secrets.ts'
import { type Program, startApp } from '../http/program.ts'
import { type Pace, paceOf } from '../http/throughput.ts'
import { cookieOf } from '../revocation-methods.ts'
import { MODES, type Mode, Receiver, sequenceFaults } from './receiver.ts'

// Attacks the webhooks of the built app: two processes on one PostgreSQL, a receiver that fails in turn in each way, and
// one process that is killed twice, while licenses are changed by API and payments are imported by the command line.
// Checks whether each event was accepted at least once and in order per object, and how another customer fares.
// npm run build, then npm run webhooks [-- <events, default 1200>]

const EVENTS = Number(process.argv[2] ?? 1200)
const [ATTACKED, OTHER] = ['northwind', 'contoso']
const [ASSETS, PAYMENTS, FILES] = [20, 100, 4]
const MODE_MS = 8000
const QUIET_MS = 20_000
/** Longest wait for the last event. */
const DRAIN_MS = 300_000

/** Changes of the other customer: how many, and how many of each asset. Each has an event, in their order. */
let total = 1
const othersChanges = new Map<string, number>()

const reaper = startProcessReaper()
const folder = await mkdtemp(join(tmpdir(), 'console-webhooks-'))
reaper.removeFolder(folder)
const embedded = await startEmbedded(join(folder, 'database'))
await migrate(embedded.url)
const database = openDatabase(embedded.url)
const [receiver, other, forbidden] = [new Receiver(), new Receiver(), new Receiver()]
try {
  process.exitCode = (await attack()) ? 0 : 1
} finally {
  await Promise.all([receiver, other, forbidden].map((one) => one.close()))
  await database.close()
  await embedded.release()
  await reaper.dismiss()
  await rm(folder, { recursive: true, force: true })
}

async function attack(): Promise<boolean> {
  await Promise.all([receiver, other, forbidden].map((one) => one.listen()))
  receiver.redirect = `http://${forbidden.host}/redirected`
  const key = await addRows(ATTACKED)
  const otherKey = await addRows(OTHER)
  const settings = { WEBHOOK_PRIVATE_HOSTS: `${receiver.host},${other.host}` }
  const start = () => startApp(reaper, embedded.url, '1', settings)
  const [stays, first] = await Promise.all([start(), start()])
  const servers = { stays, killed: first as Program | undefined }
  const faults: string[] = []
  await addWebhooks(stays.url, faults)

  const quiet = await watch(stays.url, otherKey, (isOver) => sleep(QUIET_MS).then(() => void isOver()))
  print('nothing else', quiet)
  const plain = startWriters(() => [stays.url, servers.killed?.url], key)
  print(
    'changes, all well',
    await watch(stays.url, otherKey, (isOver) => sleep(QUIET_MS).then(() => void isOver())),
  )
  const before = plain.done()
  const done = () => plain.done() - before
  const attacked = await watch(stays.url, otherKey, async (isOver) => {
    let isEnough = false
    const modes = changeModes(() => isEnough)
    const payments = importPayments()
    const kills = (async () => {
      for (const share of [1 / 3, 2 / 3]) {
        while (done() < (EVENTS - PAYMENTS) * share) await sleep(50)
        servers.killed?.kill()
        servers.killed = undefined
        servers.killed = await start()
      }
    })()
    while (done() < EVENTS - PAYMENTS) await sleep(100)
    await Promise.all([kills, payments, plain.stop()])
    isEnough = true
    await modes
    isOver()
  })
  print('failing receiver, kills', attacked)
  const expected = await expectedEvents()
  const until = performance.now() + DRAIN_MS
  const missing = () => [...expected.difference(receiver.accepted())]
  while (missing().length > 0 && performance.now() < until) await sleep(200)
  faults.push(
    ...missing().map((id) => `${id} was never accepted`),
    ...sequenceFaults(receiver),
    ...sequenceFaults(other),
  )
  if (receiver.unverified + other.unverified > 0) faults.push('A signature was wrong.')
  const stray = forbidden.connections
  if (stray > 0) faults.push(`${stray} connections to an address that is not allowed`)
  console.log(`${expected.size} events, requests by mode: ${JSON.stringify(receiver.counts)}`)
  console.log(
    `${plain.refused()} changes were refused or not answered, and repeated; ${stray} forbidden connections`,
  )
  for (const fault of faults.slice(0, 20)) console.log(fault)
  console.log(`${faults.length} faults`)
  await Promise.all([stays.stop(), servers.killed?.stop()])
  return faults.length === 0
}

/** Adds a customer with assets and invoices. @returns a key that may read and change all */
async function addRows(customer: string): Promise<string> {
  await addCustomer(customer)
  const subscription = { purchased: 1 }
  await addAssets(
    customer,
    Array.from({ length: ASSETS }, (_, n) => ({ id: `workspace-suite-${n}`, subscription, overrides: {} })),
  )
  for (let n = 0; n < PAYMENTS; n++) await addInvoice(customer, `${customer}-${n}`)
  return addKey(customer, ['admin', 'it-manager', 'finance-user'])
}

/** Adds the webhooks by API, like an Admin on the screen, and one whose address becomes a forbidden one. */
async function addWebhooks(url: string, faults: string[]): Promise<void> {
  for (const [customer, to] of [
    [ATTACKED, receiver],
    [OTHER, other],
  ] as const) {
    const cookie = await cookieOf(await addMember(customer, { roles: ['admin'] }), customer)
    const add = async (address: string) => {
      const response = await fetch(`${url}/billing/v1/webhooks`, {
        method: 'POST',
        headers: { cookie, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'attack', url: address }),
      })
      return {
        status: response.status,
        ...((await response.json()) as { secret?: string; webhook?: { id: string } }),
      }
    }
    const { status, secret } = await add(`http://${to.host}/hooks`)
    if (!secret) throw new Error(`A webhook was not added: ${status}.`)
    to.secret = secret
    if (to !== receiver) continue
    for (const address of [
      `http://${forbidden.host}/`,
      'https://169.254.169.254/',
      'https://[::ffff:10.0.0.1]/',
    ])
      if ((await add(address)).status < 400) faults.push(`${address} was accepted`)
    const { webhook } = await add(`http://${receiver.host}/moves`)
    if (!webhook) throw new Error('The second webhook was not added.')
    await moveWebhook(customer, webhook.id, `http://${forbidden.host}/`)
  }
}

/** Moves a webhook in the database, as if its host's address had changed since it was added. */
async function moveWebhook(customer: string, id: string, url: string): Promise<void> {
  const customerId = newCustomerId(customer)
  await scope({ customerId }, (tx) =>
    tx.execute(
      sql`UPDATE webhook_endpoints SET url = ${url} WHERE customer_id = ${customerId} AND id = ${id}`,
    ),
  )
}

/** Returns the ids of the changes and payments of the attacked customer. */
async function expectedEvents(): Promise<Set<string>> {
  const customerId = newCustomerId(ATTACKED)
  const { rows } = await scope({ customerId }, (tx) =>
    tx.execute<{ id: string }>(sql`
      SELECT id FROM license_changes WHERE customer_id = ${customerId} AND state = 'APPLIED'
      UNION ALL SELECT id FROM payments WHERE customer_id = ${customerId}`),
  )
  return new Set(rows.map(({ id }) => id))
}

/** Lets the receiver fail in each way, in turn, until `isEnough`; then it is good. */
async function changeModes(isEnough: () => boolean): Promise<void> {
  const failures: readonly Mode[] = MODES.filter((mode) => mode !== 'good')
  for (let at = 0; !isEnough() || at < failures.length; at++) {
    await receiver.set(failures[at % failures.length] as Mode)
    await sleep(MODE_MS)
    await receiver.set('good')
    await sleep(MODE_MS / 2)
  }
}

/** Imports payments of the invoices by the command line, in several files. */
async function importPayments(): Promise<void> {
  const program = ['--conditions=react-server', '--no-warnings', 'lib/admin/main.ts']
  const env = { ...process.env, DATABASE_URL: embedded.url, DATABASE_SECRET: installationSecret('database') }
  for (let file = 0; file < FILES; file++) {
    const rows = Array.from({ length: PAYMENTS / FILES }, (_, n) => file * (PAYMENTS / FILES) + n)
    const lines = rows.map((n) => `2026-11-20,10.00,USD,BANK-${n},${ATTACKED}-${n}`)
    const args = ['payments', 'import', '-', '--customer', ATTACKED]
    const child = spawn(process.execPath, [...program, ...args], { env, stdio: 'pipe' })
    child.stdin.end(['date,amount,currency,reference,invoice', ...lines, ''].join('\n'))
    const [output, errors, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ])
    if (code !== 0) throw new Error(`payments import ended with ${code}: ${output}${errors}`)
  }
}

/** Starts a writer per asset that keeps raising its total by one. */
function startWriters(urls: () => (string | undefined)[], key: string) {
  const PAUSE_MS = 1000
  const counts = { done: 0, refused: 0 }
  let isOver = false
  const writers = Array.from({ length: ASSETS }, async (_, n) => {
    for (let quantity = 2; !isOver; quantity++) {
      const id = `"${n}-${quantity}"`
      for (;;) {
        const there = urls().filter((url) => url !== undefined)
        const url = there[(n + quantity) % there.length] as string
        if (await change(url, { key, id, asset: `workspace-suite-${n}`, quantity })) break
        counts.refused += 1
        await sleep(250)
      }
      counts.done += 1
      await sleep(PAUSE_MS)
    }
  })
  const stop = async () => {
    isOver = true
    await Promise.all(writers)
  }
  return { done: () => counts.done, refused: () => counts.refused, stop }
}

type Change = { key: string; id: string; asset: string; quantity: number }

/** Sends a change, and returns whether it was accepted. */
async function change(url: string, { key, id, asset, quantity }: Change): Promise<boolean> {
  const response = await fetch(`${url}/billing/v1/assets/${asset}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': id },
    body: JSON.stringify({ quantity }),
    signal: AbortSignal.timeout(30_000),
  }).catch(() => undefined)
  await response?.arrayBuffer().catch(() => undefined)
  return response?.ok ?? false
}

/** Service of the other customer: its list, and the time from a change to the receipt of its event. */
type Seen = { list: Pace; deliveries: Pace }

/** Lets the other customer read its list and change licenses while something else happens. */
async function watch(url: string, key: string, run: (isOver: () => void) => Promise<void>): Promise<Seen> {
  const began = performance.now()
  let isEnded = false
  const ended = run(() => {
    isEnded = true
  })
  const list: number[] = []
  let failed = 0
  const read = async () => {
    while (!isEnded) {
      const start = performance.now()
      const response = await fetch(`${url}/billing/v1/invoices`, {
        headers: { authorization: `Bearer ${key}` },
      })
      await response.arrayBuffer()
      if (response.status !== 200) failed += 1
      list.push(performance.now() - start)
      await sleep(100)
    }
  }
  const changed: { asset: string; at: number; position: number }[] = []
  const write = async () => {
    for (let n = 0; !isEnded; n++) {
      const asset = `workspace-suite-${n % ASSETS}`
      total += 1
      if (await change(url, { key, id: `"other-${total}"`, asset, quantity: total })) {
        const position = othersChanges.get(asset) ?? 0
        othersChanges.set(asset, position + 1)
        changed.push({ asset, at: performance.now(), position })
      }
      await sleep(500)
    }
  }
  await Promise.all([ended, read(), write()])
  const arrivalOf = ({ asset, position }: (typeof changed)[number]) =>
    [...(other.objects.get(asset)?.values() ?? [])].sort((a, b) => a.version - b.version)[position]
  const until = performance.now() + 60_000
  while (changed.some((one) => !arrivalOf(one)?.acceptedAt) && performance.now() < until) await sleep(100)
  const seconds = (performance.now() - began) / 1000
  const deliveries = changed.map((one) => (arrivalOf(one)?.acceptedAt ?? Number.POSITIVE_INFINITY) - one.at)
  return { list: paceOf(list, seconds, failed), deliveries: paceOf(deliveries, seconds) }
}

function print(name: string, { list, deliveries }: Seen): void {
  const line = ({ median, p99, requests }: Pace) =>
    `${requests}, ${median.toFixed(0)} ms median, ${p99.toFixed(0)} ms p99`
  console.log(`${name}: lists ${line(list)}, ${list.failed} failed; deliveries ${line(deliveries)}`)
}
