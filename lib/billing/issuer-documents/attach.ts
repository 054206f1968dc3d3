import 'server-only'
import type { IssuerDocumentKind } from '#lib/billing/invoice-files/rules.ts'
import { digestOf, listStoredFiles, storeFile } from '#lib/billing/invoice-files/store.ts'
import { findKey } from '#lib/billing/invoices/wire-ids.ts'
import { listBillingProfiles } from '#lib/identity/customers/billing-profiles.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { OPERATOR, recordAudit } from '#lib/platform/history/audit.ts'
import { contentOf, MAX_BYTES } from './content.ts'
import { type InputFile, walkFiles } from './input-files.ts'
import { matchInvoices, matchStored, stateOf, stemOf } from './match.ts'

/**
 * Stores the new documents of a plan with an audit row each, in this transaction: all or nothing. Reads each file
 * again.
 * @param paths paths of the plan
 * @throws Problem where a file has changed since the plan, or another operator has attached another document in the
 * meantime
 * @returns the number of stored documents
 */
export async function attachDocuments(
  tx: Transaction,
  customerId: CustomerId,
  {
    paths,
    plan,
    requestId,
    signal,
  }: { paths: readonly string[]; plan: readonly AttachmentPlan[]; requestId: string; signal?: AbortSignal },
): Promise<number> {
  const left = [...plan]
  let stored = 0
  await walkFiles(paths, async ({ place, bytes, read }) => {
    signal?.throwIfAborted()
    const current = left.shift()
    if (current?.place !== place) throw changed(place)
    if (current.result !== 'new') return
    const { invoiceId, kind, name, digest } = current
    const content = await read()
    if (digestOf(content) !== digest) throw changed(place)
    if (!(await storeFile(tx, customerId, { invoiceId, kind, name, bytes: content })))
      throw new Problem(
        'invalid_request',
        `Someone attached an ${kind} to ${invoiceId} at this moment. Nothing was stored; try again.`,
      )
    const event = { action: 'invoice.file-attached', subject: invoiceId, actor: OPERATOR, requestId }
    await recordAudit(tx, customerId, { ...event, details: { kind, name, bytes, digest } })
    stored += 1
  })
  if (left.length > 0) throw changed(left[0]?.place ?? '')
  return stored
}

function changed(location: string): Problem {
  return new Problem(
    'invalid_request',
    `${location} was changed while it was read. Nothing was stored; try again.`,
  )
}

/** Planned result for one file. */
export type AttachmentPlan = { place: string; name: string } & (
  | { result: 'new' | 'same'; kind: IssuerDocumentKind; invoiceId: string; digest: string }
  /** Not read: the file was not meant, but lies in the same folder. */
  | { result: 'left out'; reason: string }
  | { result: 'refused'; reason: string }
)

type Read = { place: string; name: string; kind: IssuerDocumentKind; digest: string }

/**
 * Reads all files one by one, and returns for each the invoice of the document and whether the document is new.
 * @param invoiceId the invoice of all files; without it, each file's name identifies its invoice
 * @throws Problem where `invoiceId` is not an issued invoice of the customer; and the errors of `walkFiles`
 */
export async function planAttachments(
  customerId: CustomerId,
  paths: readonly string[],
  { invoiceId, signal }: { invoiceId?: string | undefined; signal?: AbortSignal } = {},
): Promise<AttachmentPlan[]> {
  const files: (Read | AttachmentPlan)[] = []
  // Before the transaction: it may take longer than one may be idle.
  await walkFiles(paths, async (file) => {
    signal?.throwIfAborted()
    files.push(await looked(file))
  })
  return readScope({ customerId }, async (tx) => {
    const key = invoiceId === undefined ? undefined : await keyOfAll(tx, customerId, invoiceId)
    if (key !== undefined) await checkInvoice(tx, customerId, key)
    const idsOf = key === undefined ? await matched(tx, customerId, files) : () => [key]
    const placeOf = key === undefined ? await findStoredInvoices(tx, customerId, files) : () => undefined
    const readDigests = digestReader(tx, customerId)
    const plans: AttachmentPlan[] = []
    for (const file of files)
      plans.push(
        'result' in file ? file : (placeOf(file) ?? (await placed(file, idsOf(file.name), readDigests))),
      )
    return plans
  })
}

async function placed(
  { place, name, kind, digest }: Read,
  ids: readonly string[],
  readDigests: ReturnType<typeof digestReader>,
): Promise<AttachmentPlan> {
  const reject = (reason: string): AttachmentPlan => ({ place, name, result: 'refused', reason })
  const [invoiceId, ...more] = ids
  if (invoiceId === undefined) return reject('no issued invoice has this id or number')
  if (more.length > 0) return reject(`may be of ${ids.slice(0, 3).join(' or ')}: say which by --invoice`)
  const digests = await readDigests(invoiceId)
  const storedDigest = digests.get(kind)
  if (storedDigest !== undefined && storedDigest !== digest)
    return reject(`${invoiceId} has another ${kind}, which is never written over`)
  // Of two files of this call for one place, the second meets the first.
  digests.set(kind, digest)
  return { place, name, result: storedDigest === undefined ? 'new' : 'same', kind, invoiceId, digest }
}

async function matched(tx: Transaction, customerId: CustomerId, files: readonly { name: string }[]) {
  const matches = await matchInvoices(tx, customerId, new Set(files.map(({ name }) => stemOf(name))))
  return (name: string) => matches.get(stemOf(name)) ?? []
}

/**
 * Returns the invoices that already have the file as their document, by its bytes and name, including invoices voided
 * since.
 */
async function findStoredInvoices(
  tx: Transaction,
  customerId: CustomerId,
  files: readonly (Read | AttachmentPlan)[],
) {
  const digests = files.flatMap((file) => ('result' in file ? [] : [file.digest]))
  const byDigest = Map.groupBy(await matchStored(tx, customerId, digests), ({ digest }) => digest)
  return ({ place, name, kind, digest }: Read): AttachmentPlan | undefined => {
    const match = byDigest.get(digest)?.find((one) => one.kind === kind && one.stems.includes(stemOf(name)))
    return match && { place, name, result: 'same', kind, invoiceId: match.invoiceId, digest }
  }
}

/** Returns a reader of an invoice's stored digests by kind, which caches its reads. */
function digestReader(tx: Transaction, customerId: CustomerId) {
  const cache = new Map<string, Map<string, string>>()
  return async (invoiceId: string) => {
    const digests = cache.get(invoiceId) ?? new Map<string, string>()
    if (!cache.has(invoiceId))
      for (const { kind, digest } of await listStoredFiles(tx, customerId, invoiceId))
        digests.set(kind, digest)
    cache.set(invoiceId, digests)
    return digests
  }
}

async function looked(file: InputFile): Promise<Read | AttachmentPlan> {
  const { place, name, bytes, isNamed, read } = file
  const reject = (reason: string): AttachmentPlan => ({ place, name, result: 'refused', reason })
  if (!isNamed && !/\.(pdf|xml)$/i.test(name))
    return { place, name, result: 'left out', reason: 'is neither .pdf nor .xml' }
  if (bytes > MAX_BYTES) return reject(`has more than ${MAX_BYTES.toLocaleString('en')} bytes`)
  const content = await read()
  const result = contentOf(content)
  if ('error' in result) return reject(result.error)
  return { place, name, kind: result.kind, digest: digestOf(content) }
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
