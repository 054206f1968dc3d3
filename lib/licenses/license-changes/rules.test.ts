import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_QUANTITY, type QuantityState } from '#lib/licenses/assets/quantity-rule.ts'
import { CHANGE_STATES, checkAfterRead, checkBeforeRead, isConfirmed, isOpen, OPEN_STATES } from './rules.ts'

describe('The states of a change', () => {
  it('are open or final, and unrecognized states count as final', () => {
    expect([...CHANGE_STATES, 'LATER'].filter(isOpen)).toEqual([...OPEN_STATES])
  })

  it('count as confirmed by the vendor only if the change was sent and applied', () => {
    const sentAt = new Date()
    expect(CHANGE_STATES.filter((state) => isConfirmed({ state, sentAt, settledBy: null }))).toEqual([
      'APPLIED',
    ])
    expect(CHANGE_STATES.filter((state) => isConfirmed({ state, sentAt: null, settledBy: null }))).toEqual([])
    expect(CHANGE_STATES.filter((state) => isConfirmed({ state, sentAt, settledBy: 'operator' }))).toEqual([])
  })
})

const PRESENT = 7
const TAGS = {
  none: undefined,
  any: '*',
  present: '"7.abc"',
  older: '"6.abc"',
  coming: '"8.abc"',
  other: '"x"',
}
type Tag = keyof typeof TAGS

/** Requested totals for an asset with 20 licenses. */
const TOTALS = { lower: 15, same: 20, higher: 25 }

type Case = {
  licenses: boolean
  tag: Tag
  status: string
  isCommitmentPlan: boolean
  asked: keyof typeof TOTALS
}
const CASES: Case[] = [true, false].flatMap((licenses) =>
  (Object.keys(TAGS) as Tag[]).flatMap((tag) =>
    ['ACTIVE', 'SUSPENDED', 'SOMETHING_NEW'].flatMap((status) =>
      [true, false].flatMap((isCommitmentPlan) =>
        (['lower', 'same', 'higher'] as const).map((asked) => ({
          licenses,
          tag,
          status,
          isCommitmentPlan,
          asked,
        })),
      ),
    ),
  ),
)

function inputsOf({ licenses, tag, status, isCommitmentPlan, asked }: Case) {
  const quantityState: QuantityState = { status, isCommitmentPlan, purchased: 20 }
  return {
    request: { quantity: TOTALS[asked], ifMatch: TAGS[tag] },
    assetState: { seatVersion: PRESENT, quantityState: licenses ? quantityState : undefined },
  }
}

/** Expected answer; the first row that applies to a case decides. */
type Row = [answer: string, applies: (one: Case) => boolean]
const first = (rows: Row[], one: Case) => rows.find(([, applies]) => applies(one))?.[0]

const NO_LICENSES: Row = ['no_licenses', ({ licenses }) => !licenses]
const isOther = ({ tag }: Case, fit: Tag[]) => !fit.includes(tag)

describe('The order of the checks, for every combination of inputs', () => {
  const outcomeText = (result: { kind: string; reason?: string }) =>
    result.kind === 'refused' ? result.reason : result.kind

  it.each(['applied', 'rejected'] as const)(
    'is followed after a read, where the vendor predicts %s',
    (kind) => {
      const rows: Row[] = [
        NO_LICENSES,
        ['version_mismatch', (one) => isOther(one, ['none', 'any', 'present'])],
        ['not_active', ({ status }) => status !== 'ACTIVE'],
        ['unchanged', ({ asked }) => asked === 'same'],
        ['commitment', ({ asked, isCommitmentPlan }) => asked === 'lower' && isCommitmentPlan],
        [kind, () => true],
      ]
      for (const one of CASES) {
        const { request, assetState } = inputsOf(one)
        let questions = 0
        const predictOutcome = (quantityState: QuantityState) => {
          expect(quantityState).toBe(assetState.quantityState)
          questions += 1
          return { kind }
        }
        const decision = outcomeText(checkAfterRead(request, assetState, predictOutcome))
        expect([one, decision]).toEqual([one, first(rows, one)])
        // The vendor's rule is the last check, and runs only if all others pass.
        expect(questions).toBe(decision === kind ? 1 : 0)
      }
    },
  )

  it.each([
    ['no change is open', undefined],
    ['a change to fewer licenses is open', { toQuantity: TOTALS.lower }],
    ['a change to the present total is open', { toQuantity: TOTALS.same }],
    ['a change to more licenses is open', { toQuantity: TOTALS.higher }],
  ])('is followed before a read, where %s', (_, open) => {
    const rows: Row[] = [
      NO_LICENSES,
      ['version_mismatch', (one) => isOther(one, ['none', 'any', 'present', 'coming'])],
      ['joined', ({ asked }) => open?.toQuantity === TOTALS[asked]],
      ['in_progress', () => open !== undefined],
      ['unread', () => true],
    ]
    for (const one of CASES) {
      const { request, assetState } = inputsOf(one)
      const decision = checkBeforeRead(request, { ...assetState, open })
      expect([one, outcomeText(decision)]).toEqual([one, first(rows, one)])
      if (decision.kind === 'joined' || decision.kind === 'in_progress') expect(decision.open).toBe(open)
    }
  })
})

describe('The result of a check', () => {
  const annual = {
    status: 'ACTIVE',
    isCommitmentPlan: true,
    purchased: 20,
    commitmentEnd: 1_803_859_200_000,
  }
  const predictOutcome = () => ({ kind: 'applied' as const, seats: 25 })
  it.each([
    [
      { quantity: 25, ifMatch: '"1.x"' },
      { kind: 'refused', reason: 'version_mismatch', current: 20 },
    ],
    [
      { quantity: 19, ifMatch: undefined },
      { kind: 'refused', reason: 'commitment', current: 20, minimum: 20, until: 1_803_859_200_000 },
    ],
    [{ quantity: 20, ifMatch: undefined }, { kind: 'unchanged' }],
    [
      { quantity: 25, ifMatch: undefined },
      { kind: 'applied', seats: 25 },
    ],
  ])('of %j is %j', (request, decision) => {
    const result = checkAfterRead(request, { seatVersion: PRESENT, quantityState: annual }, predictOutcome)
    expect(result).toMatchObject(decision)
  })

  it.each([
    ['a decrease', annual, { quantity: 19, ifMatch: undefined }, true],
    ['a decrease of the present version', annual, { quantity: 19, ifMatch: '"7.x"' }, true],
    ['a decrease of a version that is still to come', annual, { quantity: 19, ifMatch: '"8.x"' }, false],
    ['an increase', annual, { quantity: 21, ifMatch: undefined }, false],
    [
      'a decrease while suspended',
      { ...annual, status: 'SUSPENDED' },
      { quantity: 19, ifMatch: undefined },
      false,
    ],
    [
      'a decrease of a flexible plan',
      { ...annual, isCommitmentPlan: false },
      { quantity: 19, ifMatch: undefined },
      false,
    ],
  ])(
    'the check before the read of %s returns whether our copy forbids it',
    (_, state, request, isForbidden) => {
      const result = checkBeforeRead(request, { seatVersion: PRESENT, quantityState: state, open: undefined })
      const violation = { kind: 'refused', reason: 'commitment', current: 20, minimum: 20 }
      expect(result).toMatchObject({ kind: 'unread', violation: isForbidden ? violation : undefined })
    },
  )

  it('contains the status that forbids the change', () => {
    const quantityState = { ...annual, status: 'PENDING' }
    const request = { quantity: 25, ifMatch: undefined }
    const decision = checkAfterRead(request, { seatVersion: PRESENT, quantityState }, predictOutcome)
    expect(decision).toMatchObject({ kind: 'refused', reason: 'not_active', status: 'PENDING' })
  })
})

describe('If-Match', () => {
  const quantityState: QuantityState = { status: 'ACTIVE', isCommitmentPlan: false, purchased: 20 }
  it.each([
    [undefined, true, true],
    ['*', true, true],
    ['"7.abc"', true, true],
    [' "6.abc" , "7.def"', true, true],
    ['"6.abc"', false, false],
    ['"8.abc"', false, true],
    ['"6.abc", "70.x"', false, true],
    ['"77.abc"', false, true],
    ['"7"', false, false],
    ['W/"7.abc"', false, false],
    ['"other"', false, false],
  ])(
    '%s admits version 7: %s, and may admit it as a version before a later one: %s',
    (ifMatch, is, mayBecome) => {
      const request = { quantity: 21, ifMatch }
      const assetState = { seatVersion: PRESENT, quantityState }
      const result = checkAfterRead(request, assetState, () => ({ kind: 'applied' as const }))
      expect(result.kind === 'applied').toBe(is)
      expect(checkBeforeRead(request, { ...assetState, open: undefined }).kind === 'unread').toBe(mayBecome)
    },
  )
})

describe('For any request', () => {
  const quantities = fc.integer({ min: 0, max: MAX_QUANTITY })
  const anyState = fc.record({
    status: fc.oneof(fc.constant('ACTIVE'), fc.string()),
    isCommitmentPlan: fc.boolean(),
    purchased: quantities,
  })
  const versions = fc.integer({ min: 1, max: 50 })
  const headers = fc.oneof(
    fc.constant(undefined),
    fc.constant('*'),
    versions.map((version) => `"${version}.a"`),
    fc.tuple(versions, versions).map(([one, two]) => `"${one}.a", "${two}.b"`),
  )

  it('a vendor never receives an unchanged total, a change of an inactive subscription or a decrease on a commitment', () => {
    fc.assert(
      fc.property(
        anyState,
        versions,
        quantities,
        headers,
        (quantityState, seatVersion, quantity, ifMatch) => {
          const predictOutcome = () => ({ kind: 'applied' as const })
          const { kind } = checkAfterRead(
            { quantity, ifMatch },
            { seatVersion, quantityState },
            predictOutcome,
          )
          if (kind !== 'applied') return
          expect(quantityState.status).toBe('ACTIVE')
          expect(quantity).not.toBe(quantityState.purchased)
          if (quantityState.isCommitmentPlan) expect(quantity).toBeGreaterThan(quantityState.purchased)
          if (ifMatch?.startsWith('"')) expect(ifMatch).toContain(`"${seatVersion}.`)
        },
      ),
    )
  })

  it('the check before the read gives the same kind of result, whatever our copy contains', () => {
    const opens = fc.option(fc.record({ toQuantity: quantities }), { nil: undefined })
    fc.assert(
      fc.property(
        fc.tuple(anyState, anyState, opens),
        versions,
        quantities,
        headers,
        ([one, other, open], seatVersion, quantity, ifMatch) => {
          const [first, second] = [one, other].map((quantityState) =>
            checkBeforeRead({ quantity, ifMatch }, { seatVersion, quantityState, open }),
          )
          expect(first?.kind).toBe(second?.kind)
        },
      ),
    )
  })

  it('the check after the read rejects whatever the check before rejected, except for a later version', () => {
    fc.assert(
      fc.property(
        anyState,
        versions,
        quantities,
        headers,
        (quantityState, seatVersion, quantity, ifMatch) => {
          const request = { quantity, ifMatch }
          const assetState = { seatVersion, quantityState }
          const before = checkBeforeRead(request, { ...assetState, open: undefined })
          const after = checkAfterRead(request, assetState, () => ({ kind: 'applied' as const }))
          if (before.kind === 'refused') expect(after).toEqual(before)
          else if (before.kind === 'unread' && before.violation) expect(after).toEqual(before.violation)
          else expect(before).toEqual({ kind: 'unread', violation: undefined })
        },
      ),
    )
  })
})
