import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { recordEvent } from '#lib/platform/outbox/events.ts'
import { startReceiver, startWorker } from '../../../test/fakes/webhooks/receiver.ts'
import { countOf, printSeed, randomOfRun } from '../../../test/fuzz/run.ts'
import { addAdmin, addEndpoint, assetEvent, openStage } from './test-stage.ts'

printSeed('lib/notifications/webhooks/deliver.deep.test.ts')
const [EVENTS, OBJECTS, CUSTOMERS] = [countOf([2000, 2000, 10_000]), 400, 4]

let stage: Awaited<ReturnType<typeof openStage>>
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

async function kill(worker: ChildProcess): Promise<void> {
  worker.kill('SIGKILL')
  await once(worker, 'close')
}

it(`delivers ${EVENTS} events at least once and in order per object, through failing receivers and killed processes`, async () => {
  const forbidden = await startReceiver()
  const { receiver } = stage
  /** Position of the first request and of the first acceptance of each event, in one count. */
  const [seen, accepted] = [new Map<string, number>(), new Map<string, number>()]
  let count = 0
  const answersBy = randomOfRun('answers')
  const objectsBy = randomOfRun('objects')
  receiver.state.answer = ({ path, data }, response) => {
    const event = `${path} ${data.assetId} ${data.licenseChangeId}`
    if (!seen.has(event)) seen.set(event, count++)
    const chance = answersBy()
    if (chance < 0.001) return void response.writeHead(500).end()
    if (chance < 0.0015) return void response.writeHead(307, { location: forbidden.url }).end()
    if (chance < 0.002) return void response.destroy()
    // Answers after the timeout: accepted here, and repeated.
    const delay = chance < 0.0025 ? 5500 : answersBy() * 5
    setTimeout(() => {
      if (!accepted.has(event)) accepted.set(event, count++)
      response.writeHead(204).end()
    }, delay)
  }
  const owners = await Promise.all(Array.from({ length: CUSTOMERS }, () => addAdmin()))
  for (const [at, owner] of owners.entries()) await addEndpoint(owner, `${receiver.url}/${at}`)
  // A receiver that is forbidden, and one that never answers, at separate customers.
  const [slow, inside] = [await addAdmin(), await addAdmin()]
  await addEndpoint(inside, 'https://169.254.169.254/')
  await addEndpoint(slow, forbidden.url)
  for (const { customer } of [slow, inside]) {
    const customerId = newCustomerId(customer)
    await scope({ customerId }, async (tx) => {
      for (let n = 0; n < 200; n++) recordEvent(tx, customerId, assetEvent(`a-${n}`))
    })
  }
  const workers = [
    startWorker(stage.database.url, receiver.host),
    startWorker(stage.database.url, receiver.host),
  ]
  try {
    const [each, lastOf] = [EVENTS / CUSTOMERS, new Map<string, number>()]
    for (const [at, { customer }] of owners.entries()) {
      const customerId = newCustomerId(customer)
      for (let n = 0; n < each; n += 50)
        await scope({ customerId }, async (tx) => {
          for (let more = 0; more < 50; more++) {
            const object = `${at}-${Math.floor(objectsBy() * (OBJECTS / CUSTOMERS))}`
            const next = (lastOf.get(object) ?? 0) + 1
            lastOf.set(object, next)
            recordEvent(tx, customerId, assetEvent(object, next))
          }
        })
      // Each worker is killed twice, while it delivers.
      const victim = workers[at % 2] as ChildProcess
      await kill(victim)
      workers[at % 2] = startWorker(stage.database.url, receiver.host)
    }
    await vi.waitFor(() => expect(accepted.size).toBe(EVENTS), { timeout: 560_000, interval: 500 })
    for (const [object, last] of lastOf) {
      const [customer] = object.split('-')
      const key = (n: number) => `/hooks/${customer} ${object} ${n}`
      for (let n = 2; n <= last; n++)
        expect(seen.get(key(n)), `${object}: event ${n} after the acceptance of ${n - 1}`).toBeGreaterThan(
          accepted.get(key(n - 1)) ?? Number.POSITIVE_INFINITY,
        )
    }
    expect(forbidden.received).toEqual([])
  } finally {
    await Promise.all(workers.map(kill))
    await forbidden.close()
  }
}, 600_000)
