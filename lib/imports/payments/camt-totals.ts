import { decimalOf, Exact, type roundMoney } from '#lib/platform/values/decimals.ts'
import { childAt, childrenAt, type Element, textAt } from './camt-elements.ts'

// A bank states the number of entries of a report, and their sum, so a file that has lost some contradicts itself.

type Total = { count: number; sum: ReturnType<typeof roundMoney> }

/** Counts the entries of a report, and compares them with its stated totals. */
export class ReportTotals {
  readonly #entries: { isCredit: boolean; isBooked: boolean; amount: string }[] = []
  #summary: Element | undefined
  #isWhole: boolean

  /** @param isWhole false if the report goes on in another file: its totals include that one */
  constructor(isWhole: boolean) {
    this.#isWhole = isWhole
  }

  addPagination(pagination: Element): void {
    this.#isWhole &&= isOnlyPage(pagination)
  }

  addSummary(summary: Element): void {
    this.#summary = summary
  }

  addEntry(entry: Element): void {
    this.#entries.push({
      isCredit: textAt(entry, 'CdtDbtInd') === 'CRDT',
      isBooked: ['BOOK', undefined].includes(textAt(entry, 'Sts', 'Cd') ?? textAt(entry, 'Sts')),
      amount: textAt(entry, 'Amt') ?? '0',
    })
  }

  /** Returns the reason why the report can't be whole; undefined if nothing contradicts it. */
  error(): string | undefined {
    if (!this.#summary || !this.#isWhole) return undefined
    const credits = this.#entries.filter(({ isCredit }) => isCredit)
    const debits = this.#entries.filter(({ isCredit }) => !isCredit)
    const [all, credited, debited] = ['TtlNtries', 'TtlCdtNtries', 'TtlDbtNtries'].map((name) =>
      childAt(this.#summary as Element, name),
    )
    return (
      differenceFrom(all, this.#entries, 'entries') ??
      differenceFrom(credited, credits, 'credits') ??
      differenceFrom(debited, debits, 'debits')
    )
  }
}

/** Returns whether a page is the first and the last one. */
export function isOnlyPage(pagination: Element): boolean {
  const isLast = ['true', '1', undefined].includes(textAt(pagination, 'LastPgInd'))
  return isLast && Number(textAt(pagination, 'PgNb') ?? '1') === 1
}

/** Some banks count entries that are not booked yet, and others don't. */
function differenceFrom(
  stated: Element | undefined,
  entries: readonly { isBooked: boolean; amount: string }[],
  what: string,
): string | undefined {
  if (!stated) return undefined
  const count = textAt(stated, 'NbOfNtries')
  const sum = textAt(stated, 'Sum')
  const booked = entries.filter(({ isBooked }) => isBooked)
  if ([entries, booked].some((some) => isStated(totalOf(some), count, sum))) return undefined
  const total = totalOf(entries)
  return `states ${count ?? 'some'} ${what} of ${sum ?? 'some amount'}, and has ${total.count} of ${total.sum.toFixed()}`
}

function totalOf(entries: readonly { amount: string }[]): Total {
  const sum = entries.reduce((all, { amount }) => all.plus(decimalOf(amount) ?? 0), new Exact(0))
  return { count: entries.length, sum }
}

function isStated(total: Total, count: string | undefined, sum: string | undefined): boolean {
  const statedSum = sum === undefined ? total.sum : decimalOf(sum)
  return (count === undefined || Number(count) === total.count) && statedSum?.eq(total.sum) === true
}

/**
 * Returns the reason why transactions of a credit must be missing or wrong; undefined if nothing contradicts them. Charges
 * make an entry smaller than its transactions, and nothing makes it larger.
 */
export function entryError(entry: Element, amounts: readonly (string | undefined)[]): string | undefined {
  for (const details of childrenAt(entry, 'NtryDtls')) {
    const count = childrenAt(details, 'TxDtls').length
    const stated = textAt(details, 'Btch', 'NbOfTxs')
    // One may describe all of a batch.
    if (count > 1 && stated !== undefined && Number(stated) !== count)
      return `states ${stated} transactions, and has ${count}`
  }
  const parts = amounts.flatMap((amount) => decimalOf(amount ?? '') ?? [])
  const whole = decimalOf(textAt(entry, 'Amt') ?? '')
  if (!whole || parts.length === 0 || parts.length < amounts.length) return undefined
  const batches = childrenAt(entry, 'NtryDtls').flatMap((details) => childAt(details, 'Btch') ?? [])
  const batchSums = batches.map((batch) => textAt(batch, 'TtlAmt') ?? textAt(batch, 'CtrlSum'))
  const statedSum = batchSums.every((sum) => sum !== undefined) ? batchSums : []
  const sum = parts.reduce((all, part) => all.plus(part), new Exact(0))
  const stated = statedSum.reduce((all, part) => all.plus(decimalOf(part ?? '') ?? 0), new Exact(0))
  if (statedSum.length > 0 && !stated.eq(sum))
    return `states transactions of ${stated.toFixed()}, and has ${sum.toFixed()}`
  const hasCharges = [
    entry,
    ...childrenAt(entry, 'NtryDtls').flatMap((one) => childrenAt(one, 'TxDtls')),
  ].some((one) => childAt(one, 'Chrgs'))
  if (sum.lt(whole) || (sum.gt(whole) && parts.length > 1 && !hasCharges))
    return `is of ${whole.toFixed()}, and its transactions are of ${sum.toFixed()}`
  return undefined
}
