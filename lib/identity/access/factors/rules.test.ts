import { describe, expect, it } from 'vitest'
import { methodOfScope, scopeOfNewFactor } from './rules.ts'

describe('a new factor', () => {
  const none: { reach: string | null }[] = []
  const personMethod = methodOfScope(null)
  const here = methodOfScope('alder')

  it.each([
    ['by the person’s password, the first one', none, false, ['password'], null],
    ['by the membership’s own password', none, true, ['password'], 'alder'],
    ['by an issuer', none, false, ['issuer'], 'alder'],
    ['by an issuer and a factor that counts everywhere', none, false, ['issuer', personMethod], 'alder'],
    // A customer's identity provider can assert any identity, and could set up and remove a factor of that scope: so
    // the scope is the customer.
    ['by a passkey of this customer’s, which was removed since', none, false, ['passkey', here], 'alder'],
    ['by nothing that is known', none, false, [], 'alder'],
    ['by a passkey of the person’s', [{ reach: null }], false, ['passkey', personMethod], null],
    ['by the person’s password beside another factor', [{ reach: null }], false, ['password'], 'alder'],
    ['by both', [{ reach: null }], false, ['password', personMethod], null],
  ])('gets its scope when set up %s', (_, all, isOwn, verifiedMethods, factorScope) => {
    expect(scopeOfNewFactor(all, { customerId: 'alder', isOwn, proven: verifiedMethods })).toBe(factorScope)
  })
})
