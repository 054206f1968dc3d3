import dns from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { describe, expect, it, vi } from 'vitest'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { addMember } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { claimMessage, recordOutcome } from '#lib/platform/outbox/store.ts'
import { deliverDue } from '#lib/platform/outbox/worker.ts'
import { startReceiver, status } from '../../../test/fakes/webhooks/receiver.ts'
import { webhookChannel } from './deliver.ts'
import { pauseWebhook, removeWebhook, resumeWebhook, setWebhook } from './store.ts'
import {
  addAdmin,
  addEndpoint,
  assetEvent,
  attempts,
  deliverWebhooks,
  endpoint,
  hooks,
  messages,
  onStage,
  owner,
  passTime,
  stage,
  writeEvents,
} from './test-stage.ts'

onStage()

describe('the address of a webhook', () => {
  it.each([
    ['http://hooks.example.com', 'by https'],
    ['https://127.0.0.1/x', 'private address'],
    ['https://169.254.169.254/latest', 'private address'],
    ['https://[fd00::1]/', 'private address'],
    ['https://0x7f.1/', 'private address'],
    ['https://localhost/', 'no public address'],
    ['https://localhost./', 'no public address'],
    ['https://hooks.localhost/', 'no public address'],
    ['https://[::ffff:127.0.0.1]/', 'private address'],
  ])('%s is not called', async (address, reason) => {
    await addEndpoint(owner, address)
    await writeEvents(owner.customer, assetEvent('a-1'))
    expect(await deliverWebhooks(owner.customer)).toBe(0)
    expect(await attempts()).toMatchObject([{ status: null, reason: expect.stringContaining(reason) }])
  })

  it('is checked in the answer that is connected to: a name that is rebound is not called', async () => {
    const other = await startReceiver()
    const addresses = ['93.184.216.34', '127.0.0.1']
    const [four, six, system] = [
      vi
        .spyOn(Resolver.prototype, 'resolve4')
        .mockImplementation(async () => [addresses.shift() ?? '127.0.0.1']),
      vi
        .spyOn(Resolver.prototype, 'resolve6')
        .mockRejectedValue(Object.assign(new Error(), { code: 'ENODATA' })),
      vi.spyOn(dns, 'lookup'),
    ]
    try {
      await addEndpoint(owner, `https://rebound.example:${other.host.split(':')[1]}/`)
      await writeEvents(owner.customer, assetEvent('a-1'))
      // The first call connects to the public address, which nothing answers here; then the name has become private.
      await deliverWebhooks(owner.customer)
      await passTime(stage.database.url, '10 seconds')
      await deliverWebhooks(owner.customer)
      expect(four).toHaveBeenCalledTimes(2)
      expect(other.received).toEqual([])
      const reasons = (await attempts()).map(({ reason }) => String(reason))
      expect(reasons.filter((text) => text.includes('no public address'))).toHaveLength(1)
      // The system's lookup has few threads: names that are never answered would hold them.
      expect(system).not.toHaveBeenCalled()
    } finally {
      for (const spy of [four, six, system]) spy.mockRestore()
      await other.close()
    }
  }, 20_000)

  it.each(['ENOTFOUND', 'private', 'private by IPv6'])(
    'is refused in the same words for a name that is %s',
    async (answer) => {
      const missing = Object.assign(new Error(), { code: 'ENOTFOUND' })
      const spies = [
        vi.spyOn(Resolver.prototype, 'resolve4').mockImplementation(async () => {
          if (answer === 'private') return ['10.0.0.7']
          if (answer === 'private by IPv6') return ['93.184.216.34']
          throw missing
        }),
        vi.spyOn(Resolver.prototype, 'resolve6').mockImplementation(async () => {
          if (answer === 'private by IPv6') return ['fd00::7']
          throw missing
        }),
      ]
      await addEndpoint(owner, 'https://git.corp.example/')
      await writeEvents(owner.customer, assetEvent('a-1'))
      await deliverWebhooks(owner.customer)
      for (const spy of spies) spy.mockRestore()
      expect(await attempts()).toMatchObject([
        {
          reason:
            'git.corp.example is not called: it has no public address, and WEBHOOK_PRIVATE_HOSTS does not name it.',
        },
      ])
    },
  )
})

describe('a webhook', () => {
  it('is paused when its Admin loses access', async () => {
    await addEndpoint(owner, stage.receiver.url)
    await stage.database.sql(owner.customer, "UPDATE members SET roles = '{it-manager}' WHERE id = $1", [
      owner.admin,
    ])
    await writeEvents(owner.customer, assetEvent('a-1'))
    expect(await deliverWebhooks(owner.customer)).toBe(0)
    expect([hooks(), await endpoint()]).toEqual([
      [],
      expect.objectContaining({ pause_reason: 'ACCESS_LOST' }),
    ])
  })

  it('that is slow delays no other customer', async () => {
    const others: Awaited<ReturnType<typeof addAdmin>>[] = []
    while (others.length < 20) others.push(await addAdmin())
    stage.receiver.state.answer = (one, response) => {
      if (one.path !== '/hooks/slow') response.writeHead(204).end()
    }
    await addEndpoint(owner, `${stage.receiver.url}/slow`)
    for (let n = 0; n < 50; n++) await writeEvents(owner.customer, assetEvent(`a-${n}`))
    for (const other of others) {
      await addEndpoint(other, `${stage.receiver.url}/other`)
      await writeEvents(other.customer, assetEvent('a-1'))
    }
    const run = deliverWebhooks(owner.customer, ...others.map(({ customer }) => customer))
    await vi.waitFor(
      () => expect(hooks().filter(({ path }) => path === '/hooks/other')).toHaveLength(others.length),
      { timeout: 4500 },
    )
    // The slow one holds its share, and is not called again.
    const slow = () => hooks().filter(({ path }) => path === '/hooks/slow')
    await vi.waitFor(() => expect(slow()).toHaveLength(4), { timeout: 4500 })
    expect(await run).toBe(others.length)
    expect(slow()).toHaveLength(4)
  }, 30_000)

  it('gets each event once from two workers, in order per object', async () => {
    await addEndpoint(owner, stage.receiver.url)
    for (let n = 1; n <= 20; n++)
      await writeEvents(owner.customer, assetEvent('a-1', n), assetEvent(`b-${n}`, n))
    const counts = await Promise.all([1, 2, 3].map(() => deliverWebhooks(owner.customer)))
    expect(counts.reduce((sum, count) => sum + count)).toBe(40)
    const first = hooks().filter(({ data }) => data.assetId === 'a-1')
    expect(first.map(({ data }) => Number(data.licenseChangeId))).toEqual(
      Array.from({ length: 20 }, (_, n) => n + 1),
    )
    const versions = first.map(({ data }) => data.version)
    expect(versions).toEqual(versions.toSorted((a, b) => a - b))
  })

  it('gets an event again whose worker died, after the lease', async () => {
    await addEndpoint(owner, stage.receiver.url)
    await writeEvents(owner.customer, assetEvent('a-1'))
    await stage.database.sql(
      owner.customer,
      "UPDATE outbox SET state = 'SENDING', attempts = 1, not_before = now() + interval '30 seconds'",
    )
    expect(await deliverWebhooks(owner.customer)).toBe(0)
    await passTime(stage.database.url, '31 seconds')
    expect(await deliverWebhooks(owner.customer)).toBe(1)
  })

  it('of a closed customer is not called, and gets its events when the customer is open again', async () => {
    await addEndpoint(owner, stage.receiver.url)
    await writeEvents(owner.customer, assetEvent('a-1'))
    const close = (at: string) =>
      run(
        stage.database.url,
        `ALTER TABLE customers DISABLE ROW LEVEL SECURITY;
         UPDATE customers SET closed_at = ${at} WHERE id = '${owner.customer}';
         ALTER TABLE customers ENABLE ROW LEVEL SECURITY`,
      )
    await close('now()')
    expect([await deliverWebhooks(owner.customer), hooks()]).toEqual([0, []])
    await close('NULL')
    await passTime(stage.database.url, '1 hour')
    expect(await deliverWebhooks(owner.customer)).toBe(1)
  })

  /** Claims the first message, runs `between` while it is delivered, and records the outcome. */
  async function deliverWhile(between: (customerId: ReturnType<typeof newCustomerId>) => Promise<void>) {
    const customerId = newCustomerId(owner.customer)
    const message = await scope({ customerId }, (tx) => claimMessage(tx, customerId, ['webhook'], 30))
    if (!message) throw new Error('No message was due.')
    const { outcome, record } = await webhookChannel.deliver(message)
    await between(customerId)
    await scope({ customerId }, async (tx) => {
      if (await recordOutcome(tx, message, outcome)) await record?.(tx)
    })
  }

  it('that is resumed while its message is held gets the message', async () => {
    const { id } = await addEndpoint(owner, stage.receiver.url)
    const customerId = newCustomerId(owner.customer)
    await scope({ customerId }, (tx) => pauseWebhook(tx, customerId, id, 'BY_ADMIN'))
    await writeEvents(owner.customer, assetEvent('a-1'))
    await deliverWhile(() => scope({ customerId }, (tx) => resumeWebhook(tx, customerId, id)))
    expect(await deliverWebhooks(owner.customer)).toBe(1)
  })

  it('that another Admin takes over in that moment is not paused', async () => {
    const { id } = await addEndpoint(owner, stage.receiver.url)
    const demote = "UPDATE members SET roles = '{it-manager}' WHERE id = $1"
    await stage.database.sql(owner.customer, demote, [owner.admin])
    await writeEvents(owner.customer, assetEvent('a-1'))
    const ownerId = await addMember(owner.customer, { roles: ['admin'] })
    const values = { name: 'ERP', url: stage.receiver.url, kinds: null, billingProfiles: null, ownerId }
    await deliverWhile((customerId) => scope({ customerId }, (tx) => setWebhook(tx, customerId, id, values)))
    expect(await endpoint()).toMatchObject({ pause_reason: null })
    expect(await deliverWebhooks(owner.customer)).toBe(1)
  })

  it.each([
    ['never analyzed', 0, 'SELECT 1', 'SELECT 1'],
    ['analyzed while it was empty', 0, 'ANALYZE outbox', 'SELECT 1'],
    ['analyzed with one event of each of some customers', 20, 'ANALYZE outbox', 'SELECT 1'],
    ['analyzed with all events', 0, 'SELECT 1', 'ANALYZE outbox'],
  ])(
    'finds its next event by the index of the order, in an outbox that was %s',
    async (_, others, atFirst, atLast) => {
      for (let n = 0; n < others; n++) {
        const other = await addAdmin()
        await addEndpoint(other, stage.receiver.url)
        await writeEvents(other.customer, assetEvent('a-1'))
      }
      await run(stage.database.url, atFirst)
      await addEndpoint(owner, stage.receiver.url)
      const customerId = newCustomerId(owner.customer)
      await writeEvents(owner.customer, ...Array.from({ length: 2000 }, (_, n) => assetEvent(`a-${n}`)))
      await run(stage.database.url, atLast)
      const read = await scope({ customerId }, async (tx) => {
        // Of this connection, and not of this transaction only.
        const rowsRead = async () => {
          const { rows } = await tx.execute<{ read: number }>(`
          SELECT sum(pg_stat_get_xact_tuples_returned(c.oid))::int AS read FROM pg_class c
          LEFT JOIN pg_index i ON i.indexrelid = c.oid WHERE coalesce(i.indrelid, c.oid) = 'outbox'::regclass`)
          return rows[0]?.read ?? Number.NaN
        }
        const before = await rowsRead()
        await claimMessage(tx, customerId, ['webhook'], 30)
        return (await rowsRead()) - before
      })
      expect(read).toBeGreaterThan(0)
      expect(read).toBeLessThan(10)
    },
  )

  it('with more events than one statement may change rests, is resumed and is removed', async () => {
    const { id } = await addEndpoint(owner, stage.receiver.url)
    const customerId = newCustomerId(owner.customer)
    for (let batch = 0; batch < 10; batch++)
      await writeEvents(
        owner.customer,
        ...Array.from({ length: 501 }, (_, n) => assetEvent(`a-${batch}-${n}`)),
      )
    // It rests for 45 minutes, and not for 5 seconds, which a busy machine may need for all of this.
    await stage.database.sql(
      owner.customer,
      "UPDATE webhook_endpoints SET failing_since = now() - interval '1 hour'",
    )
    const due = async () =>
      (
        await stage.database.sql(
          owner.customer,
          `SELECT count(*)::int AS due FROM outbox
           WHERE state = 'WAITING' AND failing_since IS NULL AND not_before <= now()`,
        )
      )[0]?.due
    // One call at a time: a second one would wait a second at most for the first one's 5,000 events.
    const one = { ...webhookChannel, share: 1 }
    const deliverUntil = (signal: AbortSignal) =>
      deliverDue(one, { requestId: 'test', signal, only: [customerId] })
    stage.receiver.state.answer = status(503)
    await deliverUntil(new AbortController().signal)
    expect([hooks().length, await due()]).toEqual([1, 0])
    await scope({ customerId }, (tx) => resumeWebhook(tx, customerId, id))
    expect(Number(await due())).toBeGreaterThanOrEqual(5000)
    // The first delivery releases the others.
    const controller = new AbortController()
    stage.receiver.state.answer = (_, response) => {
      controller.abort()
      response.writeHead(204).end()
    }
    await deliverUntil(controller.signal)
    expect([hooks().length, await due()]).toEqual([2, 5009])
    await scope({ customerId }, (tx) => removeWebhook(tx, customerId, id))
    expect(await messages()).toEqual([])
  }, 30_000)
})
