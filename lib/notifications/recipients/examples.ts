import { type Example, problemAnswer } from '#lib/platform/api/openapi/example.ts'

const by = 'session'
const ACTIVE = {
  id: 'recipient-books',
  billingProfileId: 'default',
  email: 'books@northwind.example',
  notices: ['past-due', 'due', 'new'],
  attachesPdf: true,
  state: 'active',
  stopped: [],
  createTime: 1795168800000,
}
const PENDING = {
  id: '0b0f6e4e-6b7d-4a52-9f0c-1f6a2f1c7d55',
  billingProfileId: 'default',
  email: 'ap@northwind.example',
  notices: ['past-due', 'new'],
  attachesPdf: true,
  state: 'pending',
  stopped: [],
  requestedBy: 'Ana Ruiz',
  createTime: 1795600800000,
  expireTime: 1796205600000,
}
const BOUNCED = { ...ACTIVE, id: 'recipient-late', email: 'late@northwind.example', state: 'refused' }
const profile = { billing_profile_id: 'default' }

export const listNoticeRecipients: readonly Example[] = [
  {
    name: 'two',
    summary: 'An address that gets all notices with PDFs, and one that bounced',
    answer: {
      status: 200,
      body: {
        recipients: [
          ACTIVE,
          { ...BOUNCED, notices: ['new'], attachesPdf: false, reason: '550 5.1.1 No such user here' },
        ],
        rowCount: 2,
        isPossible: false,
      },
    },
  },
]

export const addNoticeRecipient: readonly Example[] = [
  {
    name: 'accounts-payable',
    summary: 'An address is asked to confirm',
    by,
    params: profile,
    body: { email: 'ap@northwind.example', notices: ['new', 'past-due'], attachesPdf: true },
    answer: { status: 200, body: PENDING },
  },
  {
    name: 'active',
    summary: 'An address that gets its notices already',
    by,
    params: profile,
    body: { email: 'books@northwind.example', notices: ['new'] },
    answer: problemAnswer(
      'recipient_exists',
      'books@northwind.example gets notices of this billing profile.',
    ),
  },
  {
    name: 'by-key',
    summary: 'An API key cannot grant access',
    params: profile,
    body: { email: 'ap@northwind.example', notices: ['new'] },
    answer: problemAnswer(
      'permission_denied',
      'Having invoices emailed requires a signed-in member. An API key cannot grant access, so a stolen key is useless once it ends.',
    ),
  },
]

export const changeNoticeRecipient: readonly Example[] = [
  {
    name: 'no-pdf',
    summary: 'No more PDFs',
    by,
    params: { ...profile, recipient_id: 'recipient-books' },
    body: { attachesPdf: false },
    answer: { status: 200, body: { ...ACTIVE, attachesPdf: false } },
  },
]

export const removeNoticeRecipient: readonly Example[] = [
  {
    name: 'books',
    summary: 'The address gets no more notices of the billing profile',
    by,
    params: { ...profile, recipient_id: 'recipient-books' },
    body: {},
    answer: { status: 200, body: { removed: true } },
  },
]

export const resendConfirmation: readonly Example[] = [
  {
    name: 'bounced',
    summary: 'An address that bounced is asked again',
    by,
    params: { ...profile, recipient_id: 'recipient-late' },
    body: {},
    answer: {
      status: 200,
      body: {
        ...PENDING,
        id: 'recipient-late',
        email: 'late@northwind.example',
        notices: ['new'],
        attachesPdf: false,
      },
    },
  },
]
