import 'server-only'
import { Problem } from '#lib/api/problem.ts'
import { digestOf, looksLikeApiKey } from './api-key.ts'
import type { Caller } from './rules.ts'
import { session } from './session.ts'
import { findKeyCaller } from './store.ts'

/**
 * Who is calling: the bearer key where there is an Authorization header, which then alone decides;
 * else the signed-in session; else nobody.
 * @throws Problem `unauthenticated` for a header that holds no valid key
 */
export async function authenticate(headers: {
  get(name: string): string | null
}): Promise<Caller | undefined> {
  const authorization = headers.get('authorization')
  if (authorization === null) return session(headers)
  const key = /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
  const caller = key && looksLikeApiKey(key) ? await findKeyCaller(digestOf(key)) : undefined
  if (caller) return caller
  throw new Problem('unauthenticated', 'The API key is not valid: it is unknown, expired or revoked.', {
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  })
}
