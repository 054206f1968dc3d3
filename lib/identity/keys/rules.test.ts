import { describe, expect, it } from 'vitest'
import { ROLES } from '#lib/platform/caller/rules.ts'
import {
  callerKeyScope,
  daysOf,
  decideIssue,
  decideRotation,
  givableRoles,
  type KeyRequest,
  keyScopeOf,
  STATUSES,
} from './rules.ts'

const LIMITS = { mostDays: 365, withoutEnd: false }
const finance = { roles: ['finance-user'], billingProfiles: ['emea', 'apac'] } as const
const admin = { roles: ['admin'], billingProfiles: ['emea'] } as const
const keyRequest: KeyRequest = { roles: ['finance-user'], owner: 'MEMBER', validDays: 90 }

describe('granting access to a key', () => {
  it.each([
    [[], []],
    [['finance-user'], ['finance-user']],
    [
      ['finance-user', 'it-manager'],
      ['it-manager', 'finance-user'],
    ],
    [['admin'], [...ROLES]],
  ] as const)('allows for the roles %j: %j', (roles, givable) => {
    expect(givableRoles({ roles })).toEqual(givable)
  })

  it.each([
    ['their own role', finance, {}, undefined],
    ['as an Admin, each role', admin, { roles: [...ROLES] }, undefined],
    ['a role of others', finance, { roles: ['it-manager'] }, 'roles'],
    ['one of theirs and one of others', finance, { roles: ['finance-user', 'admin'] }, 'roles'],
    ['one of their billing profiles', finance, { billingProfiles: ['apac'] }, undefined],
    ['a billing profile of others', finance, { billingProfiles: ['apac', 'amer'] }, 'billingProfiles'],
    ['a billing profile that an Admin does not see', admin, { billingProfiles: ['apac'] }, 'billingProfiles'],
    ['to the customer', finance, { owner: 'CUSTOMER' }, 'owner'],
    ['to the customer, as an Admin', admin, { owner: 'CUSTOMER' }, undefined],
    ['the longest time', finance, { validDays: 365 }, undefined],
    ['a longer time', finance, { validDays: 366 }, 'validDays'],
    ['no end', admin, { validDays: null }, 'validDays'],
    ['the usual end', finance, { validDays: undefined }, undefined],
  ] as const)('decides about %s', (_, caller, values, field) => {
    const decision = decideIssue(caller, { ...keyRequest, ...(values as Partial<KeyRequest>) }, LIMITS)
    expect(decision.allowed ? undefined : decision.field).toBe(field)
  })

  it('allows a missing expiry where the operator does', () => {
    expect(
      decideIssue(finance, { ...keyRequest, validDays: null }, { ...LIMITS, withoutEnd: true }).allowed,
    ).toBe(true)
  })

  it('lasts 90 days by default, or the longest allowed time', () => {
    expect(daysOf({}, LIMITS)).toBe(90)
    expect(daysOf({}, { ...LIMITS, mostDays: 30 })).toBe(30)
    expect(daysOf({ validDays: null }, LIMITS)).toBeNull()
  })
})

describe('callerKeyScope and keyScopeOf', () => {
  it.each([
    [{ via: 'session', id: 'm1', roles: ['it-manager'] }, { issuedBy: 'm1' }, { issuedBy: 'm1' }],
    [{ via: 'session', id: 'm1', roles: ['admin'] }, { issuedBy: 'm1' }, 'all'],
    [{ via: 'key', id: 'k1', roles: [] }, { keyId: 'k1' }, { keyId: 'k1' }],
    [{ via: 'key', id: 'k1', roles: ['admin'] }, { keyId: 'k1' }, 'all'],
    [{ via: 'operator', id: 'operator', roles: ['admin'] }, 'all', 'all'],
  ] as const)('%j: own %j, all %j', (caller, callerScope, all) => {
    expect([callerKeyScope(caller), keyScopeOf(caller)]).toEqual([callerScope, all])
  })
})

describe('decideRotation', () => {
  const ana = { via: 'session', id: 'ana', roles: ['finance-user'] } as const
  const boss = { via: 'session', id: 'boss', roles: ['admin'] } as const
  const key = { id: 'k1', status: 'ACTIVE', owner: 'MEMBER', issuedBy: 'ana' } as const
  const customers = { ...key, owner: 'CUSTOMER' } as const

  it.each([
    ['its issuer', ana, key, true],
    ['an Admin, of another member', boss, key, 'not-own'],
    ['an Admin, of the customer', boss, customers, true],
    ['who issued it for the customer and is no Admin now', ana, customers, 'not-own'],
    ['an Admin, of the command line', boss, { ...customers, issuedBy: null }, true],
    ['itself', { via: 'key', id: 'k1', roles: [] }, key, true],
    ['another key', { via: 'key', id: 'k2', roles: [] }, key, 'not-own'],
    ['an Admin key, of the customer', { via: 'key', id: 'k2', roles: ['admin'] }, customers, 'not-own'],
    ['the operator', { via: 'operator', id: 'operator', roles: ['admin'] }, key, true],
  ] as const)('decides for %s', (_, caller, rotated, expected) => {
    const decision = decideRotation(caller, rotated)
    expect(decision.allowed || decision.because).toBe(expected)
  })

  it.each(STATUSES)('decides by status for a key that is %s', (status) => {
    const decision = decideRotation(ana, { ...key, status })
    expect(decision.allowed || decision.because).toBe(status === 'ACTIVE' || 'ended')
  })
})
