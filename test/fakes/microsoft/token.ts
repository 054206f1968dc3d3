import { randomUUID } from 'node:crypto'
import type { Answer, Call, Route } from '../vendors/routes.ts'
import type { Pages, Store } from '../vendors/store.ts'
import { errorAnswer } from './errors.ts'
import type { VendorFields } from './resource.ts'

export type TokenRules = {
  clientId: string
  clientSecret: string
  /** Lifetime of a token, in seconds. */
  tokenSeconds: number
}

const SCOPE = 'https://api.partnercenter.microsoft.com/.default'

/** Entra ID: issues tokens to the application that knows its secret, and verifies them. */
export function tokens({ clientId, clientSecret, tokenSeconds }: TokenRules) {
  const expiries = new Map<string, number>()
  return {
    grant({ text }: Call): Answer {
      const form = new URLSearchParams(text)
      if (form.get('grant_type') !== 'client_credentials') return denied(400, 'unsupported_grant_type')
      if (form.get('client_id') !== clientId) return denied(400, 'unauthorized_client')
      if (form.get('client_secret') !== clientSecret) return denied(401, 'invalid_client', 7000215)
      if (form.get('scope') !== SCOPE) return denied(400, 'invalid_scope')
      const token = `fake.${randomUUID()}`
      expiries.set(token, Date.now() + tokenSeconds * 1000)
      const body = { token_type: 'Bearer', expires_in: tokenSeconds, access_token: token }
      return { status: 200, body }
    },
    knows({ headers: { authorization = '' } }: Call): boolean {
      return Date.now() < (expiries.get(authorization.replace(/^Bearer /, '')) ?? 0)
    },
    revokeAll: () => expiries.clear(),
  }
}

function denied(status: number, error: string, number = 70000): Answer {
  // The real API repeats the rejected value in its message, and so does this fake.
  return { status, body: { error, error_description: `AADSTS${number}: ${error}.` } }
}

/** Wraps a route so that it requires a token, and hides members that an application by itself may not see. */
export function guarded(
  route: Route<VendorFields>,
  knows: (call: Call) => boolean,
  showsAssigned: boolean,
): Route<VendorFields> {
  const check = (call: Call): Answer | undefined => {
    if (!knows(call)) return { status: 401, body: { code: '401', description: 'Unauthorized' } }
    const isAssigned = ['subscribedSkus', 'provisioningStatus'].includes(route.name)
    return isAssigned && !showsAssigned ? errorAnswer(900329) : undefined
  }
  if (route.kind === 'write') {
    return {
      ...route,
      handle: (call: Call, store: Store<VendorFields>) => check(call) ?? route.handle(call, store),
    }
  }
  return {
    ...route,
    handle: (call: Call, pages: Pages<VendorFields>) => check(call) ?? route.handle(call, pages),
  }
}
