import 'server-only'
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { inTime } from '#lib/platform/runtime/concurrency.ts'
import type { Budget } from '../budgets.ts'
import {
  type Client,
  exchange,
  jsonOf,
  retryAfterOf,
  segment,
  send,
  type Token,
  type Tokens,
} from '../client.ts'
import type { SubscriptionRef } from '../vendor.ts'
import type { Config, Credentials } from './settings.ts'

/** Path of the reseller's customers. */
export const customersPath = '/v1/customers'

/** Returns a client of Partner Center, which sends each call once: repeats count against a throttled caller. */
export function client({ url, ...credentials }: Config, budget: Budget): Client {
  const access = { url, tokens: tokens(credentials), budget, secrets: [credentials.clientSecret] }
  return {
    async call(call, signal) {
      const correlationId = randomUUID()
      const headers = {
        'MS-Contract-Version': 'v1',
        // A repeat after a lost answer returns the first answer.
        'MS-RequestId': call.requestId ?? randomUUID(),
        'MS-CorrelationId': correlationId,
      }
      return { ...(await send({ ...access, headers }, call, signal)), correlationId }
    },
  }
}

export function subscriptionPath({
  customerId,
  subscriptionId,
}: Pick<SubscriptionRef, 'customerId' | 'subscriptionId'>): string {
  return `${customerPath(customerId)}/subscriptions/${segment(subscriptionId)}`
}

export function customerPath(customerId: string): string {
  return `${customersPath}/${segment(customerId)}`
}

const SCOPE = 'https://api.partnercenter.microsoft.com/.default'
const EXCHANGE_MS = 10_000
/** Seconds before its expiry from which on a token is not used: it has to be valid when the call arrives. */
const EXPIRY_MARGIN_SECONDS = 300
const TOKEN_TIMEOUT: Token = { kind: 'none', reason: 'no token in time' }

const Granted = z.object({
  access_token: z.string().min(1),
  expires_in: z.coerce.number().positive(),
})
const ErrorBody = z.object({
  error: z.string().regex(/^\w{1,60}$/),
  // Only its number is used: the text repeats parts of the request.
  error_description: z.string().optional().catch(undefined),
})

/** Advice to operators by error number of Entra ID. */
const ADVICE: Record<string, string> = {
  AADSTS7000215: 'the secret is wrong',
  AADSTS7000222: 'the secret has expired',
  AADSTS700016: 'the tenant does not know the application',
}

/**
 * Returns app-only tokens of Entra ID (client credentials): cached until shortly before they expire, with one request
 * at a time.
 */
function tokens(credentials: Credentials): Tokens {
  let cached: { value: string; until: number } | undefined
  let pendingToken: Promise<Token> | undefined

  async function fetchToken(): Promise<Token> {
    const { tokenUrl, clientId, clientSecret } = credentials
    const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const init = { method: 'POST', headers, body: `${new URLSearchParams({ ...form, scope: SCOPE })}` }
    // Has a timeout of its own: if the first caller aborts, the others still wait for the token.
    const reply = await exchange(tokenUrl, init, AbortSignal.timeout(EXCHANGE_MS))
    if (reply.kind !== 'answer') return { kind: 'none', reason: `no token: ${reply.reason}` }
    const granted = reply.status === 200 ? Granted.safeParse(jsonOf(reply.text)) : undefined
    if (!granted?.success) {
      const code = codeOf(ErrorBody.safeParse(jsonOf(reply.text)).data) ?? `status ${reply.status}`
      const isRejected = reply.status >= 400 && reply.status < 500 && reply.status !== 429
      const why = isRejected ? 'no_access' : undefined
      return { kind: 'none', reason: `no token: ${code}`, retryAfter: retryAfterOf(reply.headers), why }
    }
    const { access_token: value, expires_in: seconds } = granted.data
    cached = { value, until: Date.now() + (seconds - Math.min(EXPIRY_MARGIN_SECONDS, seconds / 2)) * 1000 }
    return { kind: 'token', value }
  }

  return {
    async token(signal) {
      if (cached && Date.now() < cached.until) return { kind: 'token', value: cached.value }
      pendingToken ??= fetchToken().finally(() => {
        pendingToken = undefined
      })
      return inTime(pendingToken, signal, TOKEN_TIMEOUT)
    },
    drop(value) {
      if (cached?.value === value) cached = undefined
    },
  }
}

function codeOf(body: z.output<typeof ErrorBody> | undefined): string | undefined {
  if (!body) return undefined
  const number = /^AADSTS\d{4,9}\b/.exec(body.error_description ?? '')?.[0]
  if (number === undefined) return body.error
  const advice = ADVICE[number]
  return `${body.error} (${number}${advice ? `: ${advice}` : ''})`
}
