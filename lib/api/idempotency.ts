import 'server-only'
import { createHash } from 'node:crypto'
import { and, eq, sql } from 'drizzle-orm'
import type { Caller } from '#lib/access/rules.ts'
import type { Transaction } from '#lib/db/client.ts'
import { idempotencyKeys } from '#lib/db/schema.ts'
import type { Reply } from './operation.ts'
import { PROBLEMS, Problem, type ProblemCode } from './problem.ts'
import { problemText } from './problem-shapes.ts'

/** An answer that may be kept: what was done, or a settled refusal. What is thrown instead is not kept. */
export type Outcome<Body> = Reply<Body> | Problem

export type Claim = {
  caller: Caller
  /** The header Idempotency-Key. */
  key: string
  /** What the request asks for: the same key with another request is refused. */
  request: unknown
  requestId: string
}

const KEPT = sql`interval '24 hours'`

/** What a key stands for: nothing yet, an answer that was kept, or a change whose outcome was not known then. */
export type Claimed<Body> =
  | { kind: 'new' }
  | { kind: 'kept'; outcome: Outcome<Body> }
  | { kind: 'open'; changeId: string }

/**
 * Claims a key for a request, before anything is done: a repeat gets the same bytes, for 24 hours. Claim, effect and
 * answer are kept in the same transaction; or, where a vendor is asked meanwhile, the claim with the change.
 * @throws Problem `idempotency_key_reused` for a key that stands for another request
 */
export async function claimKey<Body>(tx: Transaction, claim: Claim): Promise<Claimed<Body>> {
  const print = fingerprint(claim)
  if (await isClaimed(tx, claim, print)) return { kind: 'new' }
  const [kept] = await tx.select().from(idempotencyKeys).where(own(claim))
  if (kept?.fingerprint !== print) throw new Problem('idempotency_key_reused')
  if (kept.code !== null) return { kind: 'kept', outcome: replay<Body>(kept) }
  return kept.changeId === null ? { kind: 'new' } : { kind: 'open', changeId: kept.changeId }
}

/** Says which change a key's request began or joined. */
export async function pointKey(tx: Transaction, claim: Claim, changeId: string): Promise<void> {
  await tx.update(idempotencyKeys).set({ changeId }).where(own(claim))
}

/**
 * Keeps the answer that settles a request.
 * @param parse cuts the answer to what the contract declares
 */
export async function keepAnswer<Body>(
  tx: Transaction,
  claim: Claim,
  parse: (body: Body) => Body,
  outcome: Outcome<Body>,
): Promise<void> {
  const answer =
    outcome instanceof Problem
      ? { code: outcome.code, body: problemText(outcome, claim.requestId) }
      : { code: 'ok', body: JSON.stringify(parse(outcome.body)), version: outcome.version ?? null }
  await tx.update(idempotencyKeys).set(answer).where(own(claim))
}

function own({ caller, key }: Claim) {
  return and(
    eq(idempotencyKeys.customerId, caller.customerId),
    eq(idempotencyKeys.caller, `${caller.via}:${caller.id}`),
    eq(idempotencyKeys.key, key),
  )
}

function fingerprint({ request }: Claim): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('base64url')
}

/** Whether the key is this request's now. One that was kept for 24 hours is free again. */
async function isClaimed(tx: Transaction, { caller, key }: Claim, print: string): Promise<boolean> {
  const { customerId } = caller
  await tx
    .delete(idempotencyKeys)
    .where(
      and(eq(idempotencyKeys.customerId, customerId), sql`${idempotencyKeys.createdAt} < now() - ${KEPT}`),
    )
  const rows = await tx
    .insert(idempotencyKeys)
    .values({ customerId, caller: `${caller.via}:${caller.id}`, key, fingerprint: print })
    .onConflictDoNothing()
    .returning({ key: idempotencyKeys.key })
  return rows.length === 1
}

function replay<Body>(kept: typeof idempotencyKeys.$inferSelect): Outcome<Body> {
  const saved = kept.body ?? ''
  if (kept.code === 'ok') {
    return { body: JSON.parse(saved), saved, ...(kept.version === null ? {} : { version: kept.version }) }
  }
  const code = kept.code !== null && kept.code in PROBLEMS ? (kept.code as ProblemCode) : 'internal_error'
  return new Problem(code, undefined, { saved })
}
