import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decide, decideOutcome, type OrderFacts } from './decide.ts'
import type { RequestRow } from './request-log.ts'
import { isSameSetting, type Setting } from './rules.ts'
import type { OrderRow } from './store.ts'

const NOW = Date.UTC(2026, 10, 24)
const NOTHING: Setting = { quantity: null, renewalType: null }
const total = (quantity: number): Setting => ({ quantity, renewalType: null })
const at = (ms: number) => new Date(NOW + ms)

type Sent = { setting: Setting; before?: Setting } & Partial<RequestRow>
const request = ({ setting, before = NOTHING, ...row }: Sent) =>
  ({
    ...{ isWithdrawal: false, kind: 'applied', lateUntil: null, at: at(-3_600_000) },
    ...{ ...setting, beforeQuantity: before.quantity, beforeType: before.renewalType, ...row },
  }) as RequestRow
const order = (row: Partial<OrderRow> = {}) =>
  ({ toQuantity: 12, renewalType: null, takenBackAt: null, placedAt: null, ...row }) as OrderRow
function facts(row: Partial<OrderRow>, requests: Sent[] = [], more: Partial<OrderFacts> = {}): OrderFacts {
  const times = { now: NOW, staleMs: 60_000, writeMs: 10_000 }
  const known = { order: order(row), requests: requests.map(request), label: 'Microsoft' }
  return { ...known, mayBeDeleted: false, ...times, ...more }
}
const PLACED = { placedAt: at(-3_600_000) }
const GONE = { takenBackAt: at(-1000) }
const late = { kind: 'unknown', lateUntil: at(500_000) }

describe('an order that is wanted', () => {
  it.each<[string, OrderFacts, Setting, object]>([
    ['is sent where nothing is scheduled', facts({}), NOTHING, { kind: 'send', setting: total(12) }],
    ['is placed where the vendor shows it', facts({}), total(12), { kind: 'placed', lookAt: undefined }],
    [
      'is looked at again while an earlier request may arrive',
      facts(PLACED, [{ setting: total(18), ...late }, { setting: total(12) }]),
      total(12),
      { kind: 'placed', lookAt: late.lateUntil.getTime() },
    ],
    [
      'replaces what any earlier request has sent',
      facts({}, [{ setting: total(18) }, { setting: total(15), kind: 'unknown' }]),
      total(15),
      { kind: 'send', setting: total(12) },
    ],
    ['leaves the schedule of another party', facts({}), total(7), { kind: 'settle', state: 'LOST' }],
    [
      'is not given up while an earlier request may arrive',
      facts({}, [{ setting: total(18), ...late }]),
      total(7),
      { kind: 'wait', lookAt: late.lateUntil.getTime() },
    ],
    [
      'is sent again after a change of the licenses',
      facts(PLACED, [{ setting: total(12) }], { mayBeDeleted: true }),
      NOTHING,
      { kind: 'send', setting: total(12) },
    ],
    [
      'is LOST where it is gone and nothing of ours can explain that',
      facts(PLACED, [{ setting: total(12) }]),
      NOTHING,
      { kind: 'settle', state: 'LOST' },
    ],
    [
      'waits while a read may be older than its confirmation',
      facts({ placedAt: at(-1000) }, [{ setting: total(12) }]),
      NOTHING,
      { kind: 'wait', lookAt: NOW + 59_000 },
    ],
    [
      'waits for a request that is under way',
      facts({}, [{ setting: total(15), kind: null, at: at(-1000), lateUntil: at(500_000) }]),
      total(15),
      { kind: 'wait', lookAt: NOW + 9000 },
    ],
  ])('%s', (_, facts, shown, expected) => {
    expect(decide(facts, shown)).toMatchObject(expected)
  })

  it('replaces a schedule of another party that the person who ordered had seen', () => {
    expect(decide(facts({}), total(7), total(7))).toMatchObject({ kind: 'send', setting: total(12) })
  })
})

describe('an order that is withdrawn', () => {
  it.each<[string, OrderFacts, Setting, object]>([
    ['is gone where nothing was sent', facts(GONE), NOTHING, { kind: 'settle', state: 'WITHDRAWN' }],
    [
      'is removed where the vendor shows it, or any earlier one',
      facts(GONE, [{ setting: total(18) }, { setting: total(12), kind: 'unknown' }]),
      total(18),
      { kind: 'send', setting: NOTHING, isWithdrawal: true },
    ],
    [
      'brings back what another party had scheduled',
      facts(GONE, [{ setting: total(12), before: total(7) }]),
      total(12),
      { kind: 'send', setting: total(7) },
    ],
    [
      'is removed also where nothing is shown while its request may arrive',
      facts(GONE, [{ setting: total(12), ...late }]),
      NOTHING,
      { kind: 'send', setting: NOTHING },
    ],
    [
      'is followed until nothing can arrive any more',
      facts(GONE, [
        { setting: total(12), ...late },
        { setting: NOTHING, before: total(12), isWithdrawal: true },
      ]),
      NOTHING,
      { kind: 'wait', lookAt: late.lateUntil.getTime() },
    ],
    [
      'leaves what another party has scheduled since',
      facts(GONE, [{ setting: total(12) }]),
      total(80),
      { kind: 'settle', state: 'WITHDRAWN' },
    ],
  ])('%s', (_, facts, shown, expected) => {
    expect(decide(facts, shown)).toMatchObject(expected)
  })
})

describe('the start of the next term', () => {
  const began = (beganQuantity: number, beganPlaced = true) => ({
    beganQuantity,
    beganPlaced,
    beganType: null,
  })
  it.each<[string, OrderFacts, string]>([
    ['as ordered, after the order was placed', facts({ ...began(12) }), 'APPLIED'],
    ['as ordered, without a placed order', facts({ ...began(12, false) }), 'UNCLEAR'],
    ['differently, after the order was placed', facts({ ...began(15) }), 'LOST'],
    ['differently, without a placed order', facts({ ...began(20, false) }), 'UNCLEAR'],
    ['as in an earlier order', facts({ ...began(18) }, [{ setting: total(18) }]), 'UNCLEAR'],
    ['as withdrawn', facts({ ...GONE, ...began(20) }, [{ setting: total(12) }]), 'WITHDRAWN'],
    [
      'as ordered, although the order was withdrawn',
      facts({ ...GONE, ...began(12) }, [{ setting: total(12) }]),
      'UNCLEAR',
    ],
  ])('%s, gives the order the state of the table', (_, facts, state) => {
    expect(decideOutcome(facts).state).toBe(state)
  })
})

it('never overwrites a setting that no request has sent and no orderer has seen', () => {
  const quantity = fc.option(fc.integer({ min: 1, max: 6 }), { nil: null })
  const setting = quantity.map((one) => ({ quantity: one, renewalType: null }))
  const sent = fc.record({ setting, before: setting, isWithdrawal: fc.boolean() })
  fc.assert(
    fc.property(fc.array(sent, { maxLength: 4 }), setting, fc.boolean(), (requests, shown, isWithdrawn) => {
      const renewal = facts(isWithdrawn ? GONE : {}, requests)
      const isForeign = shown.quantity !== null && !requests.some((one) => isSameSetting(one.setting, shown))
      const wasBefore = requests.some(({ before }) => isSameSetting(before, shown))
      if (isForeign && !wasBefore) expect(decide(renewal, shown).kind).not.toBe('send')
    }),
  )
})
