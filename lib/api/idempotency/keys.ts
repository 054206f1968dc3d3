import 'server-only'
import { createHash } from 'node:crypto'
import { and, eq, exists, isNull, not, type SQL, sql } from 'drizzle-orm'
import type { Caller, CustomerId } from '#lib/access/rules.ts'
import type { Transaction } from '#lib/db/client.ts'
import { idempotencyKeys } from '#lib/db/schema/history.ts'
import { licenseChanges } from '#lib/db/schema/license-changes.ts'
import type { Reply } from './operation.ts'
import { PROBLEMS, Problem, type ProblemCode } from './problem.ts'
import { problemText } from './problem-shapes.ts'

/** What is done, or a refusal that settles the request: it may be kept. What is thrown instead is not. */
export type Answer<Body> = Reply<Body> | Problem

/** A request that came with a key. */
export type KeyedRequest<Body> = {
  caller: Caller
  /** The header Idempotency-Key. */
  key: string
  /** What the request asks for: the same key with another request is refused. */
  request: unknown
  requestId: string
  /** Cuts an answer to what the contract declares. */
  parse: (body: Body) => Body
}

/** What a key stands for: nothing yet, an answer that was kept, or a change that was open then. */
export type KnownKey<Body> =
  | { kind: 'new' }
  | { kind: 'answered'; answer: Answer<Body> }
  | { kind: 'change'; changeId: string }

const KEPT = sql`interval '24 hours'`

/**
 * Takes a key for a request, before anything is done: a repeat gets the same bytes, for 24 hours. The key, the effect
 * and the answer are kept in the same transaction; or, where a vendor is asked meanwhile, the key with the change. Then
 * it is kept for as long as nobody knows what became of that, and for 24 hours after.
 * @throws Problem `idempotency_key_reused` for a key that stands for another request
 */
export async function takeKey<Body>(tx: Transaction, keyed: KeyedRequest<Body>): Promise<KnownKey<Body>> {
  const print = fingerprint(keyed)
  if (await isTaken(tx, keyed, print)) return { kind: 'new' }
  const [kept] = await tx.select().from(idempotencyKeys).where(own(keyed))
  if (kept?.fingerprint !== print) throw new Problem('idempotency_key_reused')
  if (kept.code !== null) return { kind: 'answered', answer: replay<Body>(kept) }
  return kept.changeId === null ? { kind: 'new' } : { kind: 'change', changeId: kept.changeId }
}

/** Says which change a key's request began or joined. */
export async function pointKey<Body>(
  tx: Transaction,
  keyed: KeyedRequest<Body>,
  changeId: string,
): Promise<void> {
  await tx.update(idempotencyKeys).set({ changeId }).where(own(keyed))
}

/**
 * Keeps the answer that settles a request, in the transaction that settles it; without a key there is none to keep.
 * @returns the answer
 */
export async function keepAnswer<Body>(
  tx: Transaction,
  keyed: KeyedRequest<Body> | undefined,
  answer: Answer<Body>,
): Promise<Answer<Body>> {
  if (!keyed) return answer
  const kept =
    answer instanceof Problem
      ? { code: answer.code, body: problemText(answer, keyed.requestId) }
      : { code: 'ok', body: JSON.stringify(keyed.parse(answer.body)), version: answer.version ?? null }
  await tx.update(idempotencyKeys).set(kept).where(own(keyed))
  return answer
}

type Key = { caller: Caller; key: string }

function own({ caller, key }: Key) {
  return and(
    eq(idempotencyKeys.customerId, caller.customerId),
    eq(idempotencyKeys.caller, `${caller.via}:${caller.id}`),
    eq(idempotencyKeys.key, key),
  )
}

function fingerprint({ request }: { request: unknown }): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('base64url')
}

/** Whether the key is this request's now. One that was kept for its time is free again. */
async function isTaken(tx: Transaction, { caller, key }: Key, print: string): Promise<boolean> {
  const { customerId } = caller
  await pruneKeys(tx, customerId)
  const rows = await tx
    .insert(idempotencyKeys)
    .values({ customerId, caller: `${caller.via}:${caller.id}`, key, fingerprint: print })
    .onConflictDoNothing()
    .returning({ key: idempotencyKeys.key })
  return rows.length === 1
}

/**
 * Removes the customer's keys that were kept for their time.
 * @returns how many
 */
export async function pruneKeys(tx: Transaction, customerId: CustomerId): Promise<number> {
  const isOld = sql`${idempotencyKeys.createdAt} < now() - ${KEPT}`
  const { rowCount } = await tx
    .delete(idempotencyKeys)
    .where(and(eq(idempotencyKeys.customerId, customerId), isOld, not(awaitsChange(tx, { customerId }))))
  return rowCount ?? 0
}

/** In a statement on keys: whether the answer of one is still to come, or may have become known lately. */
function awaitsChange(tx: Transaction, { customerId }: Pick<Caller, 'customerId'>) {
  const { state, settledAt, acknowledgedAt } = licenseChanges
  const isWanted = sql`(${state} in ('CLAIMED', 'SENT', 'UNKNOWN') or (${state} = 'UNCLEAR' and ${acknowledgedAt} is null)
    or ${settledAt} > now() - ${KEPT})`
  const itsChange = tx
    .select({ id: licenseChanges.id })
    .from(licenseChanges)
    .where(
      and(
        eq(licenseChanges.customerId, customerId),
        eq(licenseChanges.id, idempotencyKeys.changeId),
        isWanted,
      ),
    )
  return and(isNull(idempotencyKeys.code), exists(itsChange)) as SQL
}

function replay<Body>(kept: typeof idempotencyKeys.$inferSelect): Answer<Body> {
  const saved = kept.body ?? ''
  if (kept.code === 'ok') {
    return { body: JSON.parse(saved), saved, ...(kept.version === null ? {} : { version: kept.version }) }
  }
  const code = kept.code !== null && kept.code in PROBLEMS ? (kept.code as ProblemCode) : 'internal_error'
  return new Problem(code, undefined, { saved })
}
