import { z } from 'zod'
import type { Exchange } from '../vendors/routes.ts'

// The four calls that the product makes, as Google's own description of the Workspace Reseller API v1 (revision
// 20250511) has them, to check requests and responses. Stricter than a client may be: an undescribed field is an error
// of the product.

const int32 = z
  .int()
  .min(-(2 ** 31))
  .max(2 ** 31 - 1)
/** 64-bit numbers are serialized as text. */
const int64 = z.string().regex(/^-?\d+$/)
const kind = z.string().optional()

const Seats = z.strictObject({
  kind,
  licensedNumberOfSeats: int32.optional(),
  maximumNumberOfSeats: int32.optional(),
  numberOfSeats: int32.optional(),
})

const RenewalSettings = z.strictObject({ kind, renewalType: z.string().optional() })

const Subscription = z
  .strictObject({
    kind,
    customerId: z.string(),
    customerDomain: z.string(),
    subscriptionId: z.string(),
    skuId: z.string(),
    skuName: z.string(),
    billingMethod: z.string(),
    creationTime: int64,
    purchaseOrderId: z.string(),
    dealCode: z.string(),
    resourceUiUrl: z.string(),
    status: z.string(),
    suspensionReasons: z.array(z.string()),
    plan: z
      .strictObject({
        planName: z.string(),
        isCommitmentPlan: z.boolean(),
        commitmentInterval: z.strictObject({ startTime: int64, endTime: int64 }).partial(),
      })
      .partial(),
    renewalSettings: RenewalSettings,
    seats: Seats,
    trialSettings: z.strictObject({ isInTrial: z.boolean(), trialEndTime: int64 }).partial(),
    transferInfo: z
      .strictObject({
        currentLegacySkuId: z.string(),
        minimumTransferableSeats: int32,
        transferabilityExpirationTime: int64,
      })
      .partial(),
  })
  .partial()

const Subscriptions = z.strictObject({
  kind,
  nextPageToken: z.string().optional(),
  subscriptions: z.array(Subscription).optional(),
})

const page = z.string().regex(/^([1-9]\d?|100)$/)
type Method = {
  method: string
  path: RegExp
  query: Record<string, z.ZodType>
  request?: z.ZodType
  response: z.ZodType
}
const CUSTOMER = '^/apps/reseller/v1/customers/[^/]+/subscriptions/[^/]+'
const METHODS: Method[] = [
  { method: 'GET', path: new RegExp(`${CUSTOMER}$`), query: {}, response: Subscription },
  {
    method: 'GET',
    path: /^\/apps\/reseller\/v1\/subscriptions$/,
    query: {
      customerAuthToken: z.string(),
      customerId: z.string(),
      customerNamePrefix: z.string(),
      maxResults: page,
      pageToken: z.string(),
    },
    response: Subscriptions,
  },
  {
    method: 'POST',
    path: new RegExp(`${CUSTOMER}/changeSeats$`),
    query: {},
    request: Seats,
    response: Subscription,
  },
  {
    method: 'POST',
    path: new RegExp(`${CUSTOMER}/changeRenewalSettings$`),
    query: {},
    request: RenewalSettings,
    response: Subscription,
  },
]

/** The undescribed field that the fake sometimes adds on purpose. */
const ON_PURPOSE = 'unseenBefore'

/** Returns the violations of the description in a call and its response: a line for each, with its place. */
export function faultsOf({ call, answer }: Exchange): string[] {
  const { pathname } = new URL(call.target, 'http://fake')
  const documented = METHODS.find(({ method, path }) => method === call.method && path.test(pathname))
  if (!documented) return [`request: ${call.method} ${pathname} is not described`]
  const query = [...call.query].flatMap(([name, value]) => {
    const parameter = documented.query[name]
    if (!parameter) return [`request: parameter ${name} is not described`]
    return parameter.safeParse(value).success ? [] : [`request: parameter ${name} is ${value}`]
  })
  const body = call.text === '' ? undefined : JSON.parse(call.text)
  const request = bodyFaults('request', documented.request, body)
  const isAnswered = typeof answer === 'object' && answer.status >= 200 && answer.status < 300
  const response = isAnswered ? bodyFaults('response', documented.response, overTheWire(answer.body)) : []
  return [...query, ...request, ...response]
}

function bodyFaults(where: string, schema: z.ZodType | undefined, body: unknown): string[] {
  if (!schema) return body === undefined ? [] : [`${where}: has a body`]
  const issues = schema.safeParse(body).error?.issues ?? []
  return issues.map(({ path, message }) => `${where}: ${path.join('.')} ${message}`)
}

function overTheWire(body: unknown): unknown {
  const sent = JSON.parse(JSON.stringify(body ?? null))
  if (typeof sent === 'object' && sent !== null) delete sent[ON_PURPOSE]
  return sent
}
