import 'server-only'
import { createHash } from 'node:crypto'
import { and, eq, sql } from 'drizzle-orm'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { idempotencyKeys } from '#lib/platform/db/schema/history.ts'
import type { Reply } from '../operation.ts'
import { PROBLEMS, Problem, type ProblemCode } from '../problem.ts'
import { problemText } from '../problem-shapes.ts'
import { arePacked, packed, unpacked } from './packed.ts'
import { isOver } from './prune.ts'

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

/**
 * Asks what a request's key stands for, before anything is done: a repeat gets the same bytes, for 24 hours. The key, the
 * effect and the answer are kept in the same transaction; or, where a vendor is asked meanwhile, the key with the change.
 * Then it is kept for as long as nobody knows what became of that, and for 24 hours after. Two requests for one thing come
 * here one after the other, because that is locked; of two for different ones, the second finds out when it keeps its answer.
 * @throws Problem `idempotency_key_reused` for a key that stands for another request
 */
export async function takeKey<Body>(tx: Transaction, keyed: KeyedRequest<Body>): Promise<KnownKey<Body>> {
  // One round trip: what was kept for its time goes before it is asked for.
  const [, [kept]] = await Promise.all([
    tx.delete(idempotencyKeys).where(and(own(keyed), isOver(tx, keyed.caller))),
    tx.select().from(idempotencyKeys).where(own(keyed)),
  ])
  if (!kept) return { kind: 'new' }
  if (kept.fingerprint !== fingerprint(keyed)) throw new Problem('idempotency_key_reused')
  if (kept.code !== null) return { kind: 'answered', answer: replay<Body>(kept) }
  return kept.changeId === null ? { kind: 'new' } : { kind: 'change', changeId: kept.changeId }
}

/**
 * Says which change a key's request began or joined.
 * @throws Problem `idempotency_key_reused` where another request was given the key meanwhile
 */
export async function pointKey<Body>(
  tx: Transaction,
  keyed: KeyedRequest<Body>,
  changeId: string,
): Promise<void> {
  await keep(tx, keyed, { changeId })
}

/**
 * Keeps the answer that settles a request, in the transaction that settles it; without a key there is none to keep.
 * @returns the answer
 * @throws Problem `idempotency_key_reused` where another request was given the key meanwhile
 */
export async function keepAnswer<Body>(
  tx: Transaction,
  keyed: KeyedRequest<Body> | undefined,
  answer: Answer<Body>,
): Promise<Answer<Body>> {
  if (!keyed) return answer
  const kept =
    answer instanceof Problem
      ? { code: answer.code, text: problemText(answer, keyed.requestId) }
      : { code: 'ok', text: JSON.stringify(keyed.parse(answer.body)), version: answer.version ?? null }
  const { text, ...rest } = kept
  await keep(tx, keyed, { ...rest, ...((await arePacked(tx)) ? { packed: packed(text) } : { body: text }) })
  return answer
}

type Kept = Partial<
  Pick<typeof idempotencyKeys.$inferInsert, 'changeId' | 'code' | 'version' | 'body' | 'packed'>
>

/** One row for a key, written when it is known what it stands for; whoever else is given the key by another request, loses. */
async function keep<Body>(tx: Transaction, keyed: KeyedRequest<Body>, kept: Kept): Promise<void> {
  const { caller, key } = keyed
  const { customerId } = caller
  const print = fingerprint(keyed)
  // An answer is kept for its time from when it is known, however long that took.
  const isSettled = kept.code !== undefined
  const at = isSettled ? { createdAt: sql`statement_timestamp()` } : {}
  const rows = await tx
    .insert(idempotencyKeys)
    .values({ customerId, caller: `${caller.via}:${caller.id}`, key, fingerprint: print, ...kept, ...at })
    .onConflictDoUpdate({
      target: [idempotencyKeys.customerId, idempotencyKeys.caller, idempotencyKeys.key],
      set: isSettled ? { ...kept, createdAt: sql`excluded.created_at` } : kept,
      setWhere: eq(idempotencyKeys.fingerprint, print),
    })
    .returning({ key: idempotencyKeys.key })
  if (rows.length === 0) throw new Problem('idempotency_key_reused')
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

function replay<Body>(kept: typeof idempotencyKeys.$inferSelect): Answer<Body> {
  const saved = kept.packed === null ? (kept.body ?? '') : unpacked(kept.packed)
  if (kept.code === 'ok') {
    return { body: JSON.parse(saved), saved, ...(kept.version === null ? {} : { version: kept.version }) }
  }
  const code = kept.code !== null && kept.code in PROBLEMS ? (kept.code as ProblemCode) : 'internal_error'
  return new Problem(code, undefined, { saved })
}
