import { describe, expect, it } from 'vitest'
import { customerId, onStage, stage } from './test-stage.ts'

onStage(async () => {
  await stage.add(customerId, 'ap@books.example')
  await stage.invoice(customerId, 'IN-1', 3)
})

const states = () =>
  stage.database.sql(customerId, 'SELECT state, attempts FROM notice_mails ORDER BY told_on')
const reasons = () => stage.database.sql(customerId, 'SELECT failure FROM notice_recipients ORDER BY email')
/** Ends the lease, as if the process with the mail in flight had died long ago. */
const leaseOver = () =>
  stage.database.sql(
    customerId,
    "UPDATE outbox SET not_before = now() WHERE kind = 'notice' AND state IN ('WAITING', 'SENDING')",
  )

/** Leaves a mail like a killed process: the mail server takes the message, and the sender gets no answer. */
async function runWithoutAnswer() {
  stage.catcher.faults.set('*', { at: 'drop' })
  expect(await stage.run()).toBe(0)
  expect(await states()).toEqual([{ state: 'SENDING', attempts: 1 }])
  stage.catcher.faults.clear()
}

describe('parallel runs', () => {
  it('in one process send each mail once', async () => {
    const counts = await Promise.all([stage.run(), stage.run(), stage.run(customerId), stage.run(customerId)])
    expect(counts.reduce((sum, count) => sum + count)).toBe(1)
    expect(stage.taken()).toHaveLength(1)
  })

  it('two processes send each mail once', async () => {
    for (const n of [1, 2, 3, 4]) await stage.add(customerId, `ap${n}@books.example`)
    const processes = [stage.process(customerId), stage.process(customerId)]
    const counts = await Promise.all(processes.map(({ ended }) => ended))
    expect(counts.map(Number).reduce((sum, count) => sum + count)).toBe(5)
    expect(new Set(stage.taken().map(({ to }) => to[0])).size).toBe(5)
    expect(await states()).toEqual(Array(5).fill({ state: 'SENT', attempts: 1 }))
  })
})

it('A stopped run ends after the mail in progress, and the next run continues', async () => {
  for (const n of [1, 2]) await stage.add(customerId, `ap${n}@books.example`)
  const ending = new AbortController()
  stage.catcher.hold = async () => ending.abort()
  expect(await stage.run(customerId, ending.signal)).toBe(1)
  expect(await states()).toEqual([{ state: 'SENT', attempts: 1 }])
  stage.catcher.hold = undefined
  expect(await stage.run(customerId)).toBe(2)
})

describe('a process killed during a send', () => {
  /** Kills it when the mail server has the message and has not answered yet. */
  async function killed() {
    const sender = stage.process(customerId)
    await new Promise<void>((resolve) => {
      stage.catcher.hold = async () => {
        sender.kill()
        await sender.ended
        stage.catcher.hold = undefined
        resolve()
      }
    })
  }

  it('leaves a mail that leaves once more under the same name, and never a third time', async () => {
    await killed()
    expect(await states()).toEqual([{ state: 'SENDING', attempts: 1 }])
    // It might still be alive.
    expect(await stage.run()).toBe(0)
    await leaseOver()
    await killed()
    await leaseOver()
    expect(await stage.run()).toBe(0)
    expect(await states()).toEqual([{ state: 'UNKNOWN', attempts: 2 }])
    const [first, second, ...more] = stage.taken()
    expect(more).toEqual([])
    expect(first?.headers['message-id']).toMatch(/^<\d{4}-\d\d-\d\d\.[\da-f-]{36}@reseller\.example>$/)
    expect(second?.headers['message-id']).toBe(first?.headers['message-id'])
    await stage.passDays(1)
    expect(await stage.run()).toBe(0)
  })

  it('sends no mail about an invoice that was paid in the meantime', async () => {
    await runWithoutAnswer()
    await leaseOver()
    await stage.database.sql(customerId, 'UPDATE invoices SET balance_amount = 0')
    await stage.database.sql(customerId, "UPDATE notice_recipients SET stopped = '{new}'")
    expect(await stage.run()).toBe(0)
    expect([await states(), stage.taken()]).toEqual([[{ state: 'UNKNOWN', attempts: 2 }], []])
  })

  it('sends no mail about an invoice that was voided in the meantime', async () => {
    await runWithoutAnswer()
    await leaseOver()
    await stage.database.sql(customerId, "UPDATE invoices SET document_state = 'voided', balance_amount = 0")
    expect(await stage.run()).toBe(0)
    expect([await states(), stage.taken()]).toEqual([[{ state: 'UNKNOWN', attempts: 2 }], []])
  })
})

describe('a mail server', () => {
  it('that drops the connection during the message receives the mail once more', async () => {
    await runWithoutAnswer()
    expect(stage.catcher.dropped).toHaveLength(1)
    await leaseOver()
    expect(await stage.run()).toBe(1)
    expect(await states()).toEqual([{ state: 'SENT', attempts: 2 }])
  })

  it.each(['sender', 'greeting'] as const)(
    'that rejects everyone by its %s is not tried for other recipients',
    async (at) => {
      await stage.add(customerId, 'boss@books.example')
      stage.catcher.faults.set('*', { at, code: 554, text: 'Not from you' })
      const before = stage.catcher.connections
      await expect(stage.run()).rejects.toThrow(/^The mail server could not be used: .*554/)
      expect([stage.catcher.connections - before, await states()]).toEqual([1, []])
      stage.catcher.faults.clear()
      expect(await stage.run()).toBe(2)
    },
  )

  it('that defers a mail receives it in the next run, with the news until then', async () => {
    await stage.add(customerId, 'boss@books.example')
    stage.catcher.faults.set('ap@books.example', { at: 'recipient', code: 451, text: 'Mailbox is busy' })
    expect(await stage.run()).toBe(1)
    expect(stage.taken().map(({ to }) => to)).toEqual([['boss@books.example']])
    stage.catcher.faults.set('ap@books.example', { at: 'message', code: 452, text: 'No room' })
    await stage.invoice(customerId, 'IN-2', 4)
    expect(await stage.run()).toBe(0)
    stage.catcher.faults.clear()
    expect(await stage.run()).toBe(1)
    const [mail] = stage.taken()
    expect(mail?.headers.subject).toContain('2 invoices due')
    expect(await reasons()).toEqual([{ failure: null }, { failure: null }])
  })

  it('that rejects an address is not tried again until an operator re-adds the address', async () => {
    stage.catcher.faults.set('ap@books.example', {
      at: 'recipient',
      code: 550,
      text: '5.1.1 No such user here',
    })
    expect(await stage.run()).toBe(0)
    expect(await reasons()).toEqual([{ failure: expect.stringContaining('550 5.1.1 No such user here') }])
    const before = stage.catcher.connections
    for (let n = 0; n < 3; n++) {
      await stage.passDays(1)
      expect(await stage.run()).toBe(0)
    }
    expect(stage.catcher.connections).toBe(before)
    stage.catcher.faults.clear()
    await stage.add(customerId, 'ap@books.example')
    await stage.invoice(customerId, 'IN-2', 30)
    expect(await stage.run()).toBe(1)
    // News of the rejected mail is not repeated.
    expect(stage.taken()[0]?.text).not.toContain('IN-1')
  })

  it('that rejects a message receives the next message, but not the rejected one', async () => {
    stage.catcher.faults.set('ap@books.example', { at: 'message', code: 554, text: '5.7.1 Looks like spam' })
    expect(await stage.run()).toBe(0)
    stage.catcher.faults.clear()
    await stage.passDays(1)
    expect(await stage.run()).toBe(0)
    await stage.invoice(customerId, 'IN-2', 30)
    expect(await stage.run()).toBe(1)
    expect([await states(), await reasons()]).toEqual([
      [
        { state: 'REFUSED', attempts: 1 },
        { state: 'SENT', attempts: 1 },
      ],
      [{ failure: null }],
    ])
  })
})
