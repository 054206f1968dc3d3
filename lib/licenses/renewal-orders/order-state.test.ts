import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decide, decideOutcome, type OrderFacts } from './order-state.ts'
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
  ({
    ...{ toQuantity: 12, renewalType: null, takenBackAt: null, placedAt: null },
    ...{ seenQuantity: null, seenType: null, termEnd: new Date(NOW), ...row },
  }) as OrderRow
function facts(row: Partial<OrderRow>, requests: Sent[] = [], more: Partial<OrderFacts> = {}): OrderFacts {
  const times = { now: NOW, asOf: NOW - 60_000, seatsMovedAt: undefined, staleMs: 60_000, writeMs: 10_000 }
  const known = { order: order(row), requests: requests.map(request), label: 'Microsoft' }
  return { ...known, setsTotal: true, mayBeDeleted: false, termStart: undefined, ...times, ...more }
}
const PLACED = { placedAt: at(-3_600_000) }
const WITHDRAWN = { takenBackAt: at(-1000) }
const late = { kind: 'unknown', lateUntil: at(500_000) }

describe('an order that is wanted', () => {
  it.each<[string, OrderFacts, Setting, object]>([
    ['is sent where nothing is scheduled', facts({}), NOTHING, { kind: 'send', setting: total(12) }],
    ['is placed where the vendor shows it', facts({}), total(12), { kind: 'placed', lookAt: undefined }],
    [
      'is looked at again while an earlier request may arrive',
      facts(PLACED, [{ setting: total(18), ...late }, { setting: total(12) }]),
      total(12),
      { kind: 'placed', lookAt: late.lateUntil.getTime() + 60_000 },
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
      { kind: 'wait', lookAt: late.lateUntil.getTime() + 60_000 },
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
      'waits where the read was requested before that time, and took long',
      facts({ placedAt: at(-70_000) }, [{ setting: total(12) }], { asOf: NOW - 80_000 }),
      NOTHING,
      { kind: 'wait' },
    ],
    [
      'waits where the read may be older than the change of the licenses that has deleted it',
      facts(PLACED, [{ setting: total(12) }], { mayBeDeleted: true, seatsMovedAt: NOW - 1000 }),
      total(12),
      { kind: 'wait' },
    ],
    [
      'is sent again where the read may be older than a request for another total',
      facts({}, [{ setting: total(12) }, { setting: total(15), at: at(-1000) }]),
      total(12),
      { kind: 'send', setting: total(12) },
    ],
    [
      'waits where the schedule of another party may be from before the order',
      facts({ placedAt: at(-1000) }, [{ setting: total(12), at: at(-2000) }]),
      total(7),
      { kind: 'wait' },
    ],
    [
      'waits where an earlier request may have arrived since the read',
      facts({}, [{ setting: total(18), kind: 'unknown', lateUntil: at(-50_000) }]),
      total(7),
      { kind: 'wait' },
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
    expect(decide(facts({ seenQuantity: 7 }), total(7))).toMatchObject({ kind: 'send', setting: total(12) })
  })
})

describe('an order of a way to renew', () => {
  const renewing = (renewalType: string): Setting => ({ quantity: null, renewalType })
  const [SAME, IN_USE, OTHER] = [
    renewing('AUTO_RENEW'),
    renewing('RENEW_CURRENT_USERS'),
    renewing('RENEW_YEARLY'),
  ]
  const row = { toQuantity: null, renewalType: 'AUTO_RENEW', seenType: 'RENEW_CURRENT_USERS' }
  it.each<[string, OrderFacts, Setting, object]>([
    ['replaces the one that the orderer had seen', facts(row), IN_USE, { kind: 'send', setting: SAME }],
    [
      'leaves one that another party has set since',
      facts(row),
      OTHER,
      {
        kind: 'settle',
        state: 'LOST',
        reason:
          'Microsoft has another way to renew scheduled for the next term, which another party set there.',
      },
    ],
    ['is sent where the vendor shows none', facts(row), NOTHING, { kind: 'send', setting: SAME }],
  ])('%s', (_, facts, setting, expected) => {
    expect(decide(facts, setting)).toMatchObject(expected)
  })

  const open = { kind: 'unknown', lateUntil: at(500_000) }
  const applied = { setting: SAME, before: IN_USE, at: at(-5000), tookMs: 900 }
  const began = (beganType: string) => ({ ...row, beganQuantity: 20, beganType, beganPlaced: true })
  it.each<[string, OrderFacts, string]>([
    ['began as ordered', facts(began('AUTO_RENEW'), [applied]), 'APPLIED'],
    [
      'shows the order, whose repetition may have arrived after the start',
      facts(began('AUTO_RENEW'), [{ ...applied, ...open }, applied]),
      'UNCLEAR',
    ],
    [
      'began as ordered, though the last read shows the former term',
      facts(began('AUTO_RENEW'), [applied], { termStart: NOW - 31_536_000_000 }),
      'APPLIED',
    ],
    [
      'shows the order, whose answer came after the start',
      facts(began('AUTO_RENEW'), [applied], { termStart: NOW - 4500 }),
      'UNCLEAR',
    ],
    [
      'began as ordered, though a request was never sent',
      facts(began('AUTO_RENEW'), [applied, { ...applied, kind: 'not_sent', tookMs: 9000 }]),
      'APPLIED',
    ],
    ['began as withdrawn', facts({ ...began('RENEW_CURRENT_USERS'), ...WITHDRAWN }, [applied]), 'WITHDRAWN'],
    [
      'shows a withdrawal that may have arrived after the start',
      facts({ ...began('RENEW_CURRENT_USERS'), ...WITHDRAWN }, [
        applied,
        { setting: IN_USE, before: SAME, isWithdrawal: true, ...open },
      ]),
      'UNCLEAR',
    ],
  ])('%s', (_, facts, state) => {
    expect(decideOutcome({ ...facts, setsTotal: false }).state).toBe(state)
  })
})

const CANCEL: Setting = { quantity: null, renewalType: 'CANCEL' }
const EXTENDED: Setting = { quantity: null, renewalType: 'EXTENDED_SERVICE_TERM' }
const DEFAULT: Setting = { quantity: null, renewalType: 'EXTENDED_SERVICE_TERM_UNLESS_CANCELLED' }
const END = { toQuantity: null, renewalType: 'CANCEL' }

describe('an order of an end', () => {
  it.each<[string, OrderFacts, Setting, object]>([
    ['is sent where the plan renews', facts(END), NOTHING, { kind: 'send', setting: CANCEL }],
    ['is placed where the vendor shows it', facts(END), CANCEL, { kind: 'placed' }],
    [
      'is sent again where a change of the licenses has left the default',
      facts({ ...END, ...PLACED }, [{ setting: CANCEL }], { mayBeDeleted: true }),
      DEFAULT,
      { kind: 'send', setting: CANCEL },
    ],
    [
      'is LOST where another party removed it',
      facts({ ...END, ...PLACED }, [{ setting: CANCEL }]),
      DEFAULT,
      { kind: 'settle', state: 'LOST' },
    ],
    [
      'leaves the end that another party has ordered',
      facts(END),
      EXTENDED,
      { kind: 'settle', state: 'LOST' },
    ],
    [
      'is replaced by a total',
      facts({}, [{ setting: CANCEL }]),
      CANCEL,
      { kind: 'send', setting: total(12) },
    ],
    [
      'is withdrawn to the renewal from before, also from the rest of it',
      facts({ ...END, ...WITHDRAWN }, [{ setting: CANCEL }, { setting: CANCEL, before: DEFAULT }]),
      DEFAULT,
      { kind: 'send', setting: NOTHING, isWithdrawal: true },
    ],
    [
      'is withdrawn to the default from before',
      facts({ ...END, ...WITHDRAWN }, [{ setting: CANCEL, before: DEFAULT }]),
      CANCEL,
      { kind: 'send', setting: DEFAULT, isWithdrawal: true },
    ],
  ])('%s', (_, facts, setting, expected) => {
    expect(decide(facts, setting)).toMatchObject(expected)
  })

  const began = (beganType: string | null, beganPlaced = true) => ({
    ...{ ...END, beganQuantity: 20 },
    ...{ beganType, beganPlaced },
  })
  const UNSEEN = { ...began(null), beganQuantity: null }
  const TOTAL = [{ setting: total(20) }]
  it.each<[string, OrderFacts, string]>([
    ['ended as ordered', facts(began('CANCEL')), 'APPLIED'],
    ['ended before the order was placed', facts(began('CANCEL', false)), 'UNCLEAR'],
    ['began another term', facts(began(null)), 'LOST'],
    ['began another term, unseen', facts(UNSEEN), 'LOST'],
    ['began another term, unseen, after an order of a total', facts(UNSEEN, TOTAL), 'UNCLEAR'],
    ['began another term, as an earlier order said', facts(began(null), TOTAL), 'UNCLEAR'],
    [
      'began another term, as an order before the withdrawn one said',
      facts({ ...WITHDRAWN, ...began(null, false) }, [...TOTAL, { setting: CANCEL, before: total(20) }]),
      'UNCLEAR',
    ],
    ['continued', facts(began('EXTENDED_SERVICE_TERM')), 'LOST'],
    [
      'continued though a total was ordered',
      facts({ beganQuantity: 12, beganType: 'EXTENDED_SERVICE_TERM', beganPlaced: true }),
      'LOST',
    ],
    [
      'ended though that was withdrawn',
      facts({ ...WITHDRAWN, ...began('CANCEL') }, [{ setting: CANCEL }]),
      'UNCLEAR',
    ],
    [
      'continued by the rest of an order that was withdrawn',
      facts({ ...WITHDRAWN, ...began('EXTENDED_SERVICE_TERM') }, [{ setting: CANCEL }]),
      'UNCLEAR',
    ],
    [
      'continued by default after a withdrawal',
      facts({ ...WITHDRAWN, ...began('EXTENDED_SERVICE_TERM') }, [{ setting: CANCEL, before: DEFAULT }]),
      'WITHDRAWN',
    ],
    [
      'renewed after a withdrawal',
      facts({ ...WITHDRAWN, ...began(null) }, [{ setting: CANCEL }]),
      'WITHDRAWN',
    ],
  ])('%s', (_, facts, state) => {
    expect(decideOutcome(facts).state).toBe(state)
  })
})

describe('an order that is withdrawn', () => {
  it.each<[string, OrderFacts, Setting, object]>([
    ['is gone where nothing was sent', facts(WITHDRAWN), NOTHING, { kind: 'settle', state: 'WITHDRAWN' }],
    [
      'is removed where the vendor shows it, or any earlier one',
      facts(WITHDRAWN, [{ setting: total(18) }, { setting: total(12), kind: 'unknown' }]),
      total(18),
      { kind: 'send', setting: NOTHING, isWithdrawal: true },
    ],
    [
      'brings back what another party had scheduled',
      facts(WITHDRAWN, [{ setting: total(12), before: total(7) }]),
      total(12),
      { kind: 'send', setting: total(7) },
    ],
    [
      'is removed also where nothing is shown while its request may arrive',
      facts(WITHDRAWN, [{ setting: total(12), ...late }]),
      NOTHING,
      { kind: 'send', setting: NOTHING },
    ],
    [
      'is removed also where a read that may be older than the order has nothing',
      facts(WITHDRAWN, [{ setting: total(12), at: at(-80_000) }], { asOf: NOW - 80_000 }),
      NOTHING,
      { kind: 'send', setting: NOTHING },
    ],
    [
      'is gone where a read that can show the order does not',
      facts(WITHDRAWN, [{ setting: total(12), at: at(-80_000) }]),
      NOTHING,
      { kind: 'settle', state: 'WITHDRAWN' },
    ],
    [
      'is followed until nothing can arrive any more',
      facts(WITHDRAWN, [
        { setting: total(12), ...late },
        { setting: NOTHING, before: total(12), isWithdrawal: true },
      ]),
      NOTHING,
      { kind: 'wait', lookAt: late.lateUntil.getTime() + 60_000 },
    ],
    [
      'is gone although its own removal may arrive late',
      facts(WITHDRAWN, [
        { setting: total(12) },
        { setting: NOTHING, before: total(12), isWithdrawal: true, kind: 'unknown', lateUntil: at(500_000) },
      ]),
      NOTHING,
      { kind: 'settle', state: 'WITHDRAWN' },
    ],
    [
      'is followed where the schedule of another party may be from before it',
      facts(WITHDRAWN, [{ setting: total(12), at: at(-1000) }]),
      total(80),
      { kind: 'wait' },
    ],
    [
      'leaves what another party has scheduled since',
      facts(WITHDRAWN, [{ setting: total(12) }]),
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
    ['as ordered, of an order that was placed', facts({ ...began(12) }), 'APPLIED'],
    ['as ordered, of one that was not', facts({ ...began(12, false) }), 'UNCLEAR'],
    ['otherwise, of one that was placed', facts({ ...began(15) }), 'LOST'],
    ['otherwise, of one that was not', facts({ ...began(20, false) }), 'UNCLEAR'],
    [
      'unseen, of one that was withdrawn before any request',
      facts({ ...WITHDRAWN, ...began(15), beganQuantity: null }),
      'WITHDRAWN',
    ],
    ['unseen before a change of the licenses', facts({ ...began(15), beganQuantity: null }), 'UNCLEAR'],
    ['as an earlier order said', facts({ ...began(18) }, [{ setting: total(18) }]), 'UNCLEAR'],
    ['as withdrawn', facts({ ...WITHDRAWN, ...began(20) }, [{ setting: total(12) }]), 'WITHDRAWN'],
    [
      'as ordered, though that was withdrawn',
      facts({ ...WITHDRAWN, ...began(12) }, [{ setting: total(12) }]),
      'UNCLEAR',
    ],
  ])('%s, gives the order the state of the table', (_, facts, state) => {
    expect(decideOutcome(facts).state).toBe(state)
  })
})

it('never overwrites a setting that no request has sent and no orderer has seen', () => {
  const quantity = fc.option(fc.integer({ min: 1, max: 6 }), { nil: null })
  const total = quantity.map((one): Setting => ({ quantity: one, renewalType: null }))
  const renewalTypes = fc.constantFrom('AUTO_RENEW', 'RENEW_CURRENT_USERS', 'CANCEL')
  const setting = fc.oneof(
    total,
    renewalTypes.map((renewalType): Setting => ({ quantity: null, renewalType })),
  )
  const sent = fc.record({ setting, before: setting, isWithdrawal: fc.boolean() })
  fc.assert(
    fc.property(fc.array(sent, { maxLength: 4 }), setting, fc.boolean(), (requests, shown, isWithdrawn) => {
      const renewal = facts(isWithdrawn ? WITHDRAWN : {}, requests)
      const isForeign =
        !isSameSetting(shown, NOTHING) && !requests.some((one) => isSameSetting(one.setting, shown))
      const wasBefore = requests.some(({ before }) => isSameSetting(before, shown))
      if (isForeign && !wasBefore) expect(decide(renewal, shown).kind).not.toBe('send')
    }),
  )
})
