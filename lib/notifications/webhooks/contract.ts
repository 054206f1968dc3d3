import { z } from 'zod'
import { contract, emptyBody } from '#lib/platform/api/contract.ts'
import { pageSchema, paging } from '#lib/platform/lists/paging.ts'
import { EVENT_KINDS, TEST_EVENT } from '#lib/platform/outbox/rules.ts'
import * as examples from './examples.ts'
import { webhookRoutes } from './routes.ts'
import {
  DEFAULT_OVERLAP,
  DELIVERY_STATES,
  MAX_WEBHOOKS,
  NAME_MAX,
  OVERLAPS,
  STATUSES,
  URL_MAX,
} from './rules.ts'

const Kind = z.enum(EVENT_KINDS, { error: `must be one of ${EVENT_KINDS.join(', ')}` })
const time = (event: string) => z.int().meta({ description: `Epoch time in milliseconds of ${event}` })

/** Text of one line, because names appear in tables, mails and the audit log. */
const name = z
  .string()
  .trim()
  .min(1, 'is empty')
  .max(NAME_MAX, `must have at most ${NAME_MAX} characters`)
  .refine((text) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text), 'must be one line')
  .meta({ description: 'Name of the webhook, for people.' })
const hasUser = ({ username, password }: URL) => username !== '' || password !== ''
const url = z
  .string()
  .max(URL_MAX, `must have at most ${URL_MAX} characters`)
  .refine((text) => URL.canParse(text), 'must be an address, as in https://example.com/hooks')
  .refine((text) => !URL.canParse(text) || !hasUser(new URL(text)), 'must have no user name or password')
  .meta({ description: 'Address that is called: https and a public host.' })
const unique = (values: readonly string[]) => new Set(values).size === values.length
const KINDS_TEXT = 'Kinds of events that are sent. Absent: all, including later ones.'
const PROFILES_TEXT =
  'Billing profiles whose invoices are reported. Absent: all that the Admin of the webhook may see.'
const kinds = z
  .array(Kind)
  .min(1, 'must name a kind, or be left out')
  .max(EVENT_KINDS.length, 'is too long')
  .refine(unique, 'names a kind twice')
  .meta({ description: KINDS_TEXT })
const billingProfiles = z
  .array(z.string().min(1).max(300))
  .min(1, 'must name a billing profile, or be left out')
  .max(1000, 'is too long')
  .refine(unique, 'names a billing profile twice')
  .meta({ description: PROFILES_TEXT })

export const Webhook = z
  .object({
    id: z.string().meta({ description: 'Id of the webhook.' }),
    name: z.string().meta({ description: 'Name of the webhook, for people.' }),
    url: z.string().meta({ description: 'Address that is called.' }),
    kinds: z.array(Kind).optional().meta({ description: KINDS_TEXT }),
    billingProfiles: z.array(z.string()).optional().meta({ description: PROFILES_TEXT }),
    status: z.enum(STATUSES).meta({
      description:
        '`ACTIVE`; `PAUSED` by an Admin; `FAILING`: paused after three days of failures; `ACCESS_LOST`: its Admin is no Admin any more. Events of a webhook that is not active wait for 30 days.',
    }),
    admin: z.string().optional().meta({
      description:
        'Name of the Admin whose access limits the events: the last one who changed or resumed it.',
    }),
    waiting: z.int().meta({ description: 'Events that the receiver has not accepted yet.' }),
    createTime: time('its creation.'),
    failingSince: time('the first failed call since the last accepted one. Absent: none failed.').optional(),
    formerSecretUntil: time('the end of the former secret, with which events are signed, too.').optional(),
  })
  .meta({ id: 'Webhook', description: 'Address to which events are sent, as Standard Webhooks describes.' })
export type Webhook = z.output<typeof Webhook>

const Secret = z.string().meta({
  description: 'Signing secret: `whsec_` and 32 bytes in base64. It is shown only here.',
})

const deliveryFields = {
  id: z.string().meta({ description: 'Id of the delivery.' }),
  event: z.string().meta({
    description: 'Id of the event, in the header `webhook-id`: the same for each attempt and each webhook.',
  }),
  kind: z.enum([...EVENT_KINDS, TEST_EVENT]).meta({ description: 'Kind of the event.' }),
  state: z.enum(DELIVERY_STATES).meta({
    description:
      '`WAITING`: the receiver has not accepted it yet. `ACCEPTED`: it answered 2xx within 5 seconds. `FAILED`: given up, see `reason`.',
  }),
  attempts: z.int().meta({ description: 'Number of attempts.' }),
  createTime: time('the event.'),
  lastStatus: z.int().optional().meta({
    description: 'HTTP status of the last response. Absent where there was none.',
  }),
  reason: z.string().optional().meta({ description: 'Why it was not delivered. Absent where it was.' }),
  endTime: time('its delivery, or of giving up. Absent while it waits.').optional(),
  nextAttemptTime: time('the next attempt. Absent where none is planned.').optional(),
}
export const Delivery = z
  .object(deliveryFields)
  .meta({ id: 'WebhookDelivery', description: 'Delivery of an event to a webhook.' })
export type DeliveryListItem = z.output<typeof Delivery>

const Call = z
  .object({
    number: z.int().meta({ description: 'Number of the attempt.' }),
    time: time('the call.'),
    duration: z.int().meta({ description: 'Duration in milliseconds.' }),
    url: z.string().meta({ description: 'Address that was called.' }),
    status: z.int().optional().meta({ description: 'HTTP status. Absent without a response.' }),
    response: z.string().optional().meta({
      description: 'Beginning of the response body, up to 2,000 bytes. Absent without a response.',
    }),
    reason: z
      .string()
      .optional()
      .meta({ description: 'Why there was no response. Absent where there was one.' }),
  })
  .meta({ id: 'WebhookCall', description: 'Attempt to deliver an event.' })

export const DeliveryDetails = z
  .object({
    ...deliveryFields,
    request: z.string().meta({ description: 'Body of the request.' }),
    calls: z.array(Call).meta({ description: 'Attempts, the newest first; 100 at most.' }),
  })
  .meta({ id: 'WebhookDeliveryDetails', description: 'Delivery with its request and its responses.' })
export type DeliveryDetails = z.output<typeof DeliveryDetails>

const params = z.object({
  webhook_id: z.string().min(1).max(100).meta({ description: 'The `id` of a webhook.' }),
})
const deliveryParams = z.object({
  ...params.shape,
  delivery_id: z.string().min(1).max(100).meta({ description: 'The `id` of a delivery.' }),
})

const permission = 'members-manager'
const BY_PERSON =
  'Requires a signed-in Admin with a sign-in within the last 10 minutes: a webhook outlives the key that would add it.'

export const listWebhooks = contract({
  ...webhookRoutes.listWebhooks,
  summary: 'List webhooks',
  permission,
  description: `A customer has ${MAX_WEBHOOKS} at most; the oldest is first. Secrets are not part of it.`,
  output: z
    .object({ webhooks: z.array(Webhook).meta({ description: 'All webhooks of the customer.' }) })
    .meta({ id: 'WebhookList', description: 'The webhooks of a customer.' }),
  examples: examples.listWebhooks,
})

export const addWebhook = contract({
  ...webhookRoutes.addWebhook,
  summary: 'Add a webhook',
  permission,
  description: `Events from now on are sent to the address, signed with the secret in the response. ${BY_PERSON} The eleventh is 409 \`webhooks_full\`.`,
  body: z
    .strictObject({ name, url, kinds: kinds.optional(), billingProfiles: billingProfiles.optional() })
    .meta({ id: 'NewWebhook', description: 'Webhook to add.' }),
  output: z
    .object({ webhook: Webhook, secret: Secret })
    .meta({ id: 'AddedWebhook', description: 'New webhook with its secret.' }),
  problems: ['permission_denied', 'fresh_sign_in_required', 'webhooks_full'],
  examples: examples.addWebhook,
})

export const readWebhook = contract({
  ...webhookRoutes.readWebhook,
  summary: 'Read a webhook',
  permission,
  description: 'Like its item of the list.',
  params,
  output: Webhook,
  examples: examples.readWebhook,
})

export const changeWebhook = contract({
  ...webhookRoutes.changeWebhook,
  summary: 'Change, pause or resume a webhook',
  permission,
  description: `Changes the members that are sent; \`null\` removes a filter. Afterwards its events are limited to what the calling Admin may see. A resumed webhook gets the events that waited. ${BY_PERSON}`,
  params,
  body: z
    .strictObject({
      name: name.optional(),
      url: url.optional(),
      kinds: kinds.nullable().optional().meta({ description: 'Kinds of events that are sent; `null`: all.' }),
      billingProfiles: billingProfiles.nullable().optional().meta({
        description:
          'Billing profiles whose invoices are reported; `null`: all that the calling Admin may see.',
      }),
      paused: z.boolean().optional().meta({ description: 'Whether its events wait.' }),
    })
    .meta({ id: 'WebhookChange', description: 'Members of a webhook to change.' }),
  output: Webhook,
  problems: ['permission_denied', 'fresh_sign_in_required'],
  examples: examples.changeWebhook,
})

export const removeWebhook = contract({
  ...webhookRoutes.removeWebhook,
  evenIfClosed: true,
  summary: 'Remove a webhook',
  permission,
  description:
    'Removes it with its deliveries, at once. Requires a sign-in within the last 10 minutes, or an Admin’s key.',
  params,
  body: emptyBody,
  output: z
    .object({ removed: z.literal(true).meta({ description: 'Always true.' }) })
    .meta({ id: 'WebhookRemoved', description: 'The webhook is removed.' }),
  problems: ['fresh_sign_in_required'],
  examples: examples.removeWebhook,
})

export const rotateWebhookSecret = contract({
  ...webhookRoutes.rotateWebhookSecret,
  summary: 'Rotate the secret of a webhook',
  permission,
  description: `Until the end of the overlap, events are signed with both secrets. A further rotation ends the former one. ${BY_PERSON}`,
  params,
  body: z
    .strictObject({
      overlap: z
        .enum(OVERLAPS, { error: `must be one of ${OVERLAPS.join(', ')}` })
        .default(DEFAULT_OVERLAP)
        .meta({ description: 'How long events are signed with the former secret, too.' }),
    })
    .meta({ id: 'WebhookSecretRotation', description: 'Overlap of two secrets.' }),
  output: z
    .object({ webhook: Webhook, secret: Secret })
    .meta({ id: 'RotatedWebhook', description: 'Webhook with its new secret.' }),
  problems: ['permission_denied', 'fresh_sign_in_required'],
  examples: examples.rotateWebhookSecret,
})

export const testWebhook = contract({
  ...webhookRoutes.testWebhook,
  summary: 'Send a test event to a webhook',
  permission,
  description: `Sends an event of kind \`${TEST_EVENT}\`, whatever the kinds of the webhook. The response is its delivery, which waits at first.`,
  params,
  body: emptyBody,
  output: Delivery,
  examples: examples.testWebhook,
})

export const listWebhookDeliveries = contract({
  ...webhookRoutes.listWebhookDeliveries,
  summary: 'List deliveries of a webhook, newest first',
  permission,
  description:
    'Without events of billing profiles that the caller may not see. Deliveries are kept for 30 days.',
  params,
  query: z.object({
    state: z
      .enum(DELIVERY_STATES, { error: `must be one of ${DELIVERY_STATES.join(', ')}` })
      .optional()
      .meta({
        description: 'Deliveries in this state only.',
        json: { type: 'string', enum: [...DELIVERY_STATES] },
      }),
    ...paging,
  }),
  output: pageSchema('deliveries', Delivery).meta({
    id: 'WebhookDeliveryList',
    description: 'A page of deliveries.',
  }),
  examples: examples.listWebhookDeliveries,
})

export const readWebhookDelivery = contract({
  ...webhookRoutes.readWebhookDelivery,
  summary: 'Read a delivery with its request and responses',
  permission,
  description: 'Request, response and duration of each attempt.',
  params: deliveryParams,
  output: DeliveryDetails,
  examples: examples.readWebhookDelivery,
})

export const repeatWebhookDelivery = contract({
  ...webhookRoutes.repeatWebhookDelivery,
  summary: 'Send an event again',
  permission,
  description:
    'A delivery that waits is tried at once. Any other event is sent again in a new delivery, with the same `webhook-id`, time and version.',
  params: deliveryParams,
  body: emptyBody,
  output: Delivery,
  examples: examples.repeatWebhookDelivery,
})
