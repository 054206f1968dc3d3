import 'server-only'
import type { OriginalKind } from '#lib/billing/invoice-files/rules.ts'
import { digestOf, listKept } from '#lib/billing/invoice-files/store.ts'
import { findKey } from '#lib/billing/invoices/wire-ids.ts'
import { listBillingProfiles } from '#lib/identity/customers/billing-profiles.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { contentOf, MOST_BYTES } from './content.ts'
import { type GivenFile, visitFiles } from './given-files.ts'
import { matchInvoices, matchKept, stateOf, stemOf } from './match.ts'

/** What one given file comes to. */
export type Planned = { place: string; name: string } & (
  | { result: 'new' | 'same'; kind: OriginalKind; invoiceId: string; digest: string }
  /** Not looked at: it is beside what was meant. */
  | { result: 'left out'; reason: string }
  | { result: 'refused'; reason: string }
)

type Read = { place: string; name: string; kind: OriginalKind; digest: string }

/**
 * Reads all files, one at a time, and says of each which invoice's document it is, and whether it is new there.
 * @param invoiceId whose they all are; without it, each file's name tells
 * @throws Problem where `invoiceId` is no invoice of the customer, or a draft; and what `visitFiles` throws
 */
export async function planOriginals(
  customerId: CustomerId,
  paths: readonly string[],
  { invoiceId, signal }: { invoiceId?: string | undefined; signal?: AbortSignal } = {},
): Promise<Planned[]> {
  const files: (Read | Planned)[] = []
  // Before the transaction: it may take longer than one may be idle.
  await visitFiles(paths, async (file) => {
    signal?.throwIfAborted()
    files.push(await looked(file))
  })
  return readScope({ customerId }, async (tx) => {
    const key = invoiceId === undefined ? undefined : await keyOfAll(tx, customerId, invoiceId)
    if (key !== undefined) await checkInvoice(tx, customerId, key)
    const idsOf = key === undefined ? await matched(tx, customerId, files) : () => [key]
    const placeOf = key === undefined ? await keptPlaces(tx, customerId, files) : () => undefined
    const kept = keptDigests(tx, customerId)
    const planned: Planned[] = []
    for (const file of files)
      planned.push('result' in file ? file : (placeOf(file) ?? (await placed(file, idsOf(file.name), kept))))
    return planned
  })
}

async function placed(
  { place, name, kind, digest }: Read,
  ids: readonly string[],
  kept: ReturnType<typeof keptDigests>,
): Promise<Planned> {
  const refused = (reason: string): Planned => ({ place, name, result: 'refused', reason })
  const [invoiceId, ...more] = ids
  if (invoiceId === undefined) return refused('no issued invoice has this id or number')
  if (more.length > 0) return refused(`may be of ${ids.slice(0, 3).join(' or ')}: say which by --invoice`)
  const digests = await kept(invoiceId)
  const known = digests.get(kind)
  if (known !== undefined && known !== digest)
    return refused(`${invoiceId} has another ${kind}, which is never written over`)
  // Of two files of this call for one place, the second meets the first.
  digests.set(kind, digest)
  return { place, name, result: known === undefined ? 'new' : 'same', kind, invoiceId, digest }
}

async function matched(tx: Transaction, customerId: CustomerId, files: readonly { name: string }[]) {
  const matches = await matchInvoices(tx, customerId, new Set(files.map(({ name }) => stemOf(name))))
  return (name: string) => matches.get(stemOf(name)) ?? []
}

/** Whose document a file is already, by its bytes and its name: also of one that was voided since. */
async function keptPlaces(tx: Transaction, customerId: CustomerId, files: readonly (Read | Planned)[]) {
  const digests = files.flatMap((file) => ('result' in file ? [] : [file.digest]))
  const known = Map.groupBy(await matchKept(tx, customerId, digests), ({ digest }) => digest)
  return ({ place, name, kind, digest }: Read): Planned | undefined => {
    const found = known.get(digest)?.find((one) => one.kind === kind && one.stems.includes(stemOf(name)))
    return found && { place, name, result: 'same', kind, invoiceId: found.invoiceId, digest }
  }
}

/** What is stored of an invoice, by kind: asked for once. */
function keptDigests(tx: Transaction, customerId: CustomerId) {
  const known = new Map<string, Map<string, string>>()
  return async (invoiceId: string) => {
    const kept = known.get(invoiceId) ?? new Map<string, string>()
    if (!known.has(invoiceId))
      for (const { kind, digest } of await listKept(tx, customerId, invoiceId)) kept.set(kind, digest)
    known.set(invoiceId, kept)
    return kept
  }
}

async function looked(file: GivenFile): Promise<Read | Planned> {
  const { place, name, bytes, isNamed, read } = file
  const refused = (reason: string): Planned => ({ place, name, result: 'refused', reason })
  if (!isNamed && !/\.(pdf|xml)$/i.test(name))
    return { place, name, result: 'left out', reason: 'is neither .pdf nor .xml' }
  if (bytes > MOST_BYTES) return refused(`has more than ${MOST_BYTES.toLocaleString('en')} bytes`)
  const content = await read()
  const found = contentOf(content)
  if ('fault' in found) return refused(found.fault)
  return { place, name, kind: found.kind, digest: digestOf(content) }
}

/** The key of what an id leads to, of all billing profiles; of one that leads to nothing, itself. */
async function keyOfAll(tx: Transaction, customerId: CustomerId, id: string): Promise<string> {
  const profiles = await listBillingProfiles(tx, customerId)
  return (await findKey(tx, { customerId, billingProfiles: profiles.map((one) => one.id) }, id)) ?? id
}

async function checkInvoice(tx: Transaction, customerId: CustomerId, id: string): Promise<void> {
  const state = await stateOf(tx, customerId, id)
  if (state === undefined) throw new Problem('not_found', `There is no invoice "${id}".`)
  if (state === 'draft')
    throw new Problem('invalid_request', `The invoice "${id}" is a draft, of which no issuer has a document.`)
}
