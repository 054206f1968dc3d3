import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { ROLES, type Role } from '#lib/platform/caller/rules.ts'
import {
  type Around,
  decideChange,
  holdsAll,
  isAdmin,
  isLoss,
  MEMBER_STATES,
  type MemberAccess,
  type MemberChange,
  type MemberSnapshot,
  NOTHING,
  violationOf,
} from './rules.ts'

const PROFILES = ['default', 'emea', 'us']
const ALL: MemberAccess = { roles: ['admin'], billingProfiles: null }
const EMEA: MemberAccess = { roles: ['admin'], billingProfiles: ['emea'] }
const around = (values: Partial<Around> = {}): Around => ({
  access: ALL,
  profiles: PROFILES,
  otherAdmins: 1,
  otherFullAdmins: 1,
  isLastBySignOn: false,
  ...values,
})
const member = (values: Partial<MemberSnapshot> = {}): MemberSnapshot => ({
  name: 'Ana',
  state: 'active',
  roles: ['it-manager'],
  billingProfiles: null,
  ...values,
})

describe('the last Admin', () => {
  const ana = member({ roles: ['admin', 'finance-user'] })
  test.each<[string, MemberChange]>([
    ['keeps the role', { roles: ['finance-user'] }],
    ['is not disabled', { disabled: true }],
    ['neither, whatever else changes', { roles: ['it-manager'], name: 'Anna', billingProfiles: null }],
  ])('%s', (_, change) => {
    for (const otherAdmins of [0, 1])
      expect(decideChange(ana, change, around({ otherAdmins, otherFullAdmins: 0 }))).toEqual({
        refused: { reason: 'last_admin' },
      })
    expect(decideChange(ana, change, around())).toHaveProperty('differences')
    expect(decideChange(ana, change, around({ isLastBySignOn: true }))).toEqual({
      refused: { reason: 'last_admin_by_sign_on' },
    })
  })

  it('may get another name, fewer other roles and fewer profiles', () => {
    const change = { name: 'Anna', roles: ['admin'] as Role[], billingProfiles: ['emea'] }
    expect(decideChange(ana, change, around())).toEqual({
      differences: [
        { what: 'name', from: 'Ana', to: 'Anna' },
        { what: 'roles', from: ['finance-user', 'admin'], to: ['admin'] },
        { what: 'billingProfiles', from: null, to: ['emea'] },
      ],
    })
    // A limited Admin could not restore the access of the last one who sees all billing profiles.
    expect(decideChange(ana, change, around({ otherAdmins: 3, otherFullAdmins: 0 }))).toEqual({
      refused: { reason: 'last_admin' },
    })
    const narrow = member({ roles: ['admin'], billingProfiles: ['emea', 'us'] })
    expect(decideChange(narrow, change, around({ otherAdmins: 0, otherFullAdmins: 0 }))).toHaveProperty(
      'differences',
    )
  })

  it('is limited where no Admin sees all billing profiles', () => {
    const narrow = member({ roles: ['admin'], billingProfiles: ['emea'] })
    const demote = (values: Partial<Around>) => decideChange(narrow, { disabled: true }, around(values))
    expect(demote({ otherAdmins: 0, otherFullAdmins: 0 })).toEqual({ refused: { reason: 'last_admin' } })
    expect(demote({ otherAdmins: 1, otherFullAdmins: 0 })).toHaveProperty('differences')
    expect(demote({ otherAdmins: 1, otherFullAdmins: 1 })).toHaveProperty('differences')
  })

  it('can sign in: invited and disabled members do not count', () => {
    expect(isAdmin({ roles: ['admin'], state: 'active' })).toBe(true)
    expect(isAdmin({ roles: ['admin'], state: 'invited' })).toBe(false)
    expect(isAdmin({ roles: ['admin'], state: 'disabled' })).toBe(false)
    const invited = member({ roles: ['admin'], state: 'invited' })
    expect(decideChange(invited, { disabled: true }, around({ otherAdmins: 0, otherFullAdmins: 0 }))).toEqual(
      {
        differences: [{ what: 'disabled', to: true }],
      },
    )
  })
})

describe('decideChange and violationOf', () => {
  test.each<[Role[], Role[], Role | undefined]>([
    [['admin'], [...ROLES], undefined],
    [['it-manager'], ['it-manager'], undefined],
    [['it-manager'], ['it-manager', 'finance-user'], 'finance-user'],
    [['it-manager', 'finance-user'], ['admin'], 'admin'],
    [[], ['it-manager'], 'it-manager'],
    [[], [], undefined],
  ])('a caller with the roles %j who grants %j lacks %s', (roles, requested, missing) => {
    const access = { roles, billingProfiles: null }
    const violation = missing && { reason: 'role_not_held', role: missing }
    expect(violationOf({ roles: requested }, { access, profiles: PROFILES })).toEqual(violation)
  })

  test.each<[MemberAccess, string[] | null, unknown]>([
    [ALL, null, undefined],
    [ALL, [], undefined],
    [ALL, ['emea', 'us'], undefined],
    [ALL, ['emea', 'asia'], { reason: 'unknown_profile', at: 1, profile: 'asia' }],
    [EMEA, ['emea'], undefined],
    [EMEA, null, { reason: 'all_profiles_not_held' }],
    [EMEA, ['emea', 'us'], { reason: 'profile_not_held', at: 1, profile: 'us' }],
    [EMEA, ['asia'], { reason: 'unknown_profile', at: 0, profile: 'asia' }],
    // All present profiles are not the same as all profiles (null).
    [{ roles: ['admin'], billingProfiles: PROFILES }, null, { reason: 'all_profiles_not_held' }],
  ])('a caller with %j who grants the profiles %j gets %j', (access, billingProfiles, violation) => {
    expect(violationOf({ billingProfiles }, { access, profiles: PROFILES })).toEqual(violation)
  })

  it('a caller may keep a member’s greater access, and reduce it', () => {
    const ben = member({ billingProfiles: ['us', 'default'] })
    const by = around({ access: EMEA })
    expect(decideChange(ben, { billingProfiles: ['us', 'emea'] }, by)).toHaveProperty('differences')
    expect(decideChange(ben, { billingProfiles: null }, by)).toEqual({
      refused: { reason: 'all_profiles_not_held' },
    })
    expect(decideChange(member(), { billingProfiles: null }, by)).toEqual({ differences: [] })
    expect(decideChange(member(), { billingProfiles: ['us'] }, by)).toHaveProperty('differences')
    const byKey = around({ access: { roles: ['finance-user'], billingProfiles: null } })
    expect(decideChange(ben, { roles: ['it-manager', 'finance-user'] }, byKey)).toHaveProperty('differences')
  })

  it('a limited caller changes nothing of a member with more access, not even the name', () => {
    const by = around({ access: EMEA, limit: EMEA })
    for (const change of [{ name: 'New' }, { disabled: true }, { billingProfiles: ['us'] }, { roles: [] }])
      expect(decideChange(member(), change, by)).toEqual({ refused: { reason: 'member_holds_more' } })
    const below = member({ billingProfiles: ['emea'] })
    expect(decideChange(below, { disabled: true }, by)).toHaveProperty('differences')
  })

  it('a demotion of an Admin grants nothing, whatever the caller’s access', () => {
    const by = around({ access: NOTHING })
    const ana = member({ roles: ['admin'] })
    expect(decideChange(ana, { roles: ['it-manager'] }, by)).toHaveProperty('differences')
  })

  it('a caller can’t enable a member who would have more access', () => {
    const ben = member({ state: 'disabled', roles: ['admin'], billingProfiles: ['us', 'emea'] })
    const denied = { refused: { reason: 'more_than_held' } }
    const by = around({ access: EMEA })
    expect(decideChange(ben, { disabled: false }, by)).toEqual(denied)
    expect(decideChange(member({ state: 'disabled' }), { disabled: false }, by)).toEqual(denied)
    const it = around({ access: { roles: ['it-manager'], billingProfiles: null } })
    expect(decideChange(ben, { disabled: false }, it)).toEqual(denied)
    expect(decideChange(ben, { disabled: false, billingProfiles: ['emea'] }, by)).toHaveProperty(
      'differences',
    )
    expect(decideChange(ben, { disabled: false }, around())).toHaveProperty('differences')
    expect(decideChange(ben, { name: 'Benjamin' }, by)).toHaveProperty('differences')
    // Enabling an enabled member grants nothing.
    expect(decideChange(member(), { disabled: false }, by)).toEqual({ differences: [] })
  })

  it('a member’s access after any change was theirs before or is the caller’s', () => {
    const roles = fc.subarray([...ROLES])
    const profiles = fc.option(fc.subarray([...PROFILES]), { nil: null })
    const anyAccess = fc.record({ roles, billingProfiles: profiles })
    const change = fc.record({ roles, billingProfiles: profiles }, { requiredKeys: [] })
    fc.assert(
      fc.property(anyAccess, anyAccess, change, (access, had, requested) => {
        const decided = decideChange(member(had), requested, around({ access }))
        if ('refused' in decided) return
        const after = { ...had, ...requested }
        for (const role of after.roles)
          expect([had, access].some(({ roles }) => roles.includes('admin') || roles.includes(role))).toBe(
            true,
          )
        for (const profile of after.billingProfiles ?? [...PROFILES, 'added later'])
          expect(
            [had, access].some(({ billingProfiles: seen }) => seen === null || seen.includes(profile)),
          ).toBe(true)
      }),
    )
  })

  it('a caller can’t open the account of a member with more access', () => {
    expect(holdsAll(ALL, EMEA)).toBe(true)
    expect(holdsAll(EMEA, ALL)).toBe(false)
    expect(holdsAll(EMEA, { roles: ['it-manager'], billingProfiles: ['emea'] })).toBe(true)
    expect(holdsAll(EMEA, { roles: ['it-manager'], billingProfiles: ['emea', 'us'] })).toBe(false)
    expect(holdsAll({ roles: ['it-manager'], billingProfiles: null }, EMEA)).toBe(false)
  })
})

describe('differencesOf', () => {
  it('returns nothing for equal values, in any order', () => {
    const ana = member({ roles: ['admin', 'it-manager'], billingProfiles: ['us', 'emea'] })
    const same = {
      name: 'Ana',
      roles: ['it-manager', 'admin'] as Role[],
      billingProfiles: ['emea', 'us'],
      disabled: false,
    }
    expect(decideChange(ana, same, around())).toEqual({ differences: [] })
  })

  test.each(MEMBER_STATES)('returns the state of a member who is %s and is disabled, or enabled', (state) => {
    const differs = (disabled: boolean) => decideChange(member({ state }), { disabled }, around())
    const isDisabled = state === 'disabled'
    expect(differs(true)).toEqual({ differences: isDisabled ? [] : [{ what: 'disabled', to: true }] })
    expect(differs(false)).toEqual({ differences: isDisabled ? [{ what: 'disabled', to: false }] : [] })
  })
})

test('isLoss returns whether a member loses access', () => {
  const ana = member({ roles: ['admin', 'it-manager'] })
  expect(isLoss(ana, { name: 'Anna', roles: [...ROLES], billingProfiles: null })).toBe(false)
  // An Admin has the permissions of all other roles.
  expect(isLoss(ana, { roles: ['admin'] })).toBe(false)
  expect(isLoss(ana, { roles: ['it-manager'] })).toBe(true)
  expect(isLoss(ana, { billingProfiles: [...PROFILES] })).toBe(true)
  expect(isLoss(member({ billingProfiles: ['us'] }), { billingProfiles: ['us', 'emea'] })).toBe(false)
  expect(isLoss(member({ billingProfiles: ['us'] }), { billingProfiles: ['emea'] })).toBe(true)
  expect(isLoss(ana, { disabled: true })).toBe(true)
  expect(isLoss(member({ state: 'disabled' }), { disabled: true })).toBe(false)
})
