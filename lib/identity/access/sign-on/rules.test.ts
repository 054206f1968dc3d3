import { describe, expect, it } from 'vitest'
import type { Agreed, Mapping } from './rules.ts'
import { domainOf, isSignedInSince, isVerified, nameBy, profilesBy, rolesBy } from './rules.ts'

const agreed = (mappings: Mapping[], joinRoles: Agreed['joinRoles'] = null): Agreed => ({
  ...{ mappings, joinRoles, verifiedClaim: 'email_verified' },
})
const admins: Mapping = { claim: 'groups', value: 'admins', role: 'admin' }
const nested: Mapping = { claim: 'realm_access.roles', value: 'it', role: 'it-manager' }

describe('rolesBy and profilesBy', () => {
  it.each([
    [{ groups: ['admins', 'x'] }, agreed([admins]), ['admin']],
    [{ groups: 'admins' }, agreed([admins]), ['admin']],
    [{ groups: ['Admins'] }, agreed([admins]), []],
    [{ groups: [] }, agreed([admins], ['finance-user']), ['finance-user']],
    [
      { realm_access: { roles: ['it'] }, groups: ['admins'] },
      agreed([admins, nested]),
      ['admin', 'it-manager'],
    ],
    [{ 'realm_access.roles': ['it'] }, agreed([nested]), ['it-manager']],
    [{ realm_access: null }, agreed([nested]), []],
    [{}, agreed([admins, admins]), []],
    [{ groups: ['admins'] }, agreed([], ['admin']), null],
    [{ groups: ['admins'] }, agreed([{ claim: 'groups', value: 'admins', profile: 'emea' }]), null],
  ])('returns the roles of %j', (claims, mapping, roles) => {
    expect(rolesBy(claims, mapping)).toEqual(roles)
  })

  it('returns no billing profile without a match, and null without a mapping', () => {
    const emea = agreed([{ claim: 'team', value: '7', profile: 'emea' }])
    expect([profilesBy({ team: 7 }, emea), profilesBy({ team: 8 }, emea)]).toEqual([['emea'], []])
    expect(profilesBy({ team: 7 }, agreed([admins]))).toBeNull()
  })
})

describe('the claims of an issuer', () => {
  it.each([
    ['Ana@Alder.Example', 'alder.example'],
    [' ana@alder.example ', 'alder.example'],
    ['ana', undefined],
    ['a@b@alder.example', undefined],
    ['@alder.example', undefined],
    ['ana@alder\0.example', undefined],
  ])('contain for the address %j the domain %j', (email, domain) => {
    expect(domainOf(email)).toBe(domain)
  })

  it('verify an address only where the issuer asserts it', () => {
    const verified = [true, 'true', 1, '1'].map((value) => isVerified({ x: value }, 'x'))
    const not = [false, 'false', 0, null, undefined, 'yes', [true], {}].map((value) =>
      isVerified({ x: value }, 'x'),
    )
    expect([new Set(verified), new Set(not)]).toEqual([new Set([true]), new Set([false])])
  })

  it('contain a display name without control characters, otherwise the address', () => {
    const name = (claims: object) => nameBy({ ...claims }, 'a@b.example')
    expect(name({ name: ' Ana\u0000\u202e Ruiz ' })).toBe('Ana   Ruiz')
    expect(name({ given_name: 'Ana', family_name: 'Ruiz' })).toBe('Ana Ruiz')
    expect(name({ name: 7 })).toBe('a@b.example')
    expect(name({ name: 'x'.repeat(500) })).toHaveLength(200)
  })

  it('are fresh after a sign-in since the request, with a clock a minute behind ours', () => {
    const since = 1_000_000_000
    const at = (auth_time: unknown) => isSignedInSince({ auth_time }, since)
    expect([at(1_000_001), at(1_000_000 - 60), at(1_000_000 - 61), at('1000001'), at(undefined)]).toEqual([
      ...[true, true, false, false, false],
    ])
  })
})
