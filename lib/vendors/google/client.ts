import 'server-only'
import { readFile } from 'node:fs/promises'
import { JWT } from 'google-auth-library'
import { z } from 'zod'
import { inTime } from '#lib/platform/runtime/concurrency.ts'
import type { Budget } from '../budgets.ts'
import { type Client, exchange, jsonOf, segment, send, type Token, type Tokens } from '../client.ts'
import type { SubscriptionRef } from '../vendor.ts'
import { isThrottled } from './errors.ts'
import type { Config, Credentials } from './settings.ts'

const ROOT = '/apps/reseller/v1'

/** Path of the subscriptions of all customers. */
export const subscriptionsPath = `${ROOT}/subscriptions`

/** Returns a client of the Reseller API, which sends each call once. Reads use a read-only token. */
export function client({ url, ...credentials }: Config, budget: Budget): Client {
  const [writing, readTokens] = [tokens(credentials, ORDER), tokens(credentials, ORDER_READONLY)]
  return {
    call(call, signal) {
      const isRead = call.method === undefined || call.method === 'GET'
      const tokens = isRead ? readTokens : writing
      return send({ url, tokens, budget, headers: {}, isThrottled }, call, signal)
    },
  }
}

export function subscriptionPath({
  customerId,
  subscriptionId,
}: Pick<SubscriptionRef, 'customerId' | 'subscriptionId'>): string {
  return `${ROOT}/customers/${segment(customerId)}/subscriptions/${segment(subscriptionId)}`
}

const EXCHANGE_MS = 10_000
const TOKEN_TIMEOUT: Token = { kind: 'none', reason: 'no token in time' }

/** Scopes for writes and for reads. Both have to be delegated to the service account. */
export const ORDER = 'https://www.googleapis.com/auth/apps.order'
export const ORDER_READONLY = 'https://www.googleapis.com/auth/apps.order.readonly'
type Scope = typeof ORDER | typeof ORDER_READONLY

const KeyFile = z.object({ client_email: z.string().min(1), private_key: z.string().min(1) })
type Key = z.output<typeof KeyFile>

/** Returns access tokens of one scope for a service account with domain-wide delegation, cached until they expire. */
export function tokens(credentials: Credentials, scope: Scope): Tokens {
  let client: JWT | undefined

  async function fetchToken(): Promise<Token> {
    try {
      const key = client ? undefined : await keyOf(credentials.keyFile)
      // Another call may have read the key in the meantime: both then share one token request.
      if (key) client ??= delegated(key, credentials, scope)
      const { token } = (await client?.getAccessToken()) ?? {}
      return token ? { kind: 'token', value: token } : noToken('the answer has none')
    } catch (error) {
      // Reads the key again at the next call, so that a replaced key needs no restart.
      client = undefined
      return { ...noToken(reasonOf(error, credentials)), why: isUnanswered(error) ? undefined : 'no_access' }
    }
  }

  return {
    async token(signal) {
      return signal.aborted ? TOKEN_TIMEOUT : inTime(fetchToken(), signal, TOKEN_TIMEOUT)
    },
    drop(value) {
      if (client?.credentials.access_token === value) client = undefined
    },
  }
}

function delegated({ client_email, private_key }: Key, { admin, tokenUrl }: Credentials, scope: Scope): JWT {
  return new JWT({
    email: client_email,
    key: private_key,
    scopes: [scope],
    subject: admin,
    // The library would log requests if an environment variable asks for it.
    useAuthRequestParameters: false,
    transporterOptions: {
      retryConfig: { retry: 0, noResponseRetries: 0 },
      // The library supports a single token endpoint. This transport allows a configured one, and a timeout.
      fetchImplementation: async (_url, init) => {
        const headers = { 'content-type': 'application/x-www-form-urlencoded' }
        const request = { method: 'POST', headers, body: String(init?.body) }
        const answer = await exchange(tokenUrl, request, AbortSignal.timeout(EXCHANGE_MS))
        if (answer.kind !== 'answer') throw new NoAnswer(answer.reason)
        return new Response(answer.text, { status: answer.status })
      },
    },
  })
}

class NoAnswer extends Error {}
class KeyFileError extends Error {}

async function keyOf(path: string): Promise<Key> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined) throw new KeyFileError('cannot be read')
  const key = KeyFile.safeParse(jsonOf(text))
  if (!key.success) throw new KeyFileError("is no service account's key")
  return key.data
}

const ErrorBody = z.object({
  response: z.object({
    status: z.int(),
    data: z
      .object({ error: z.string().regex(/^[a-z_]{1,40}$/) })
      .optional()
      .catch(undefined),
  }),
})

const ADVICE: Record<string, string> = {
  invalid_grant: 'the key is not valid there, or the clock of this machine is wrong',
  unauthorized_client: 'both scopes have to be delegated to it, and the administrator has to exist',
}

/** Returns whether the token endpoint was unreachable or failed itself, which does not mean that the key is invalid. */
function isUnanswered(error: unknown): boolean {
  if (error instanceof Error && error.cause instanceof NoAnswer) return true
  const status = ErrorBody.safeParse(error).data?.response.status ?? 0
  return status >= 500 || status === 429
}

/** Returns the reason in our own words: the library's errors contain the signed assertion, and the parser's the key. */
function reasonOf(error: unknown, { keyFile, admin }: Credentials): string {
  if (error instanceof KeyFileError) return `the key file ${keyFile} ${error.message}`
  const cause = error instanceof Error ? error.cause : undefined
  if (cause instanceof NoAnswer) return cause.message
  const parsed = ErrorBody.safeParse(error)
  if (!parsed.success) return `the key in ${keyFile} could not be used`
  const { status, data } = parsed.data.response
  const summary = data ? `${status} ${data.error}` : `${status}`
  const advice = ADVICE[data?.error ?? '']
  return `${summary} for the service account as ${admin}${advice ? `: ${advice}` : ''}`
}

function noToken(reason: string) {
  return { kind: 'none' as const, reason: `no token: ${reason}` }
}
