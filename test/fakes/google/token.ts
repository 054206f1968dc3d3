import { generateKeyPairSync, type KeyObject, randomBytes, verify } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Answer, Call } from '../vendors/routes.ts'

const AUDIENCE = 'https://oauth2.googleapis.com/token'
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const LIFETIME_S = 3600
const CLOCK_SKEW_S = 60

export const ORDER = 'https://www.googleapis.com/auth/apps.order'
export const ORDER_READONLY = 'https://www.googleapis.com/auth/apps.order.readonly'

/** One key pair for all fakes of a process, because generating a pair takes a while. */
let pair: { publicKey: KeyObject; privateKey: KeyObject } | undefined

type Claims = { iss?: string; sub?: string; scope?: string; aud?: string; iat?: number; exp?: number }

/** Google's token endpoint for one service account that may act as one administrator, and its issued tokens. */
export function tokenEndpoint({ admin, scopes }: { admin: string; scopes: string[] }) {
  pair ??= generateKeyPairSync('rsa', { modulusLength: 2048 })
  const { publicKey, privateKey } = pair
  const account = 'console@reseller-project.iam.gserviceaccount.com'
  const tokens = new Map<string, { scopes: string[]; until: number }>()

  return {
    account,
    /** Answers `POST /token`. */
    exchange({ text }: Call): Answer {
      const form = new URLSearchParams(text)
      if (form.get('grant_type') !== GRANT)
        return errorAnswer(400, 'unsupported_grant_type', 'Invalid grant_type')
      const claims = verified(form.get('assertion') ?? '', publicKey)
      if (!claims) return errorAnswer(400, 'invalid_grant', 'Invalid JWT Signature.')
      const fault = claimFault(claims, account)
      if (fault) return errorAnswer(400, 'invalid_grant', fault)
      const requestedScopes = claims.scope?.split(' ') ?? []
      if (
        claims.sub !== admin ||
        requestedScopes.length === 0 ||
        !requestedScopes.every((scope) => scopes.includes(scope))
      ) {
        const what = 'Client is unauthorized to retrieve access tokens using this method, or client not'
        return errorAnswer(401, 'unauthorized_client', `${what} authorized for any of the scopes requested.`)
      }
      const token = `ya29.${randomBytes(24).toString('base64url')}`
      tokens.set(token, { scopes: requestedScopes, until: Date.now() + LIFETIME_S * 1000 })
      const body = { access_token: token, expires_in: LIFETIME_S - 1, token_type: 'Bearer' }
      return { status: 200, body }
    },
    /** Returns the scopes of a call's token; undefined if the token is missing or invalid. */
    scopesOf({ headers }: Call): string[] | undefined {
      const token = tokens.get(/^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '')
      return token && token.until > Date.now() ? token.scopes : undefined
    },
    /** Invalidates every token issued so far. */
    revoke: () => tokens.clear(),
    /** Writes the service account's key file into a folder in Google's format, and returns the file's path. */
    keyFile(folder: string, key: KeyObject = privateKey): string {
      const path = join(folder, 'google-key.json')
      const pem = key.export({ type: 'pkcs8', format: 'pem' })
      const content = {
        type: 'service_account',
        project_id: 'reseller-project',
        private_key_id: 'fake',
        private_key: pem,
        client_email: account,
        token_uri: AUDIENCE,
        universe_domain: 'googleapis.com',
      }
      writeFileSync(path, JSON.stringify(content), { mode: 0o600 })
      return path
    },
  }
}

/** Returns the claims of an assertion if its signature matches the key. */
function verified(assertion: string, key: KeyObject): Claims | undefined {
  const [header = '', payload = '', signature = ''] = assertion.split('.')
  try {
    const { alg } = JSON.parse(Buffer.from(header, 'base64url').toString())
    const signed = Buffer.from(`${header}.${payload}`)
    const isGenuine = verify('RSA-SHA256', signed, key, Buffer.from(signature, 'base64url'))
    return alg === 'RS256' && isGenuine ? JSON.parse(Buffer.from(payload, 'base64url').toString()) : undefined
  } catch {
    return undefined
  }
}

function claimFault({ iss, aud, iat = 0, exp = 0 }: Claims, account: string): string | undefined {
  const now = Date.now() / 1000
  if (iss !== account) return 'Invalid grant: account not found'
  if (aud !== AUDIENCE) return 'Invalid JWT: Failed audience check.'
  const isOfNow = iat <= now + CLOCK_SKEW_S && exp > now && exp - iat <= LIFETIME_S
  return isOfNow ? undefined : 'Invalid JWT: Token must be a short-lived token (60 minutes).'
}

function errorAnswer(status: number, error: string, description: string): Answer {
  return { status, body: { error, error_description: description } }
}
