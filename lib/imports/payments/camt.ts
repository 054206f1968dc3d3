import { createHash } from 'node:crypto'
import sax from 'sax'
import { ImportError } from '../import-error.ts'
import { childAt, childrenAt, type Element, textAt } from './camt-elements.ts'
import { entryError, isOnlyPage, ReportTotals } from './camt-totals.ts'
import type { BankFile, BankTransaction } from './transaction.ts'

/** Limits of one file: text, depth of its elements, elements of one entry, and entries. */
const MAX_CHARACTERS = 64 * 1024 * 1024
const MAX_DEPTH = 40
const MAX_ENTRY_ELEMENTS = 500_000
const MAX_ENTRIES = 200_000
const MAX_TEXT_LENGTH = 10_000

const NAMESPACE = /^urn:iso:std:iso:20022:tech:xsd:camt\.05[34]\.001\.\d{2}$/
const REPORTS = ['Stmt', 'Ntfctn']
const PAGINATION = /^(Msg|Stmt|Ntfctn)Pgntn$/

/**
 * Reads the credits of bank statements (camt.053) and credit notifications (camt.054), in any version and dialect. A file
 * with a document type is refused, so no entity is ever expanded.
 * @throws ImportError that names the line where the file is another document, is cut off, is too large, or has other
 * entries or transactions than it states
 */
export async function readCamt(text: AsyncIterable<string>): Promise<BankFile> {
  const file: BankFile = { transactions: [], leftOut: [] }
  const parser = sax.parser(true, { xmlns: true, position: true })
  const path: string[] = []
  let account = ''
  let isOnlyMessage = true
  let totals = new ReportTotals(isOnlyMessage)
  let stack: Element[] = []
  let elements = 0
  let entries = 0
  const fail = (reason: string) => new ImportError([{ line: parser.line + 1, reason }])

  parser.onerror = (error) => {
    throw fail(`is not well-formed XML: ${error.message.split('\n', 1)[0]}`)
  }
  parser.ondoctype = () => {
    throw fail('has a document type, which bank statements do not have')
  }
  parser.onopentag = (tag) => {
    const { local, uri, attributes } = tag as sax.QualifiedTag
    if (path.length === 0 && (local !== 'Document' || !NAMESPACE.test(uri)))
      throw fail('is not a camt.053 or camt.054 document')
    if (path.length >= MAX_DEPTH) throw fail(`has elements more than ${MAX_DEPTH} deep`)
    path.push(local)
    if (REPORTS.includes(local)) {
      account = ''
      totals = new ReportTotals(isOnlyMessage)
    }
    const isOfReport = REPORTS.includes(path.at(-2) ?? '')
    const isRead = (isOfReport && (local === 'Ntry' || local === 'TxsSummry')) || PAGINATION.test(local)
    if (stack.length > 0 || isRead) addElement(local, attributes.Ccy?.value)
  }
  const addElement = (name: string, currency: string | undefined) => {
    if (stack.length === 0) {
      elements = 0
      if (name === 'Ntry') entries += 1
    }
    elements += 1
    if (entries > MAX_ENTRIES) throw fail(`has more than ${MAX_ENTRIES} entries`)
    if (elements > MAX_ENTRY_ELEMENTS) throw fail('has an entry that is too large')
    const element: Element = { name, text: '', currency, children: [] }
    stack.at(-1)?.children.push(element)
    stack.push(element)
  }
  const addText = (piece: string) => {
    const element = stack.at(-1)
    if (!element) {
      if (path.at(-1) === 'IBAN' && path.at(-3) === 'Acct') account += piece.trim()
      return
    }
    element.text += piece
    if (element.text.length > MAX_TEXT_LENGTH)
      throw fail(`has a text of more than ${MAX_TEXT_LENGTH} characters`)
  }
  parser.ontext = addText
  parser.oncdata = addText
  parser.onclosetag = () => {
    const closed = path.pop() ?? ''
    const reason = REPORTS.includes(closed) ? totals.error() : undefined
    if (reason) throw fail(reason)
    const element = stack.pop()
    if (!element || stack.length > 0) return
    stack = []
    if (element.name === 'MsgPgntn') isOnlyMessage = isOnlyPage(element)
    else if (PAGINATION.test(element.name)) totals.addPagination(element)
    else if (element.name === 'TxsSummry') totals.addSummary(element)
    else {
      totals.addEntry(element)
      readEntry(element, { account, location: `entry ${entries}`, line: parser.line + 1 }, file)
    }
  }

  let length = 0
  for await (const chunk of text) {
    length += chunk.length
    if (length > MAX_CHARACTERS) throw fail('is larger than 64 MiB')
    parser.write(chunk)
  }
  parser.close()
  if (path.length > 0 || length === 0) throw fail('ends before its end')
  return file
}

type EntryContext = { account: string; location: string; line: number }

/** Adds the transactions of an entry to the file, or the reason why it is left out. */
function readEntry(entry: Element, { account, location, line }: EntryContext, file: BankFile): void {
  const reason = exclusionOf(entry)
  if (reason) {
    file.leftOut.push({ location, line, reason, reference: entryReferenceOf(entry) })
    return
  }
  const amount = childAt(entry, 'Amt')
  const paidOn = dayOf(entry)
  if (!amount?.text || !amount.currency || !paidOn)
    throw new ImportError([{ line, reason: `${location} has no amount, currency or date` }])
  const whole = { amount: amount.text.trim(), currency: amount.currency, paidOn, line }
  const details = detailsOf(entry)
  const wrong = entryError(
    entry,
    details.map((detail) => signedAmount(detail, amount.currency)),
  )
  if (wrong) throw new ImportError([{ line, reason: `${location} ${wrong}` }])
  const [first, second] = details
  if (first && second) {
    readParts(entry, details, { ...whole, account, location }, file)
    return
  }
  const reference = (first && bankReference(first)) ?? textAt(entry, 'AcctSvcrRef')
  const fields = first ? fieldsOf(first) : {}
  file.transactions.push(
    withReference({ ...fields, ...whole, location }, reference, [account, textAt(entry, 'NtryRef')]),
  )
}

/** Returns the reason why an entry is no payment; undefined if it is one. */
function exclusionOf(entry: Element): string | undefined {
  const status = textAt(entry, 'Sts', 'Cd') ?? textAt(entry, 'Sts')
  const isReversal = ['true', '1'].includes(textAt(entry, 'RvslInd') ?? '')
  if (status && status !== 'BOOK') return 'is not booked yet'
  if (textAt(entry, 'CdtDbtInd') !== 'CRDT')
    return isReversal ? 'returns a credit: reverse its payment' : 'is a debit'
  if (isReversal) return 'returns a debit'
  const details = detailsOf(entry)
  if (details.length > 1 && details.some((detail) => !partAmount(detail, childAt(entry, 'Amt')?.currency)))
    return 'has several transactions without amounts of their own in its currency'
  return undefined
}

type Whole = EntryContext & { currency: string; paidOn: string }

/** Adds the transactions of an entry that has several. */
function readParts(
  entry: Element,
  details: readonly Element[],
  { account, location, line, currency, paidOn }: Whole,
  file: BankFile,
): void {
  const entryReference = textAt(entry, 'AcctSvcrRef')
  const references = details.map(bankReference)
  for (const [index, detail] of details.entries()) {
    const part = `${location}, transaction ${index + 1}`
    if ((textAt(detail, 'CdtDbtInd') ?? 'CRDT') !== 'CRDT') {
      file.leftOut.push({ location: part, line, reason: 'is a debit', reference: bankReference(detail) })
      continue
    }
    const amount = partAmount(detail, currency) ?? ''
    const reference = referenceOfPart(references, index, entryReference)
    const values = { amount, currency, paidOn, location: part, line }
    file.transactions.push(
      withReference({ ...fieldsOf(detail), ...values }, reference, [account, textAt(entry, 'NtryRef')]),
    )
  }
}

/** Returns the bank's reference of a transaction; where others of the entry share it, with its position. */
function referenceOfPart(
  references: readonly (string | undefined)[],
  index: number,
  entryReference: string | undefined,
): string | undefined {
  const reference = references[index]
  const isUnique = references.filter((one) => one === reference).length === 1
  if (reference !== undefined && isUnique) return reference
  const shared = reference ?? entryReference
  return shared && `${shared}/${index + 1}`
}

function detailsOf(entry: Element): Element[] {
  return childrenAt(entry, 'NtryDtls').flatMap((one) => childrenAt(one, 'TxDtls'))
}

function partAmount(detail: Element, currency: string | undefined): string | undefined {
  const amount = childAt(detail, 'Amt') ?? childAt(detail, 'AmtDtls', 'TxAmt', 'Amt')
  return amount?.currency === currency ? amount?.text.trim() || undefined : undefined
}

/** Returns the amount of a transaction, below 0 for a debit within a credit. */
function signedAmount(detail: Element, currency: string | undefined): string | undefined {
  const amount = partAmount(detail, currency)
  const isDebit = textAt(detail, 'CdtDbtInd') === 'DBIT'
  return amount && isDebit ? `-${amount}` : amount
}

function entryReferenceOf(entry: Element): string | undefined {
  return textAt(entry, 'AcctSvcrRef') ?? textAt(entry, 'NtryRef')
}

/** Returns the value date of an entry, or the day on which it was booked if that is earlier. */
function dayOf(entry: Element): string | undefined {
  const dates = ['ValDt', 'BookgDt'].flatMap(
    (name) => (textAt(entry, name, 'Dt') ?? textAt(entry, name, 'DtTm'))?.slice(0, 10) ?? [],
  )
  return dates.toSorted()[0]
}

type Details = Pick<BankTransaction, 'payer' | 'endToEndId' | 'remittance' | 'documentNumbers'>

function fieldsOf(detail: Element): Details {
  const parties = childAt(detail, 'RltdPties')
  const payer =
    parties &&
    (textAt(parties, 'Dbtr', 'Nm') ??
      textAt(parties, 'Dbtr', 'Pty', 'Nm') ??
      textAt(parties, 'UltmtDbtr', 'Nm') ??
      textAt(parties, 'UltmtDbtr', 'Pty', 'Nm'))
  const remittances = childrenAt(detail, 'RmtInf')
  const structured = remittances.flatMap((one) => childrenAt(one, 'Strd'))
  const numbers = structured.flatMap((one) => [
    ...childrenAt(one, 'RfrdDocInf').flatMap((document) => textAt(document, 'Nb') ?? []),
    textAt(one, 'CdtrRefInf', 'Ref') ?? [],
  ])
  const texts = remittances.flatMap((one) => childrenAt(one, 'Ustrd').map(({ text }) => text.trim()))
  return {
    payer,
    endToEndId: provided(textAt(detail, 'Refs', 'EndToEndId')),
    remittance: texts.join(' ') || undefined,
    documentNumbers: numbers.flat(),
  }
}

function bankReference(detail: Element): string | undefined {
  return (
    provided(textAt(detail, 'Refs', 'AcctSvcrRef')) ??
    provided(textAt(detail, 'Refs', 'UETR')) ??
    provided(textAt(detail, 'Refs', 'TxId'))
  )
}

/** Text of a bank in place of a missing reference. */
const NOT_PROVIDED = /^(not ?provided|noref|none|nonref)$/i

function provided(text: string | undefined): string | undefined {
  return text === undefined || NOT_PROVIDED.test(text) ? undefined : text
}

/**
 * Gives a transaction without a bank reference one that is made of its content, so that it is read once. The number of its
 * entry is content, for banks count from 1 in each statement.
 */
function withReference(
  transaction: Omit<BankTransaction, 'reference'>,
  reference: string | undefined,
  context: readonly (string | undefined)[],
): BankTransaction {
  if (reference) return { ...transaction, reference }
  const { paidOn, amount, currency, payer, endToEndId, remittance } = transaction
  const content = JSON.stringify([...context, paidOn, amount, currency, payer, endToEndId, remittance])
  return {
    ...transaction,
    reference: `derived:${createHash('sha256').update(content).digest('hex').slice(0, 24)}`,
  }
}
