import 'server-only'
import { randomBytes } from 'node:crypto'
import { database } from '#lib/db/client.ts'
import { digestOf } from '../api-key.ts'
import { cookieName, cookieValue } from '../session-cookie.ts'

// Between a proof and a session stands a row for a short time, and in the browser a cookie of its own, which no operation
// of the API looks at.

const PENDING = 'console-pending'
const SECONDS = 10 * 60
/** So many steps may be tried after one proof. */
const MOST_TRIES = 10

/** A proof that has led to no session yet. */
export type Pending = {
  digest: string
  personId: string
  /** What was proven first: it says whom it opens. */
  proof: string
  /** All that was proven: `password`, `passkey`, and second factors as lib/access/factors/rules.ts writes them. */
  proven: readonly string[]
  /** The customer that was picked, where something is still to be proven for it. */
  picked?: string | undefined
}

/** Keeps a proof. @returns the id for the browser's cookie */
export async function addPending({
  personId,
  proof,
  proven,
  picked,
}: Omit<Pending, 'digest'>): Promise<string> {
  const id = randomBytes(32).toString('base64url')
  await database().signIn.query(
    'INSERT INTO pending_sign_ins (digest, person_id, proof, proven, picked) VALUES ($1, $2, $3, $4, $5)',
    [digestOf(`pending ${id}`), personId, proof, proven, picked ?? null],
  )
  return id
}

/** The proof behind a request's cookie, while it holds. */
export async function findPending(cookies: string): Promise<Pending | undefined> {
  const id = cookieValue(cookies, cookieName(PENDING))
  if (!id) return undefined
  const { rows } = await database().signIn.query<Pending & { picked: string | null }>(
    `SELECT digest, person_id AS "personId", proof, proven, picked FROM pending_sign_ins WHERE digest = $1 AND ${IS_OPEN}`,
    [digestOf(`pending ${id}`)],
  )
  return rows[0] && { ...rows[0], picked: rows[0].picked ?? undefined }
}

/** Notes what more was proven, or what was picked. @returns it as it is now; undefined where it was ended meanwhile */
export async function furtherPending(
  pending: Pending,
  { proven, picked = pending.picked }: { proven?: string; picked?: string | undefined },
): Promise<Pending | undefined> {
  const { rows } = await database().signIn.query<{ proven: string[] }>(
    `UPDATE pending_sign_ins SET picked = $2, proven = proven || $3::text[] WHERE digest = $1 RETURNING proven`,
    [pending.digest, picked ?? null, proven === undefined ? [] : [proven]],
  )
  return rows[0] && { ...pending, picked, proven: rows[0].proven }
}

/** Counts a step that is tried. @returns false where there were too many, or another one led on meanwhile */
export async function countStep({ digest }: Pending): Promise<boolean> {
  const step = `UPDATE pending_sign_ins SET tries = tries + 1 WHERE digest = $1 AND ${IS_OPEN}`
  return (await database().signIn.query(step, [digest])).rowCount === 1
}

/** Ends it, for it has led to a session. @returns false where it was ended meanwhile: of two at once, one leads on */
export async function endPending({ digest }: Pending): Promise<boolean> {
  const gone = await database().signIn.query('DELETE FROM pending_sign_ins WHERE digest = $1', [digest])
  return gone.rowCount === 1
}

/** Removes those that have led nowhere. @returns how many */
export async function prunePending(): Promise<number> {
  const old = `DELETE FROM pending_sign_ins WHERE created_at < now() - interval '${SECONDS} seconds'`
  return (await database().signIn.query(old)).rowCount ?? 0
}

/** The header Set-Cookie that leaves the id in a browser, or takes it away. */
export function pendingCookie(id: string | undefined): string {
  const name = cookieName(PENDING)
  const secure = name === PENDING ? '' : '; Secure'
  const life = id === undefined ? 0 : SECONDS
  return `${name}=${id ?? ''}; Path=/; Max-Age=${life}; HttpOnly; SameSite=Lax${secure}`
}

const IS_OPEN = `created_at > now() - interval '${SECONDS} seconds' AND tries < ${MOST_TRIES}`
