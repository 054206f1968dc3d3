import 'server-only'
import { createHash } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { and, eq, exists, isNull, not, type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { idempotencyKeys } from '#lib/platform/db/schema/history.ts'
import { licenseChanges } from '#lib/platform/db/schema/license-changes.ts'
import { perDatabase } from '#lib/platform/db/scope.ts'
import type { Reply } from './operation.ts'
import { PROBLEMS, Problem, type ProblemCode } from './problem.ts'
import { problemText } from './protocol.ts'

/** Header Idempotency-Key. */
export const idempotencyKey = z.string().regex(/^[!-~]{1,255}$/, 'must be 1 to 255 visible ASCII characters')

/** Result of the change, or a refusal that settles the request: either may be stored. A thrown error is not stored. */
export type Answer<Body> = Reply<Body> | Problem

/** Request with an idempotency key. */
export type KeyedRequest<Body> = {
  caller: Caller
  /** Value of the header Idempotency-Key. */
  key: string
  /** Content of the request: the same key with different content is refused. */
  request: unknown
  requestId: string
  /** Cuts an answer to the members that the contract declares. */
  parse: (body: Body) => Body
}

/** State of an idempotency key: unused, with a stored answer, or with a change that was still open. */
export type KeyState<Body> =
  | { kind: 'new' }
  | { kind: 'answered'; answer: Answer<Body> }
  | { kind: 'change'; changeId: string }

/**
 * Looks up a request's idempotency key before anything is done: a repeat gets the same bytes, for 24 hours. The key,
 * the effect and the answer are stored in one transaction; where a vendor has to be called in between, the key is
 * stored together with the change, and lives until the change's outcome is known and for 24 hours after. Two requests
 * for one resource arrive here one after the other, because the resource is locked; of two requests for different
 * resources, the second finds out when it stores its answer.
 * @throws Problem `idempotency_key_reused` (422) for a key of a different request
 */
export async function claimIdempotencyKey<Body>(
  tx: Transaction,
  keyed: KeyedRequest<Body>,
): Promise<KeyState<Body>> {
  // One round trip (pipeline mode): expired keys are deleted before the key is read.
  const [, [stored]] = await Promise.all([
    tx.delete(idempotencyKeys).where(and(keyFilter(keyed), isOver(tx, keyed.caller))),
    tx.select().from(idempotencyKeys).where(keyFilter(keyed)),
  ])
  if (!stored) return { kind: 'new' }
  if (stored.fingerprint !== fingerprint(keyed)) throw new Problem('idempotency_key_reused')
  if (stored.code !== null) return { kind: 'answered', answer: replay<Body>(stored) }
  return stored.changeId === null ? { kind: 'new' } : { kind: 'change', changeId: stored.changeId }
}

/**
 * Links a key to the change that its request began or joined.
 * @throws Problem `idempotency_key_reused` where a different request has stored the key in the meantime
 */
export async function pointKey<Body>(
  tx: Transaction,
  keyed: KeyedRequest<Body>,
  changeId: string,
): Promise<void> {
  await saveKey(tx, keyed, { changeId })
}

/**
 * Stores the answer that settles a request, in the transaction that settles it; does nothing without a key. It is stored
 * as text: jsonb would reorder its members. A repeat with the same key gets the same bytes: a 200, or a refusal of the
 * asset's rules, of its version or of the vendor. After any other problem, such as 429, 503 or `change_in_progress`, a
 * repeat runs the call again; after 504, a repeat joins the key's change.
 * @returns the answer
 * @throws Problem `idempotency_key_reused` where a different request has stored the key in the meantime
 */
export async function saveResponse<Body>(
  tx: Transaction,
  keyed: KeyedRequest<Body> | undefined,
  answer: Answer<Body>,
): Promise<Answer<Body>> {
  if (!keyed) return answer
  const saved =
    answer instanceof Problem
      ? { code: answer.code, text: problemText(answer, keyed.requestId) }
      : { code: 'ok', text: JSON.stringify(keyed.parse(answer.body)), version: answer.version ?? null }
  const { text, ...rest } = saved
  await saveKey(tx, keyed, {
    ...rest,
    ...((await arePacked(tx)) ? { packed: packed(text) } : { body: text }),
  })
  return answer
}

type StoredFields = Partial<
  Pick<typeof idempotencyKeys.$inferInsert, 'changeId' | 'code' | 'version' | 'body' | 'packed'>
>

/**
 * Writes the one row of a key, once its state is known. Of two different requests with one key, the second to write
 * loses.
 */
async function saveKey<Body>(
  tx: Transaction,
  keyed: KeyedRequest<Body>,
  fields: StoredFields,
): Promise<void> {
  const { caller, key } = keyed
  const { customerId } = caller
  const print = fingerprint(keyed)
  // An answer's retention begins when the answer is known.
  const isAnswered = fields.code !== undefined
  const at = isAnswered ? { createdAt: sql`statement_timestamp()` } : {}
  const rows = await tx
    .insert(idempotencyKeys)
    .values({ customerId, caller: `${caller.via}:${caller.id}`, key, fingerprint: print, ...fields, ...at })
    .onConflictDoUpdate({
      target: [idempotencyKeys.customerId, idempotencyKeys.caller, idempotencyKeys.key],
      set: isAnswered ? { ...fields, createdAt: sql`excluded.created_at` } : fields,
      setWhere: eq(idempotencyKeys.fingerprint, print),
    })
    .returning({ key: idempotencyKeys.key })
  if (rows.length === 0) throw new Problem('idempotency_key_reused')
}

type Key = { caller: Caller; key: string }

function keyFilter({ caller, key }: Key) {
  return and(
    eq(idempotencyKeys.customerId, caller.customerId),
    eq(idempotencyKeys.caller, `${caller.via}:${caller.id}`),
    eq(idempotencyKeys.key, key),
  )
}

function fingerprint({ request }: { request: unknown }): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('base64url')
}

function replay<Body>(stored: typeof idempotencyKeys.$inferSelect): Answer<Body> {
  const saved = stored.packed === null ? (stored.body ?? '') : unpacked(stored.packed)
  if (stored.code === 'ok') {
    return { body: JSON.parse(saved), saved, ...(stored.version === null ? {} : { version: stored.version }) }
  }
  const code =
    stored.code !== null && stored.code in PROBLEMS ? (stored.code as ProblemCode) : 'internal_error'
  return new Problem(code, undefined, { saved })
}

/**
 * DEFLATE preset dictionaries: text that the answers to changes have in common, so that an asset of 530 bytes takes a
 * hundred. Never edit a dictionary: stored answers packed with it could not be read any more. A new dictionary is
 * appended, and packs from then on. The most frequent text belongs at the end.
 */
const DICTIONARIES = [
  '{"type":"about:blank","title":"Unprocessable","status":422,"detail":"The vendor refused it.","instance":"","code":"vendor_rejected","error":"The vendor refused it.","errors":[{"pointer":"/quantity","detail":""}],"minimum":,"maximum":,"current":,"changedBy":"API key "}' +
    '"settings":{"purchaseOrder":"","costCenter":""}"vendor":{"name":"microsoft","ordersTotals":true}"CommitmentInterval":{"StartTime":17,"EndTime":18},"IsCommitmentPlan":true,"PlanName":"ANNUAL_MONTHLY_PAY"},"RenewalSettings":{"RenewalType":"AUTO_RENEW"},' +
    '{"id":"workspace-suite-","type":"workspace-suite","properties":{"customerDomain":".example","customerID":"C0","reseller":"sales@reseller.example","subscription":{"BillingMethod":"ONLINE","CreationTime":17,"PurchaseOrderID":"","ResourceUIURL":"","SkuID":"","SkuName":"","Status":"ACTIVE","ID":"","Plan":{"CommitmentInterval":null,"IsCommitmentPlan":false,"PlanName":"FLEXIBLE"},"RenewalSettings":null,"Seats":{"LicensedNumberOfSeats":0,"MaximumNumberOfSeats":0,"NumberOfSeats":0}}},"settings":null}',
].map((text) => Buffer.from(text))

/** Packs a text. The first byte is the index of the dictionary. */
export function packed(text: string): Buffer {
  const newest = DICTIONARIES.length - 1
  return Buffer.concat([Buffer.of(newest), deflateRawSync(text, { dictionary: DICTIONARIES[newest] })])
}

/**
 * Unpacks a text, byte for byte.
 * @throws Error if a later release packed it with an unknown dictionary
 */
export function unpacked(bytes: Uint8Array): string {
  const dictionary = DICTIONARIES[bytes[0] ?? -1]
  if (!dictionary) throw new Error(`An answer is packed with the dictionary ${bytes[0]}, which is unknown.`)
  return inflateRawSync(bytes.subarray(1), { dictionary }).toString()
}

/** Once answers are packed, they stay packed. */
const memory = perDatabase(() => ({ arePacked: false }))

/**
 * Returns whether answers are stored packed: an hour after the migration that added the column, when processes of the
 * previous release, which can't read packed answers, are gone.
 */
async function arePacked(tx: Transaction): Promise<boolean> {
  const packing = memory()
  if (packing.arePacked) return true
  const { rows } = await tx.execute<{ packed: boolean }>(sql`SELECT answers_are_packed() AS packed`)
  packing.arePacked = rows[0]?.packed ?? false
  return packing.arePacked
}

const RETENTION = sql`interval '24 hours'`

/**
 * Removes the customer's expired keys. Once a day suffices, because each request removes its own.
 * @returns the number of removed keys
 */
export async function pruneKeys(tx: Transaction, customerId: CustomerId): Promise<number> {
  const { rowCount } = await tx
    .delete(idempotencyKeys)
    .where(and(eq(idempotencyKeys.customerId, customerId), isOver(tx, { customerId })))
  return rowCount ?? 0
}

/** SQL condition on a row of `idempotency_keys`: the key has expired. */
function isOver(tx: Transaction, caller: Pick<Caller, 'customerId'>): SQL | undefined {
  return and(sql`${idempotencyKeys.createdAt} < now() - ${RETENTION}`, not(awaitsChange(tx, caller)))
}

/** SQL condition on a row of `idempotency_keys`: the answer is still pending, or may have been settled recently. */
function awaitsChange(tx: Transaction, { customerId }: Pick<Caller, 'customerId'>) {
  const { state, settledAt, acknowledgedAt } = licenseChanges
  const awaitsOutcome = sql`(${state} in ('CLAIMED', 'SENT', 'UNKNOWN') or (${state} = 'UNCLEAR' and ${acknowledgedAt} is null)
    or ${settledAt} > now() - ${RETENTION})`
  const itsChange = tx
    .select({ id: licenseChanges.id })
    .from(licenseChanges)
    .where(
      and(
        eq(licenseChanges.customerId, customerId),
        eq(licenseChanges.id, idempotencyKeys.changeId),
        awaitsOutcome,
      ),
    )
  return and(isNull(idempotencyKeys.code), exists(itsChange)) as SQL
}
