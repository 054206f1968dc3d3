import { type Example, problemAnswer } from '#lib/platform/api/openapi/example.ts'
import type { Key } from './contract.ts'

const ERP: Key = {
  id: 'k-erp',
  name: 'ERP',
  hint: 'lic_Zq4T…8fKd',
  status: 'ACTIVE',
  roles: ['finance-user'],
  billingProfiles: ['default'],
  owner: 'MEMBER',
  issuer: { id: 'm-ana', name: 'Ana Ruiz', email: 'ana@northwind.example' },
  addresses: ['192.0.2.0/24', '2001:db8::/32'],
  createTime: 1795334400000,
  expireTime: 1803110400000,
  lastUseTime: 1795420800000,
  lastUseAddress: '192.0.2.17',
  isUnused: false,
  isCurrent: false,
}
const NIGHTLY: Key = {
  id: 'k-nightly',
  name: 'nightly-sync',
  hint: 'lic_b7Xw…2mPc',
  status: 'ACTIVE',
  roles: ['admin'],
  owner: 'CUSTOMER',
  createTime: 1793520000000,
  expireTime: 1801296000000,
  lastUseTime: 1795420800000,
  isUnused: false,
  isCurrent: true,
}
/** Belongs to no key: its checksum is wrong. */
const SECRET = 'lic_0000000000000000000000000000000000aa'

export const validateKey: readonly Example[] = [
  {
    name: 'valid-key',
    summary: 'A key that works',
    answer: { status: 200, body: { domain: 'northwind.example', email: 'contact@northwind.example' } },
  },
]

export const listKeys: readonly Example[] = [
  {
    name: 'own-key',
    summary: 'What a key may know of itself',
    answer: { status: 200, body: { keys: [NIGHTLY], rowCount: 1 } },
  },
]

export const readKey: readonly Example[] = [
  {
    name: 'key',
    summary: 'A key that is limited to a billing profile and two networks',
    params: { key_id: 'k-erp' },
    answer: { status: 200, body: ERP },
  },
  {
    name: 'unknown-key',
    summary: 'A key that is not there',
    params: { key_id: 'none' },
    answer: problemAnswer('not_found'),
  },
]

export const issueKey: readonly Example[] = [
  {
    name: 'issue',
    summary: 'A key for a month, from one network, as a signed-in member',
    by: 'session',
    body: { name: 'Warehouse', roles: ['it-manager'], validDays: 30, addresses: ['192.0.2.0/24'] },
    answer: {
      status: 200,
      body: {
        key: {
          id: 'k-warehouse',
          name: 'Warehouse',
          hint: 'lic_0000…00aa',
          status: 'ACTIVE',
          roles: ['it-manager'],
          owner: 'MEMBER',
          issuer: { id: 'm-ana', name: 'Ana Ruiz', email: 'ana@northwind.example' },
          addresses: ['192.0.2.0/24'],
          createTime: 1795334400000,
          expireTime: 1797926400000,
          isUnused: false,
          isCurrent: false,
        },
        secret: SECRET,
      },
    },
  },
  {
    name: 'not-by-key',
    summary: 'A key that would issue another one',
    body: { name: 'Another', roles: ['admin'] },
    answer: problemAnswer(
      'permission_denied',
      'Creating a key requires a signed-in member. An API key cannot grant access, so a stolen key is useless once it ends.',
    ),
  },
]

export const renameKey: readonly Example[] = [
  {
    name: 'rename',
    summary: 'Another name',
    params: { key_id: 'k-erp' },
    body: { name: 'ERP Zurich' },
    answer: { status: 200, body: { ...ERP, name: 'ERP Zurich' } },
  },
]

export const rotateKey: readonly Example[] = [
  {
    name: 'rotate',
    summary: 'A key that rotates itself',
    params: { key_id: 'k-nightly' },
    body: { overlap: '7d' },
    answer: {
      status: 200,
      body: {
        key: {
          id: 'k-nightly-2',
          name: 'nightly-sync',
          hint: 'lic_0000…00aa',
          status: 'ACTIVE',
          roles: ['admin'],
          owner: 'CUSTOMER',
          createTime: 1795420800000,
          expireTime: 1803196800000,
          isUnused: false,
          isCurrent: false,
        },
        secret: SECRET,
        former: { ...NIGHTLY, status: 'ROTATING', expireTime: 1796025600000, replacedBy: 'k-nightly-2' },
      },
    },
  },
  {
    name: 'rotated-before',
    summary: 'A key that was rotated before',
    params: { key_id: 'k-nightly' },
    body: {},
    answer: problemAnswer('key_ended', 'This key was rotated before.'),
  },
]

export const revokeKey: readonly Example[] = [
  {
    name: 'revoke-former',
    summary: 'Revoke a key that another one follows, which goes on',
    params: { key_id: 'k-import' },
    answer: { status: 200, body: { revoked: true, goesOn: 'k-import-2' } },
  },
]
