import 'server-only'
import { digestOf } from '#lib/platform/caller/api-key.ts'
import { database } from '#lib/platform/db/client.ts'
import { TOKEN_SECONDS } from './token.ts'

const digestOfToken = (providerId: string, tokenId: string) => digestOf(`logout ${providerId} ${tokenId}`)

/** Whether a provider's logout token with this id was used before. */
export async function isSpent(providerId: string, tokenId: string): Promise<boolean> {
  const known = 'SELECT FROM spent_logout_tokens WHERE digest = $1'
  return (await database().signIn.query(known, [digestOfToken(providerId, tokenId)])).rowCount === 1
}

/** Uses a logout token up: after its sessions were ended, so that an issuer may send it again where that failed. */
export async function spend(providerId: string, tokenId: string): Promise<void> {
  const once = 'INSERT INTO spent_logout_tokens (digest) VALUES ($1) ON CONFLICT DO NOTHING'
  await database().signIn.query(once, [digestOfToken(providerId, tokenId)])
}

/** Removes those that would not count any more anyway. @returns how many */
export async function pruneLogouts(): Promise<number> {
  const old = `DELETE FROM spent_logout_tokens WHERE at < now() - interval '${2 * TOKEN_SECONDS} seconds'`
  return (await database().signIn.query(old)).rowCount ?? 0
}
