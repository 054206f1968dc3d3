import { type Example, problemAnswer } from '#lib/platform/api/openapi/example.ts'

const TOKEN = {
  id: 't-entra',
  name: 'Entra ID',
  hint: 'scim_…f3Kq',
  roles: ['it-manager', 'finance-user'],
  status: 'ACTIVE',
  createTime: 1795168800000,
  lastUseTime: 1795334400000,
}
const STAFF = { id: 'g-staff', name: 'Staff', members: 1, isMapped: false, roles: [], billingProfiles: null }
const BILLING = { ...STAFF, id: 'g-billing', name: 'Billing team', members: 0 }
const by = 'session'

export const readDirectory: readonly Example[] = [
  {
    name: 'directory',
    summary: 'A directory with two groups that give nothing yet',
    answer: {
      status: 200,
      body: { address: 'https://console.example.com/scim/v2', tokens: [TOKEN], groups: [BILLING, STAFF] },
    },
  },
]

export const issueDirectoryToken: readonly Example[] = [
  {
    name: 'issued',
    summary: 'A token for a year',
    by,
    body: { name: 'Okta', validDays: 365 },
    answer: {
      status: 200,
      body: {
        token: {
          id: '3f8f6f0e-7f0b-4b43-8f5f-6a1c2f1f9d11',
          name: 'Okta',
          hint: 'scim_…9xTb',
          roles: ['it-manager', 'finance-user'],
          status: 'ACTIVE',
          createTime: 1795168800000,
          expireTime: 1826704800000,
        },
        secret: 'scim_Zk3vQ8mB1nYd6yQk0r0n3cWl2J9uS7x9xTb',
      },
    },
  },
  {
    name: 'by-key',
    summary: 'An API key lets no directory in',
    body: { name: 'Okta' },
    answer: problemAnswer(
      'permission_denied',
      'Changing how people sign in requires a signed-in member. An API key cannot grant access, so a stolen key is useless once it ends.',
    ),
  },
]

export const revokeDirectoryToken: readonly Example[] = [
  {
    name: 'revoked',
    summary: 'A token that opens nothing any more',
    by,
    params: { token_id: 't-entra' },
    answer: { status: 200, body: { revoked: true } },
  },
]

export const mapDirectoryGroup: readonly Example[] = [
  {
    name: 'mapped',
    summary: 'Members of the group see the invoices of one billing profile',
    by,
    body: { name: 'Billing team', roles: ['finance-user'], billingProfiles: ['default'] },
    answer: {
      status: 200,
      body: {
        id: 'g-billing',
        name: 'Billing team',
        members: 0,
        isMapped: true,
        roles: ['finance-user'],
        billingProfiles: ['default'],
      },
    },
  },
]

export const unmapDirectoryGroup: readonly Example[] = [
  {
    name: 'unmapped',
    summary: 'A group that gives nothing any more',
    by,
    params: { group_id: 'g-billing' },
    answer: {
      status: 200,
      body: BILLING,
    },
  },
]
