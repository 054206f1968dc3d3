import { type Example, problemAnswer } from '#lib/platform/api/openapi/example.ts'
import type { DeliveryListItem, Webhook } from './contract.ts'

const ERP: Webhook = {
  id: 'w-erp',
  name: 'ERP',
  url: 'https://erp.northwind.example/hooks',
  kinds: ['invoice.issued', 'invoice.corrected'],
  billingProfiles: ['default'],
  status: 'ACTIVE',
  admin: 'Ana Ruiz',
  waiting: 1,
  createTime: 1795334400000,
}
const FORMER: Webhook = {
  id: 'w-former',
  name: 'Former',
  url: 'https://former.northwind.example',
  status: 'ACCESS_LOST',
  admin: 'Ben Ito',
  waiting: 0,
  createTime: 1795334500000,
}
const params = { webhook_id: 'w-erp' }

const ACCEPTED: DeliveryListItem = {
  id: 'd-1',
  event: '5f0c4f7e-6a0e-4b55-9d0c-0f8e1c6b2a11',
  kind: 'invoice.issued',
  state: 'ACCEPTED',
  attempts: 1,
  createTime: 1795334400000,
  lastStatus: 204,
  endTime: 1795334401000,
}
const WAITING: DeliveryListItem = {
  id: 'd-2',
  event: 'c1d0a6de-1f4e-4f0b-8a54-51d3c5f1f1a2',
  kind: 'invoice.corrected',
  state: 'WAITING',
  attempts: 1,
  createTime: 1795334500000,
  lastStatus: 503,
  reason: 'The receiver answered 503.',
}
const TEST: DeliveryListItem = {
  id: 'd-3',
  event: '0d7c7cb4-9c67-4c4c-a2f6-8a4d7d9b9e10',
  kind: 'webhook.test',
  state: 'WAITING',
  attempts: 0,
  createTime: 1795334600000,
  nextAttemptTime: 1795334600000,
}
/** Signs nothing: it consists of zeros. */
const SECRET = `whsec_${'A'.repeat(43)}=`

export const listWebhooks: readonly Example[] = [
  { name: 'webhooks', summary: 'All webhooks', answer: { status: 200, body: { webhooks: [ERP, FORMER] } } },
]

export const readWebhook: readonly Example[] = [
  { name: 'webhook', summary: 'A webhook for invoices', params, answer: { status: 200, body: ERP } },
]

export const addWebhook: readonly Example[] = [
  {
    name: 'add-webhook',
    summary: 'A webhook for all events, as a signed-in Admin',
    by: 'session',
    body: { name: 'Events', url: 'https://events.northwind.example/in' },
    answer: {
      status: 200,
      body: {
        webhook: {
          id: 'w-events',
          name: 'Events',
          url: 'https://events.northwind.example/in',
          status: 'ACTIVE',
          admin: 'Ana Ruiz',
          waiting: 0,
          createTime: 1795334400000,
        },
        secret: SECRET,
      },
    },
  },
  {
    name: 'private-address',
    summary: 'An address in a private network',
    by: 'session',
    body: { name: 'Inside', url: 'https://10.0.0.7/hooks' },
    answer: problemAnswer(
      'invalid_request',
      '/url: 10.0.0.7 is not called: it has a private address, and WEBHOOK_PRIVATE_HOSTS does not name it.',
      {
        errors: [
          {
            pointer: '/url',
            detail:
              '10.0.0.7 is not called: it has a private address, and WEBHOOK_PRIVATE_HOSTS does not name it.',
          },
        ],
      },
    ),
  },
]

export const changeWebhook: readonly Example[] = [
  {
    name: 'change-webhook',
    summary: 'Another name, and all kinds of events',
    by: 'session',
    params,
    body: { name: 'ERP Zurich', kinds: null },
    answer: {
      status: 200,
      body: (({ kinds: _, ...rest }) => ({ ...rest, name: 'ERP Zurich' }))(ERP),
    },
  },
]

export const removeWebhook: readonly Example[] = [
  {
    name: 'remove-webhook',
    summary: 'A webhook that is not needed any more',
    params: { webhook_id: 'w-former' },
    answer: { status: 200, body: { removed: true } },
  },
]

export const rotateWebhookSecret: readonly Example[] = [
  {
    name: 'rotate-secret',
    summary: 'A new secret; the former one signs for a day, too',
    by: 'session',
    params,
    body: { overlap: '24h' },
    answer: {
      status: 200,
      body: {
        webhook: {
          ...(({ kinds: _, ...rest }) => ({ ...rest, name: 'ERP Zurich' }))(ERP),
          formerSecretUntil: 1795420800000,
        },
        secret: SECRET,
      },
    },
  },
]

export const testWebhook: readonly Example[] = [
  { name: 'test', summary: 'A test event', params, answer: { status: 200, body: TEST } },
]

export const listWebhookDeliveries: readonly Example[] = [
  {
    name: 'waiting-deliveries',
    summary: 'Events that the receiver has not accepted yet',
    params,
    query: { state: 'WAITING' },
    answer: { status: 200, body: { deliveries: [WAITING], rowCount: 1 } },
  },
]

export const readWebhookDelivery: readonly Example[] = [
  {
    name: 'delivery',
    summary: 'A delivered event',
    params: { ...params, delivery_id: 'd-1' },
    answer: {
      status: 200,
      body: {
        ...ACCEPTED,
        request:
          '{"type":"invoice.issued","timestamp":"2026-11-22T08:00:00.000Z","data":{"invoiceId":"IN-2026-0001","version":41}}',
        calls: [
          {
            number: 1,
            url: 'https://erp.northwind.example/hooks',
            time: 1795334400500,
            duration: 118,
            status: 204,
            response: '',
          },
        ],
      },
    },
  },
]

export const repeatWebhookDelivery: readonly Example[] = [
  {
    name: 'repeat',
    summary: 'An event that the receiver has lost',
    params: { ...params, delivery_id: 'd-1' },
    answer: {
      status: 200,
      body: {
        id: 'd-4',
        event: ACCEPTED.event,
        kind: 'invoice.issued',
        state: 'WAITING',
        attempts: 0,
        createTime: 1795334700000,
        nextAttemptTime: 1795334700000,
      },
    },
  },
]
