import { describe, expect, it } from 'vitest'
import { reachOfNew, reachProven } from './rules.ts'

describe('a new factor', () => {
  const none: { reach: string | null }[] = []
  const everywhere = reachProven(null)
  const here = reachProven('alder')

  it.each([
    ['by the person’s password, the first one', none, false, ['password'], null],
    ['by the membership’s own password', none, true, ['password'], 'alder'],
    ['by an issuer', none, false, ['issuer'], 'alder'],
    ['by an issuer and a factor that counts everywhere', none, false, ['issuer', everywhere], 'alder'],
    // Whoever had this customer's issuer say that they are somebody could set it up, and remove it: then there is none.
    ['by a passkey of this customer’s, which was removed since', none, false, ['passkey', here], 'alder'],
    ['by nothing that is known', none, false, [], 'alder'],
    ['by a passkey of the person’s', [{ reach: null }], false, ['passkey', everywhere], null],
    ['by the person’s password beside another factor', [{ reach: null }], false, ['password'], 'alder'],
    ['by both', [{ reach: null }], false, ['password', everywhere], null],
  ])('%s', (_, all, isOwn, proven, reach) => {
    expect(reachOfNew(all, { customerId: 'alder', isOwn, proven })).toBe(reach)
  })
})
