import { type Example, problemAnswer } from '#lib/platform/api/openapi/example.ts'

const BEN = {
  id: 'm-ben',
  name: 'Ben Ito',
  email: 'ben@northwind.example',
  roles: ['it-manager'],
  billingProfiles: null,
  state: 'active',
  secondFactors: ['totp'],
  createTime: 1770022800000,
  addedBy: 'Ana Ruiz',
  lastSignInTime: 1795334400000,
}
const BEA = {
  id: 'm-bea',
  name: 'Bea Lind',
  email: 'bea@northwind.example',
  roles: ['finance-user'],
  billingProfiles: ['default'],
  state: 'invited',
  inviteExpireTime: 1795773600000,
  createTime: 1795168800000,
  addedBy: 'Ana Ruiz',
}
const INVITED_ADDRESS = 'https://console.example.com/invitation/kq3mB1nYd6yQk0r0n3cWl2J9uS7xXh4ZtPVoE5gTfAs'

export const listMembers: readonly Example[] = [
  {
    name: 'not-come-yet',
    summary: 'Who is invited and has not come',
    query: { filter: 'state:invited' },
    answer: { status: 200, body: { members: [BEA], rowCount: 1 } },
  },
]

export const readMember: readonly Example[] = [
  {
    name: 'member',
    summary: 'A member who sees the invoices of all billing profiles',
    params: { member_id: 'm-ben' },
    answer: { status: 200, body: BEN },
  },
]

export const inviteMember: readonly Example[] = [
  {
    name: 'invitation',
    summary: 'A person who will see the invoices of one billing profile; no mail server is set',
    by: 'session',
    body: {
      email: 'cleo@northwind.example',
      name: 'Cleo Marsh',
      roles: ['finance-user'],
      billingProfiles: ['default'],
    },
    answer: {
      status: 200,
      body: {
        member: {
          id: '3f8f6f0e-7f0b-4b43-8f5f-6a1c2f1f9d11',
          name: 'Cleo Marsh',
          email: 'cleo@northwind.example',
          roles: ['finance-user'],
          billingProfiles: ['default'],
          state: 'invited',
          inviteExpireTime: 1795773600000,
          createTime: 1795168800000,
          addedBy: 'Ana Ruiz',
        },
        link: { kind: 'invitation', expireTime: 1795773600000, url: INVITED_ADDRESS },
      },
    },
  },
  {
    name: 'already-a-member',
    summary: 'An address that is a member already',
    by: 'session',
    body: { email: 'Ben@northwind.example', name: 'Ben', roles: ['it-manager'] },
    answer: problemAnswer(
      'member_exists',
      'There is a member with the address Ben@northwind.example already, or one who is invited.',
      {
        errors: [{ pointer: '/email', detail: 'is a member already, or is invited' }],
      },
    ),
  },
]

export const changeMember: readonly Example[] = [
  {
    name: 'roles-and-profiles',
    summary: 'Another role, for one billing profile',
    by: 'session',
    params: { member_id: 'm-ben' },
    body: { roles: ['it-manager', 'finance-user'], billingProfiles: ['default'] },
    answer: {
      status: 200,
      body: { ...BEN, roles: ['it-manager', 'finance-user'], billingProfiles: ['default'] },
    },
  },
  {
    name: 'last-admin',
    summary: 'The last Admin who can sign in',
    by: 'session',
    params: { member_id: 'm-ana' },
    body: { disabled: true },
    answer: problemAnswer(
      'last_admin',
      'This is the last Admin who can sign in and sees all billing profiles. Make another such Admin first, who has accepted the invitation.',
    ),
  },
  {
    name: 'changed-meanwhile',
    summary: 'Someone else has changed the member since',
    params: { member_id: 'm-ben' },
    headers: { 'if-match': '"aBcDeFgHiJkL.Xb1Yq0aCkQ0Jr2vS5m8d3w"' },
    body: { name: 'Benjamin Ito' },
    answer: problemAnswer('member_changed'),
  },
]

export const makeMemberLink: readonly Example[] = [
  {
    name: 'new-invitation',
    summary: 'Another invitation for who has not come yet; no mail server is set',
    by: 'session',
    params: { member_id: 'm-bea' },
    answer: { status: 200, body: { kind: 'invitation', expireTime: 1795773600000, url: INVITED_ADDRESS } },
  },
]

export const withdrawInvitation: readonly Example[] = [
  {
    name: 'withdrawn',
    summary: 'Take an invitation back',
    params: { member_id: 'm-bea' },
    answer: { status: 200, body: { withdrawn: true } },
  },
  {
    name: 'has-come',
    summary: 'A person who has accepted already',
    params: { member_id: 'm-ben' },
    answer: problemAnswer('invitation_accepted'),
  },
]
