import 'server-only'
import { createHash } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { and, eq, exists, isNull, not, type SQL, sql } from 'drizzle-orm'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { perDatabase } from '#lib/platform/db/per-database.ts'
import { idempotencyKeys } from '#lib/platform/db/schema/history.ts'
import { licenseChanges } from '#lib/platform/db/schema/license-changes.ts'
import type { Reply } from './operation.ts'
import { PROBLEMS, Problem, type ProblemCode } from './problem.ts'
import { problemText } from './problem-schemas.ts'

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
export type KeyState<Body> =
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
export async function claimIdempotencyKey<Body>(
  tx: Transaction,
  keyed: KeyedRequest<Body>,
): Promise<KeyState<Body>> {
  // One round trip: what was kept for its time goes before it is asked for.
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
 * Says which change a key's request began or joined.
 * @throws Problem `idempotency_key_reused` where another request was given the key meanwhile
 */
export async function pointKey<Body>(
  tx: Transaction,
  keyed: KeyedRequest<Body>,
  changeId: string,
): Promise<void> {
  await saveKey(tx, keyed, { changeId })
}

/**
 * Keeps the answer that settles a request, in the transaction that settles it; without a key there is none to keep.
 * @returns the answer
 * @throws Problem `idempotency_key_reused` where another request was given the key meanwhile
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

/** One row for a key, written when it is known what it stands for; whoever else is given the key by another request, loses. */
async function saveKey<Body>(
  tx: Transaction,
  keyed: KeyedRequest<Body>,
  fields: StoredFields,
): Promise<void> {
  const { caller, key } = keyed
  const { customerId } = caller
  const print = fingerprint(keyed)
  // An answer is kept for its time from when it is known, however long that took.
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
 * What the answers to a change have in common: as the dictionary of DEFLATE it need not be written with each of them, so that
 * an asset of 530 bytes takes a hundred. Never changed, because what was packed with it could not be read any more: another one
 * is added behind it, and packs from then on. What is said most often stands at the end.
 */
const DICTIONARIES = [
  '{"type":"about:blank","title":"Unprocessable","status":422,"detail":"The vendor refused it.","instance":"","code":"vendor_rejected","error":"The vendor refused it.","errors":[{"pointer":"/quantity","detail":""}],"minimum":,"maximum":,"current":,"changedBy":"API key "}' +
    '"settings":{"purchaseOrder":"","costCenter":""}"vendor":{"name":"microsoft","ordersTotals":true}"CommitmentInterval":{"StartTime":17,"EndTime":18},"IsCommitmentPlan":true,"PlanName":"ANNUAL_MONTHLY_PAY"},"RenewalSettings":{"RenewalType":"AUTO_RENEW"},' +
    '{"id":"workspace-suite-","type":"workspace-suite","properties":{"customerDomain":".example","customerID":"C0","reseller":"sales@reseller.example","subscription":{"BillingMethod":"ONLINE","CreationTime":17,"PurchaseOrderID":"","ResourceUIURL":"","SkuID":"","SkuName":"","Status":"ACTIVE","ID":"","Plan":{"CommitmentInterval":null,"IsCommitmentPlan":false,"PlanName":"FLEXIBLE"},"RenewalSettings":null,"Seats":{"LicensedNumberOfSeats":0,"MaximumNumberOfSeats":0,"NumberOfSeats":0}}},"settings":null}',
].map((text) => Buffer.from(text))

/** Packs a text. The first byte says with which dictionary. */
export function packed(text: string): Buffer {
  const newest = DICTIONARIES.length - 1
  return Buffer.concat([Buffer.of(newest), deflateRawSync(text, { dictionary: DICTIONARIES[newest] })])
}

/**
 * The text, to the byte.
 * @throws Error where a later release packed it, with a dictionary that this one does not know
 */
export function unpacked(bytes: Uint8Array): string {
  const dictionary = DICTIONARIES[bytes[0] ?? -1]
  if (!dictionary) throw new Error(`An answer is packed with the dictionary ${bytes[0]}, which is unknown.`)
  return inflateRawSync(bytes.subarray(1), { dictionary }).toString()
}

/** Once they are packed they stay so. */
const memory = perDatabase(() => ({ arePacked: false }))

/**
 * Whether answers are kept packed by now: an hour after the migration that made room for it, processes of the release before,
 * which can't read them, are gone.
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
 * Removes the customer's keys that were kept for their time. Once a day is enough, for a request looks after its own.
 * @returns how many
 */
export async function pruneKeys(tx: Transaction, customerId: CustomerId): Promise<number> {
  const { rowCount } = await tx
    .delete(idempotencyKeys)
    .where(and(eq(idempotencyKeys.customerId, customerId), isOver(tx, { customerId })))
  return rowCount ?? 0
}

/** In a statement on keys: whether one was kept for its time. */
function isOver(tx: Transaction, caller: Pick<Caller, 'customerId'>): SQL | undefined {
  return and(sql`${idempotencyKeys.createdAt} < now() - ${RETENTION}`, not(awaitsChange(tx, caller)))
}

/** In a statement on keys: whether the answer of one is still to come, or may have become known lately. */
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
