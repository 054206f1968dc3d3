import 'server-only'
import { createHash } from 'node:crypto'
import { and, eq, sql } from 'drizzle-orm'
import type { Caller } from '#lib/access/rules.ts'
import type { Transaction } from '#lib/db/client.ts'
import { idempotencyKeys } from '#lib/db/schema.ts'
import type { Reply } from './operation.ts'
import { PROBLEMS, Problem, type ProblemCode } from './problem.ts'

/** An answer that may be kept: what was done, or a settled refusal. What is thrown instead is not kept. */
export type Outcome<Body> = Reply<Body> | Problem

type Claim = {
  caller: Caller
  /** The header Idempotency-Key. */
  key: string
  /** What the request asks for: the same key with another request is refused. */
  request: unknown
  requestId: string
}

const KEPT = sql`interval '24 hours'`

/**
 * Settles a request once: a repeat with the same key gets the same bytes, for 24 hours. The key is claimed
 * before `settle` runs, and its answer is kept in the same transaction: both are there, or neither.
 * @param parse cuts the answer to what the contract declares
 * @throws Problem `idempotency_key_reused` for a key that stands for another request
 */
export async function once<Body>(
  tx: Transaction,
  claim: Claim,
  parse: (body: Body) => Body,
  settle: () => Promise<Outcome<Body>>,
): Promise<Outcome<Body>> {
  const own = and(
    eq(idempotencyKeys.customerId, claim.caller.customerId),
    eq(idempotencyKeys.caller, `${claim.caller.via}:${claim.caller.id}`),
    eq(idempotencyKeys.key, claim.key),
  )
  const fingerprint = createHash('sha256').update(JSON.stringify(claim.request)).digest('base64url')
  if (!(await isClaimed(tx, claim, fingerprint))) {
    const [kept] = await tx.select().from(idempotencyKeys).where(own)
    if (kept?.fingerprint !== fingerprint) throw new Problem('idempotency_key_reused')
    return replay<Body>(kept)
  }
  const outcome = await settle()
  const answer =
    outcome instanceof Problem
      ? { code: outcome.code, body: JSON.stringify(outcome.body(claim.requestId)) }
      : { code: 'ok', body: JSON.stringify(parse(outcome.body)), version: outcome.version ?? null }
  await tx.update(idempotencyKeys).set(answer).where(own)
  return outcome
}

/** Whether the key is this request's now. One that was kept for 24 hours is free again. */
async function isClaimed(tx: Transaction, { caller, key }: Claim, fingerprint: string): Promise<boolean> {
  const { customerId } = caller
  await tx
    .delete(idempotencyKeys)
    .where(
      and(eq(idempotencyKeys.customerId, customerId), sql`${idempotencyKeys.createdAt} < now() - ${KEPT}`),
    )
  const rows = await tx
    .insert(idempotencyKeys)
    .values({ customerId, caller: `${caller.via}:${caller.id}`, key, fingerprint })
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
