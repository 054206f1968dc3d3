import 'server-only'
import { readFile } from 'node:fs/promises'
import { JWT } from 'google-auth-library'
import { z } from 'zod'
import { exchange } from '../exchange.ts'
import type { Unavailable } from '../vendor.ts'

const TIMEOUT_MS = 10_000

/** Writes need the first; the second may only read. Both have to be delegated to the service account. */
export const ORDER = 'https://www.googleapis.com/auth/apps.order'
export const ORDER_READONLY = 'https://www.googleapis.com/auth/apps.order.readonly'
type Scope = typeof ORDER | typeof ORDER_READONLY

export type GoogleIdentity = {
  /** Path of the service account's key, as Google hands it out: JSON. */
  keyFile: string
  /** The administrator of the reseller's domain as whom the service account acts. */
  admin: string
  tokenUrl: string
}

const KeyFile = z.object({ client_email: z.string().min(1), private_key: z.string().min(1) })

/** Access tokens for a service account with domain-wide delegation, each kept until it expires. */
export function googleTokens(identity: GoogleIdentity) {
  const clients = new Map<Scope, JWT>()

  async function clientFor(scope: Scope): Promise<JWT> {
    const known = clients.get(scope)
    if (known) return known
    const { keyFile, admin, tokenUrl } = identity
    const key = await keyOf(keyFile)
    const client = clients.get(scope) ?? delegated(key, admin, scope, tokenUrl)
    clients.set(scope, client)
    return client
  }

  async function fresh(scope: Scope): Promise<{ kind: 'token'; token: string } | Unavailable> {
    try {
      const { token } = await (await clientFor(scope)).getAccessToken()
      return token ? { kind: 'token', token } : unavailable('its answer has no token')
    } catch (error) {
      // Whoever replaces the key need not restart anything.
      clients.delete(scope)
      return unavailable(reasonOf(error, identity))
    }
  }

  return {
    /** A token, or why there is none. Others may wait for the same one: an abort ends only this wait. */
    async token(scope: Scope, signal: AbortSignal): Promise<{ kind: 'token'; token: string } | Unavailable> {
      if (signal.aborted) return unavailable('there was no time left to ask')
      const { promise: aborted, resolve } = Promise.withResolvers<Unavailable>()
      const giveUp = () => resolve(unavailable('there was no answer in time'))
      signal.addEventListener('abort', giveUp, { once: true })
      try {
        return await Promise.race([fresh(scope), aborted])
      } finally {
        signal.removeEventListener('abort', giveUp)
      }
    },
    /** Drops a token that Google no longer takes. */
    forget(scope: Scope): void {
      clients.delete(scope)
    },
  }
}

type Key = z.output<typeof KeyFile>

function delegated({ client_email, private_key }: Key, admin: string, scope: Scope, tokenUrl: string): JWT {
  return new JWT({
    email: client_email,
    key: private_key,
    scopes: [scope],
    subject: admin,
    // They log what is sent, where a variable of the environment asks for it.
    useAuthRequestParameters: false,
    transporterOptions: {
      retryConfig: { retry: 0, noResponseRetries: 0 },
      // The library knows one token endpoint only. This is ours to choose, and to give up on.
      fetchImplementation: async (_url, init) => {
        const headers = { 'content-type': 'application/x-www-form-urlencoded' }
        const request = { method: 'POST', headers, body: String(init?.body) }
        const answer = await exchange(tokenUrl, request, AbortSignal.timeout(TIMEOUT_MS))
        if (answer.kind !== 'answer') throw new NoAnswer(answer.reason)
        return new Response(answer.text, { status: answer.status })
      },
    },
  })
}

class NoAnswer extends Error {}
class KeyFault extends Error {}

async function keyOf(path: string): Promise<Key> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined) throw new KeyFault('cannot be read')
  // What a parser says of JSON repeats pieces of it.
  const key = KeyFile.safeParse(parsed(text))
  if (!key.success) throw new KeyFault("is no service account's key")
  return key.data
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const Refused = z.object({
  response: z.object({
    status: z.int(),
    data: z
      .object({ error: z.string().regex(/^[a-z_]{1,40}$/) })
      .optional()
      .catch(undefined),
  }),
})

const HINTS: Record<string, string> = {
  invalid_grant: 'the key is not valid there, or the clock of this machine is wrong',
  unauthorized_client: 'both scopes have to be delegated to it, and the administrator has to exist',
}

/** In our own words: the errors of the library carry the signed assertion, and those of the parser the key. */
function reasonOf(error: unknown, { keyFile, admin }: GoogleIdentity): string {
  if (error instanceof KeyFault) return `the key file ${keyFile} ${error.message}`
  const cause = error instanceof Error ? error.cause : undefined
  if (cause instanceof NoAnswer) return cause.message
  const refused = Refused.safeParse(error)
  if (!refused.success) return `the key in ${keyFile} could not be used`
  const { status, data } = refused.data.response
  const said = data ? `${status} ${data.error}` : `${status}`
  const hint = HINTS[data?.error ?? '']
  return `${said} for the service account as ${admin}${hint ? `: ${hint}` : ''}`
}

function unavailable(reason: string): Unavailable {
  return { kind: 'unavailable', reason: `Google gave no access token: ${reason}.` }
}
