import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { exportJWK, type GenerateKeyPairResult, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { end, listen } from './provider.ts'

/** Deviations of the next ID token from a valid one; a claim that is null is left out. */
export type Lie = {
  claims?: Record<string, unknown>
  /**
   * `none`: unsigned; `wrong`: signed with a key that the issuer does not publish; `renamed`: under another name of a
   * published key.
   */
  signature?: 'none' | 'wrong'
  /** Status of the token endpoint and of discovery, instead of 200. */
  status?: number
  /** Members that discovery returns. */
  metadata?: Record<string, unknown>
  /** A response with more bytes than a client should read, or one that never ends. */
  body?: 'huge' | 'silent'
}

export type HostileIssuer = {
  issuer: string
  lie: Lie
  /** Requests so far, with path and body. */
  requests: { path: string; body: URLSearchParams }[]
  /** Signs the claims in a token of this type. */
  sign(claims: Record<string, unknown>, signature?: Lie['signature'], typ?: string): Promise<string>
  /** Makes a new key with a new name, which signs from now on. */
  rotate(): Promise<void>
  close(): Promise<void>
}

const SUBJECT = { sub: 'subject-1', email: 'ana@alder.example', email_verified: true, name: 'Ana Ruiz' }

/** Starts an issuer that signs any claims. A code is the nonce of its sign-in, so that a test can make codes itself. */
export async function startHostile(clientId = 'console'): Promise<HostileIssuer> {
  let kid = 1
  let keys = await generateKeyPair('RS256')
  const wrong = await generateKeyPair('RS256')
  const server = createServer(async (req, res) => {
    const { pathname } = new URL(req.url ?? '', issuer)
    hostile.requests.push({ path: pathname, body: new URLSearchParams(await text(req)) })
    const { status = 200, body } = hostile.lie
    if (body === 'silent') return
    const isLied = pathname === '/token' || pathname.startsWith('/.well-known')
    res.writeHead(isLied ? status : 200, { 'Content-Type': 'application/json' })
    const answer = JSON.stringify(await answerTo(pathname))
    res.end(body === 'huge' ? answer + ' '.repeat(2_000_000) : answer)
  })
  const issuer = await listen(server)

  const answerTo = async (path: string): Promise<unknown> => {
    if (path === '/jwks')
      return { keys: [{ ...(await exportJWK(keys.publicKey)), kid: `key-${kid}`, use: 'sig', alg: 'RS256' }] }
    if (path !== '/token') return { ...metadataOf(issuer), ...hostile.lie.metadata }
    const nonce = hostile.requests.at(-1)?.body.get('code') ?? ''
    const now = Math.floor(Date.now() / 1000)
    const honest = { ...SUBJECT, iss: issuer, aud: clientId, nonce, iat: now, exp: now + 300 }
    const claims = Object.entries({ ...honest, ...hostile.lie.claims }).filter(([, value]) => value !== null)
    const id_token = await sign(Object.fromEntries(claims), hostile.lie.signature)
    return { access_token: 'access', token_type: 'Bearer', expires_in: 300, id_token }
  }
  const sign: HostileIssuer['sign'] = async (claims, signature, typ) => {
    if (signature === 'none') return new UnsecuredJWT(claims).encode()
    const { privateKey }: GenerateKeyPairResult = signature === 'wrong' ? wrong : keys
    const header = { alg: 'RS256', kid: `key-${kid}`, ...(typ === undefined ? {} : { typ }) }
    return new SignJWT(claims).setProtectedHeader(header).sign(privateKey)
  }
  const hostile: HostileIssuer = {
    issuer,
    lie: {},
    requests: [],
    sign,
    async rotate() {
      keys = await generateKeyPair('RS256')
      kid += 1
    },
    close: () => end(server),
  }
  return hostile
}

function metadataOf(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['S256'],
    end_session_endpoint: `${issuer}/end`,
  }
}
