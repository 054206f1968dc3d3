import 'server-only'
import { sql } from 'drizzle-orm'
import type { IssuerNames } from '#lib/billing/parties/issuers.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readToday } from '#lib/platform/db/schema/columns.ts'
import { recordIssued } from '#lib/platform/outbox/events.ts'
import { addDays } from '#lib/platform/values/days.ts'
import type { ImportProblem } from '../import-error.ts'
import { carrierOf } from '../posting/carry.ts'
import { type InvoiceCounts, type NewInvoice, NOTHING } from '../schemas.ts'
import { actionFor, type ImportAction, problemsOf, type Result } from './action.ts'
import { type IssuerAnswer, resolveSimilar } from './alike.ts'
import { changesOf, recordVoided } from './changes.ts'
import { fillsLines } from './differences.ts'
import { idsFor } from './ids.ts'
import {
  billsOfSeveral,
  draftsOf,
  ofEachAccount,
  readReplaced,
  readTwins,
  type Twin,
  twinProblem,
} from './period.ts'
import { type Placed, readPlaces } from './places.ts'
import { addInvoices, overwriteInvoiceRows, overwriteInvoices, readStored } from './rows.ts'
import { seenInvoices } from './seen.ts'
import { asVoided, completed, keyOf, movedTo, type StoredInvoice, withoutLines } from './stored.ts'
import { asDraft, dropDrafts, readBilled, withUnbilledState } from './unbilled.ts'

type Options = {
  correct: boolean
  requestId: string
  names: IssuerNames
  /** Answer about issuers that may be one; if absent, the import stops there. */
  answer?: IssuerAnswer | undefined
  importId?: string | undefined
  history?: 'all' | 'late' | undefined
  onResult?: ((result: Result) => void) | undefined
}
/** Days after its due date from which an invoice that arrives is history. */
const HISTORIC_DAYS = 31

type Key = Pick<StoredInvoice, 'issuer' | 'number'>
type Sorted<F extends ImportAction = ImportAction> = Placed & { action: F }

/** Returns a writer that stores an import's invoices batch by batch; `end` does the work that needs the whole file. */
export async function storer(
  tx: Transaction,
  customerId: CustomerId,
  { correct, requestId, names, answer, importId, history = 'late', onResult }: Options,
) {
  const counts: InvoiceCounts = { ...NOTHING }
  const changes = changesOf(tx, customerId, importId)
  const twins: Twin[] = []
  const several = billsOfSeveral(tx, customerId, names)
  const today = await readToday(tx)
  const drafts = await draftsOf(tx, customerId, { names, today })
  const historic = addDays(today, -HISTORIC_DAYS)
  const carry = await carrierOf(tx, customerId)
  const seen = seenInvoices()

  /** @returns the problems; with `dry`, only checks and stores nothing */
  async function addBatch(batch: readonly NewInvoice[], { dry }: { dry: boolean }): Promise<ImportProblem[]> {
    const { sorted, unclear, problems } = await sortOut(batch)
    problems.push(...sorted.flatMap(({ invoice }) => repeated(invoice)))
    problems.push(...sorted.flatMap(({ action }) => problemsOf(action, correct)))
    if (correct) problems.push(...(await missingBalanceProblems(tx, customerId, sorted)))
    if (dry || problems.length > 0) return problems
    await updateStored(sorted)
    await updateBilled(sorted)
    await addNew(sorted.filter(({ action }) => action.what === 'added' || action.what === 'corrected'))
    for (const { incoming, invoice, action } of sorted) {
      counts[action.what === 'billed' ? 'unchanged' : (action.what as keyof InvoiceCounts)] += 1
      onResult?.({ incoming, invoice, what: action.what })
    }
    for (const one of unclear) onResult?.({ ...one, what: 'unclear' })
    return []
  }

  function repeated(invoice: NewInvoice): ImportProblem[] {
    const isFirst = seen.add(invoice) && seen.addPeriod(invoice)
    return isFirst ? [] : [{ subject: `invoice ${invoice.number}`, reason: 'is given twice' }]
  }

  /** Finds the stored row and the action for each invoice, and resolves those that resemble another issuer's. */
  async function sortOut(batch: readonly NewInvoice[]) {
    const read = async () => {
      const placed = (await readPlaces(tx, customerId, batch, names)).map((one): Placed => {
        const unbilled = names.unbilledOf(one.invoice.issuer)
        return { ...one, invoice: withUnbilledState(one.invoice, one.stored, unbilled, today) }
      })
      const batchKeys = new Set(placed.map(({ invoice }) => keyOf(invoice)))
      const isOfImport = (key: Key) => batchKeys.has(keyOf(key)) || seen.has(key)
      const billed = await readBilled(tx, customerId, placed, { names, isOfImport })
      return placed.map((one): Sorted => {
        const action: ImportAction = billed.has(one) ? { what: 'billed' } : actionFor(one.invoice, one.stored)
        return { ...one, action }
      })
    }
    const sorted = await read()
    await names.save(sorted.map(({ invoice }) => invoice.issuer))
    const added = sorted.filter(
      ({ action, invoice }) => action.what === 'added' && invoice.documentState !== 'voided',
    )
    const addedInvoices = added.map(({ invoice }) => invoice)
    const { left, problems } = await resolveSimilar(tx, customerId, addedInvoices, {
      names,
      answer,
      requestId,
    })
    const like = new Map(left.map(({ at, other }) => [added[at], other]))
    const unclear = [...like].flatMap(([one, other]) =>
      one ? [{ incoming: one.incoming, invoice: one.invoice, like: other }] : [],
    )
    return {
      // As one issuer, they may have other places.
      sorted: answer === 'same' ? await read() : sorted.filter((one) => !like.has(one)),
      unclear,
      problems,
    }
  }

  /** Updates the stored invoices that keep their row. */
  async function updateStored(sorted: readonly Sorted[]): Promise<void> {
    const there = sorted.flatMap(({ stored, ...rest }) => (stored ? [{ stored, ...rest }] : []))
    const being = (what: ImportAction['what']) => there.filter(({ action }) => action.what === what)
    const voided = being('voided').map(({ stored }) => stored)
    const [moved, redrafted] = [being('moved'), being('redrafted')]
    const changed = { moved, redrafted, voided }
    const { headers, whole } = await overwriteStored(tx, customerId, changed, { changes, carry })
    for (const invoice of voided) await recordVoided(tx, customerId, { invoice }, requestId)
    // An invoice that had no period before, or was a draft, may bill a period that another invoice has billed.
    const comparable = headers.filter((_, at) =>
      [moved[at]?.stored.billingAccount, moved[at]?.stored.periodStart].includes(null),
    )
    await compare([...comparable, ...whole.filter(({ documentState }) => documentState === 'issued')])
    const reissued = headers.filter((_, at) => moved[at]?.stored.documentState !== 'issued')
    recordIssued(tx, customerId, [...whole, ...reissued])
    const unchanged = being('unchanged').map(({ stored }) => stored)
    for (const row of [...headers, ...unchanged]) if (row.documentState === 'issued') drafts.see(row, false)
    for (const row of whole) if (row.documentState === 'issued') drafts.see(row, true)
  }

  /** Drafts of charges that are billed by now. */
  async function updateBilled(sorted: readonly Sorted[]): Promise<void> {
    const billed = sorted.flatMap(({ stored, action }) =>
      action.what === 'billed' && stored?.documentState === 'draft' ? [stored] : [],
    )
    await changes.store(billed)
    await dropDrafts(tx, customerId, billed)
  }

  /** Looks for other invoices that bill the periods of these issued ones. */
  async function compare(issued: readonly StoredInvoice[]): Promise<void> {
    twins.push(...(await readTwins(tx, customerId, issued, names)), ...(await several.twinsOf(issued)))
  }

  /** New rows, and among them those that come into the place of others. */
  async function addNew(sorted: readonly Sorted[]): Promise<void> {
    const ids = await idsFor(
      tx,
      customerId,
      sorted.map(({ invoice: { number, issuer }, stored }) => ({ number, issuer, after: stored?.id })),
    )
    const rows = sorted.map(({ invoice, stored, action }, at) => {
      const isHistory = history === 'all' || invoice.dueDate <= historic
      const identity = { id: ids[at] ?? '', importId: importId ?? null, isHistory }
      return carry(completed(invoice, identity, action.what === 'corrected' ? stored : undefined))
    })
    const issued = rows.flatMap((row, at) =>
      row.documentState === 'issued' ? ofEachAccount(row, sorted[at]?.invoice.accounts) : [],
    )
    await compare(issued)
    for (const row of issued) drafts.see(row, true)
    const replaced = sorted.flatMap(({ stored, action }, at) => {
      const by = rows[at]
      return stored && by && action.what === 'corrected' ? [{ stored, by, problems: action.problems }] : []
    })
    await changes.store(replaced.map(({ stored }) => withoutLines(stored)))
    const live = replaced.filter(({ stored }) => stored.documentState !== 'voided')
    // Voided first, for of those that are not, only one may have the number; linked once the new one is there.
    await overwriteInvoiceRows(
      tx,
      customerId,
      live.map(({ stored }) => asVoided(stored)),
    )
    await addInvoices(tx, customerId, rows)
    recordIssued(tx, customerId, rows)
    await replace(replaced)
  }

  async function replace(
    pairs: readonly { stored: StoredInvoice; by: StoredInvoice; problems?: ImportProblem[] }[],
  ) {
    await overwriteInvoiceRows(
      tx,
      customerId,
      pairs.map(({ stored, by }) => asVoided(stored, by.id)),
    )
    for (const { stored, by, problems = [] } of pairs)
      if (stored.documentState === 'issued')
        await recordVoided(tx, customerId, { invoice: stored, replacedBy: by.id, problems }, requestId)
  }

  /** Supersedes drafts, and sees that no period is billed twice, once all of the file was taken. */
  async function end(): Promise<ImportProblem[]> {
    const [billed, unseenTwins] = partition(
      twins.filter(({ stored }) => !seen.has(stored)),
      ({ stored }) => stored.isNumbered,
    )
    const problems = unseenTwins.flatMap((twin) => twinProblem(twin, correct) ?? [])
    if (problems.length > 0) return problems
    // A numbered invoice may bill all of the period or a part: the rest is not owed until its issuer confirms it.
    const rest = await readStored(
      tx,
      customerId,
      billed.map(({ incoming }) => incoming),
    )
    await overwriteInvoiceRows(
      tx,
      customerId,
      [...rest.values()].map((row) => withoutLines(asDraft(row))),
    )
    const superseded = drafts.superseded(seen).map(({ draft, by }) => ({ stored: draft, incoming: by }))
    const pairs = await readReplaced(tx, customerId, [...unseenTwins, ...superseded])
    const [sums, others] = partition(
      pairs,
      ({ stored }) => !stored.isNumbered && stored.documentState === 'draft',
    )
    await changes.store(sums.map(({ stored }) => stored))
    await changes.store(others.map(({ stored }) => withoutLines(stored)))
    const left = await dropDrafts(
      tx,
      customerId,
      sums.map(({ stored }) => stored),
    )
    await replace([...others, ...sums.filter(({ stored }) => left.has(stored.id))])
    counts.superseded += superseded.length
    counts.voided += pairs.length - superseded.length
    return []
  }

  return { counts, addBatch, end }
}

function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))]
}

type Pair = { invoice: NewInvoice; stored: StoredInvoice }
/** Changes of stored invoices. */
type Changed = { moved: readonly Pair[]; redrafted: readonly Pair[]; voided: readonly StoredInvoice[] }
type With = {
  changes: ReturnType<typeof changesOf>
  /** Adds the posting details that the customer has set. */
  carry(invoice: StoredInvoice): StoredInvoice
}

/**
 * Writes over invoices that are there and stay in their place, and keeps how they were. The lines are written with them
 * where they are others, or where something is known of them that was not.
 * @returns the moved ones, in their order, and the drafts
 */
async function overwriteStored(
  tx: Transaction,
  customerId: CustomerId,
  { moved, redrafted, voided }: Changed,
  { changes, carry }: With,
): Promise<{ headers: StoredInvoice[]; whole: StoredInvoice[] }> {
  const isFilled = moved.map(({ stored, invoice }) => fillsLines(stored, invoice))
  const bare = moved.filter((_, at) => !isFilled[at]).map(({ stored }) => stored)
  const filled = moved.filter((_, at) => isFilled[at])
  await changes.store([...bare, ...voided].map(withoutLines))
  await changes.store([...filled, ...redrafted].map(({ stored }) => stored))
  const headers = moved.map(({ invoice, stored }) => movedTo(stored, invoice))
  const whole = redrafted.map(({ invoice, stored }) => carry(completed(invoice, stored, stored)))
  const alone = headers.filter((_, at) => !isFilled[at])
  await overwriteInvoiceRows(tx, customerId, [...alone, ...voided.map((stored) => asVoided(stored))])
  await overwriteInvoices(tx, customerId, [...whole, ...headers.filter((_, at) => isFilled[at])])
  return { headers, whole }
}

/**
 * Returns problems of invoices that arrive again after they were voided, without a balance, although they had payments:
 * a voided invoice has no balance, so the payments would be lost.
 */
async function missingBalanceProblems(
  tx: Transaction,
  customerId: CustomerId,
  pairs: readonly { invoice: NewInvoice; stored: StoredInvoice | undefined }[],
): Promise<ImportProblem[]> {
  const again = new Map(
    pairs.flatMap(({ invoice, stored }) =>
      stored && comesAgain(invoice, stored) && invoice.balanceAmount === undefined
        ? [[stored.id, invoice] as const]
        : [],
    ),
  )
  if (again.size === 0) return []
  const { rows } = await tx.execute<{ id: string; paid: string; currency: string }>(sql`
    SELECT * FROM (
      SELECT DISTINCT ON (c.invoice_id) c.invoice_id AS id, c.before ->> 'currency' AS currency,
        (c.before ->> 'totalAmount')::numeric - (c.before ->> 'balanceAmount')::numeric AS paid
      FROM import_changes c
      JOIN imports l ON l.customer_id = ${customerId} AND l.id = c.import_id AND l.undone_at IS NULL
      WHERE c.customer_id = ${customerId} AND c.invoice_id = ANY (${sql.param([...again.keys()])}::text[])
        AND c.before ->> 'documentState' = 'issued'
      ORDER BY c.invoice_id, l.created_at DESC, c.position DESC) AS last
    WHERE paid <> 0`)
  return rows.map(({ id, paid, currency }) => ({
    subject: `invoice ${again.get(id)?.number}`,
    reason: `${paid} ${currency} of it was settled before it was voided: give its balance, too`,
  }))
}

function comesAgain({ documentState = 'issued' }: NewInvoice, stored: StoredInvoice): boolean {
  return documentState === 'issued' && stored.documentState === 'voided' && stored.replacedBy === null
}
