import 'server-only'
import { hash, randomUUID } from 'node:crypto'
import { and, eq, sql } from 'drizzle-orm'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { usedConfirmations } from '#lib/platform/db/schema/history.ts'
import { seal, unseal } from '#lib/platform/runtime/secrets.ts'

// Tokens that hold a change of an assistant to the preview that a person has seen.

/** Time in which a preview may be confirmed, in milliseconds. */
export const CONFIRMATION_MS = 5 * 60_000

/** Request of a change: its caller, the name of its tool, and its arguments. */
export type ChangeCall = { caller: Caller; tool: string; args: Readonly<Record<string, unknown>> }

/** Versions that the preview showed, and the text that the person has to type, if any. */
export type Preview = { seatVersion: string; renewalVersion?: string | undefined; typed?: string | undefined }

/** Reason why a token is rejected. */
export type RejectionReason =
  | 'unknown'
  | 'other_caller'
  | 'other_arguments'
  | 'expired'
  | 'used'
  | 'stale'
  | 'declined'
  | 'not_typed'

const SEALING = { purpose: 'confirmations of assistants' }

/** Returns a new token for one change of this caller, with these arguments. */
export function issueConfirmation(call: ChangeCall, preview: Preview, now = Date.now()): string {
  const content = { id: randomUUID(), until: now + CONFIRMATION_MS, ...boundTo(call), preview }
  return seal(JSON.stringify(content), SEALING)
}

/** Returns the id of a token and its preview, or why the token does not confirm this change. */
export function readConfirmation(
  token: string,
  call: ChangeCall,
  now = Date.now(),
): { id: string; preview: Preview } | RejectionReason {
  const text = unseal(token, SEALING)
  if (text === undefined) return 'unknown'
  const { id, until, who, what, preview } = JSON.parse(text)
  const expected = boundTo(call)
  if (who !== expected.who) return 'other_caller'
  if (what !== expected.what) return 'other_arguments'
  return now < until ? { id, preview } : 'expired'
}

function boundTo({ caller, tool, args }: ChangeCall): { who: string; what: string } {
  const sorted = Object.entries(args).sort(([one], [other]) => (one < other ? -1 : 1))
  return {
    who: `${caller.customerId} ${caller.via}:${caller.id}`,
    what: hash('sha256', JSON.stringify([tool, sorted]), 'base64url'),
  }
}

/**
 * Marks a token as used, in the transaction of its change.
 * @returns false if it was used before, in any process
 */
export async function recordUse(tx: Transaction, customerId: CustomerId, id: string): Promise<boolean> {
  const rows = await tx
    .insert(usedConfirmations)
    .values({ customerId, id })
    .onConflictDoNothing()
    .returning({ id: usedConfirmations.id })
  return rows.length > 0
}

/** Returns whether a token was used. */
export async function isUsed(tx: Transaction, customerId: CustomerId, id: string): Promise<boolean> {
  const rows = await tx
    .select({ id: usedConfirmations.id })
    .from(usedConfirmations)
    .where(and(eq(usedConfirmations.customerId, customerId), eq(usedConfirmations.id, id)))
  return rows.length > 0
}

/**
 * Removes the customer's used tokens that expired long ago.
 * @returns the number of removed tokens
 */
export async function pruneConfirmations(tx: Transaction, customerId: CustomerId): Promise<number> {
  const isOver = sql`${usedConfirmations.createdAt} < now() - interval '1 hour'`
  const { rowCount } = await tx
    .delete(usedConfirmations)
    .where(and(eq(usedConfirmations.customerId, customerId), isOver))
  return rowCount ?? 0
}
