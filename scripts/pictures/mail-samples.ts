import { linkMail, messageOf, recoveryMail } from '#lib/identity/account-mails/message.ts'
import { listNeeds } from '#lib/notifications/needs/examples.ts'
import { digestOf } from '#lib/notifications/notices/digest.ts'
import { messageOf as noticeOf } from '#lib/notifications/notices/message.ts'
import type { Notice } from '#lib/notifications/notices/rules.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import type { Message } from '#lib/platform/mail/mailer.ts'

const BASE_URL = 'https://console.example.com'
const CUSTOMER = 'Northwind Labs'
const SECRET = 'a-secret-that-works-once'
const AT = new Date('2026-11-24T09:12:00Z')
const EVENT = {
  ...{ at: AT, address: '192.0.2.7', customer: CUSTOMER, keyName: null, keyEnds: null, about: null },
  userAgent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0',
}

/** Returns a mail of each kind with invented content, by name. */
export function mailSamples(): Record<string, Message> {
  const link = { secret: SECRET, email: 'jonas.weber@northwind-labs.example', customer: CUSTOMER }
  const near = 'Enterprise Standard: 318 licenses from 6 Dec 2026, ordered by Ana Ruiz.'
  return {
    invitation: linkMail({ ...link, kind: 'invitation' }, BASE_URL),
    reset: recoveryMail(link, BASE_URL),
    'new-device': messageOf({ ...EVENT, event: 'new-device' }, BASE_URL),
    'key-ends': messageOf(
      { ...EVENT, event: 'key-ends', keyName: 'ERP', keyEnds: new Date('2026-12-01T00:00:00Z') },
      BASE_URL,
    ),
    renewal: messageOf({ ...EVENT, event: 'renewal-near', about: near }, BASE_URL),
    'past-due': notice({
      invoices: [invoice('IN-203598', ['past-due']), invoice('IN-203611', ['past-due'])],
    }),
    'new-invoice': notice({ invoices: [invoice('IN-203652', ['new'])] }),
    'license-change': notice({
      changes: [
        {
          ...{
            assetId: 'office-suite-1',
            assetName: 'Enterprise Standard',
            from: 318,
            to: 340,
            reason: null,
          },
          ...{ vendor: 'Microsoft', at: AT.getTime() },
        },
      ],
    }),
    weekly: notice({ needs: weeklyNeeds() }),
  }
}

type Content = Parameters<typeof digestOf>[0]

function notice(content: Partial<Content>): Message {
  const digest = digestOf(
    { invoices: [], changes: [], needs: [], ...content },
    { customer: CUSTOMER, profiles: 2, today: '2026-11-24', baseUrl: BASE_URL },
  )
  if (!digest) throw new Error('The sample is empty.')
  return noticeOf(digest, { customerId: newCustomerId('northwind'), recipientId: 'r1' }, BASE_URL)
}

function invoice(number: string, notices: Notice[]): Content['invoices'][number] {
  return {
    ...{ id: number, key: number, number, notices, isOpen: true, form: 'invoice', attachesPdf: false },
    ...{ profile: 'Northwind Labs EMEA', billingProfileId: 'emea', platform: 'office-suite' },
    ...{
      issuer: 'Alpine Cloud Reselling',
      invoiceDate: '2026-10-31',
      dueDate: '2026-11-14',
      currency: 'USD',
    },
    ...{ totalAmount: '12480.00', balanceAmount: '12480.00', payableAmount: null, paymentUrl: null },
  }
}

/** The needs of the API's documented example. */
function weeklyNeeds(): Content['needs'] {
  const [example] = listNeeds.map(({ answer }) => answer.body as { needs: Content['needs'] })
  return example?.needs ?? []
}
