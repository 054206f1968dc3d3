import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_QUANTITY, type QuantityState } from '#lib/licenses/assets/rules.ts'
import { CHANGE_STATES, check, isConfirmed, isOpen, OPEN_STATES } from './rules.ts'

describe('the states of a change', () => {
  it('are open or settled; those that we do not know count as settled', () => {
    expect([...CHANGE_STATES, 'LATER'].filter(isOpen)).toEqual([...OPEN_STATES])
  })

  it('only what was sent and applied is confirmed by the vendor', () => {
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

/** 20 licenses, and what is asked for: fewer, the same, more. */
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

/** What a case is answered with: the first of the rows that applies. */
type Row = [answer: string, applies: (one: Case) => boolean]
const first = (rows: Row[], one: Case) => rows.find(([, applies]) => applies(one))?.[0]

const NO_LICENSES: Row = ['no_licenses', ({ licenses }) => !licenses]
const isOther = ({ tag }: Case, fit: Tag[]) => !fit.includes(tag)

describe('the order of CONTRACT 4, in each case that there is', () => {
  const outcomeText = (result: { kind: string; reason?: string }) =>
    result.kind === 'refused' ? result.reason : result.kind

  it.each(['applied', 'rejected'] as const)('with books just read, and a vendor that says %s', (kind) => {
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
      const decision = outcomeText(check(request, { ...assetState, predictOutcome }))
      expect([one, decision]).toEqual([one, first(rows, one)])
      // The vendor's rule stands last: it is asked of nothing that is settled without it.
      expect(questions).toBe(decision === kind ? 1 : 0)
    }
  })

  it.each([
    ['no change is open', undefined],
    ['one to fewer licenses is open', { toQuantity: TOTALS.lower }],
    ['one to the present total is open', { toQuantity: TOTALS.same }],
    ['one to more licenses is open', { toQuantity: TOTALS.higher }],
  ])('with our copy of a vendor’s books, where %s', (_, open) => {
    const rows: Row[] = [
      NO_LICENSES,
      ['version_mismatch', (one) => isOther(one, ['none', 'any', 'present', 'coming'])],
      ['joined', ({ asked }) => open?.toQuantity === TOTALS[asked]],
      ['in_progress', () => open !== undefined],
      ['unread', () => true],
    ]
    for (const one of CASES) {
      const { request, assetState } = inputsOf(one)
      const decision = check(request, { ...assetState, open })
      expect([one, outcomeText(decision)]).toEqual([one, first(rows, one)])
      if (decision.kind === 'joined' || decision.kind === 'in_progress') expect(decision.open).toBe(open)
    }
  })
})

describe('what a check tells beside its word', () => {
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
  ])('%j', (request, decision) => {
    expect(check(request, { seatVersion: PRESENT, quantityState: annual, predictOutcome })).toMatchObject(
      decision,
    )
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
  ])('says of %s whether our copy forbids it', (_, facts, asked, isForbidden) => {
    const found = check(asked, { seatVersion: PRESENT, quantityState: facts, open: undefined })
    const refusal = { kind: 'refused', reason: 'commitment', current: 20, minimum: 20 }
    expect(found).toMatchObject({ kind: 'unread', refusal: isForbidden ? refusal : undefined })
  })

  it('names the status that it refuses', () => {
    const quantityState = { ...annual, status: 'PENDING' }
    const decision = check(
      { quantity: 25, ifMatch: undefined },
      { seatVersion: PRESENT, quantityState, predictOutcome },
    )
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
  ])('of %s names version 7: %s, and may name one to come: %s', (ifMatch, is, mayBecome) => {
    const request = { quantity: 21, ifMatch }
    const assetState = { seatVersion: PRESENT, quantityState }
    const read = check(request, { ...assetState, predictOutcome: () => ({ kind: 'applied' as const }) })
    expect(read.kind === 'applied').toBe(is)
    expect(check(request, { ...assetState, open: undefined }).kind === 'unread').toBe(mayBecome)
  })
})

describe('check, whatever it is asked', () => {
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

  it('lets nothing to a vendor that is no change, not active, or lowers a commitment', () => {
    fc.assert(
      fc.property(
        anyState,
        versions,
        quantities,
        headers,
        (quantityState, seatVersion, quantity, ifMatch) => {
          const predictOutcome = () => ({ kind: 'applied' as const })
          const { kind } = check({ quantity, ifMatch }, { seatVersion, quantityState, predictOutcome })
          if (kind !== 'applied') return
          expect(quantityState.status).toBe('ACTIVE')
          expect(quantity).not.toBe(quantityState.purchased)
          if (quantityState.isCommitmentPlan) expect(quantity).toBeGreaterThan(quantityState.purchased)
          if (ifMatch?.startsWith('"')) expect(ifMatch).toContain(`"${seatVersion}.`)
        },
      ),
    )
  })

  it('asks for books to be read that the vendor keeps, whatever our copy says', () => {
    const opens = fc.option(fc.record({ toQuantity: quantities }), { nil: undefined })
    fc.assert(
      fc.property(
        fc.tuple(anyState, anyState, opens),
        versions,
        quantities,
        headers,
        ([one, other, open], seatVersion, quantity, ifMatch) => {
          const [first, second] = [one, other].map((quantityState) =>
            check({ quantity, ifMatch }, { seatVersion, quantityState, open }),
          )
          expect(first?.kind).toBe(second?.kind)
        },
      ),
    )
  })

  it('refuses after the read whatever it refused before, but for a version that was still to come', () => {
    fc.assert(
      fc.property(
        anyState,
        versions,
        quantities,
        headers,
        (quantityState, seatVersion, quantity, ifMatch) => {
          const request = { quantity, ifMatch }
          const before = check(request, { seatVersion, quantityState, open: undefined })
          const after = check(request, {
            seatVersion,
            quantityState,
            predictOutcome: () => ({ kind: 'applied' as const }),
          })
          if (before.kind === 'refused') expect(after).toEqual(before)
          else if (before.kind === 'unread' && before.refusal) expect(after).toEqual(before.refusal)
          else expect(before).toEqual({ kind: 'unread', refusal: undefined })
        },
      ),
    )
  })
})
