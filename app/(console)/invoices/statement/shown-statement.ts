import { countText } from '#components/ui/count-text.ts'
import 'server-only'
import { issuerBeside } from '#components/billing/invoices/numbers.ts'
import type { ShownAgeing } from '#components/billing/statements/ageing-table.tsx'
import type { ShownAccount, ShownItem } from '#components/billing/statements/open-items.tsx'
import { hrefOf, isSame, type View } from '#components/billing/statements/view.ts'
import { withValues } from '#components/lists/filters/view.ts'
import type { Ageing, Statement, StatementItem } from '#lib/billing/statements/contract.ts'
import { AGES } from '#lib/billing/statements/rules.ts'
import { daysText } from '#lib/platform/values/days.ts'
import { formatAmount } from '#lib/platform/values/money.ts'

/** A statement as text: what the service has added up exactly. */
export function shownStatement({ currencies, items }: Statement, view: View) {
  return {
    sums: currencies.flatMap((one) => sumsOf(one, view)),
    accounts: accountsOf(currencies, items),
  }
}

/** `1 open item`, `3,412 open items`. */
export function itemsText(count: number): string {
  return `${countText(count)} open ${count === 1 ? 'item' : 'items'}`
}

function sumsOf({ billingProfiles, ...whole }: Statement['currencies'][number], view: View): ShownAgeing[] {
  const { currency } = whole
  const row = (name: string, sums: Ageing, own: View, isTotal = false) => ({
    name,
    currency,
    isTotal,
    count: itemsText(sums.count),
    href: isSame(own, view) ? undefined : hrefOf(own),
    amounts: Object.fromEntries(
      AGES.filter((age) => sums[age].count > 0).map((age) => [
        age,
        formatAmount(sums[age].amountText ?? sums[age].amount, currency),
      ]),
    ),
    balance: formatAmount(sums.balanceAmountText ?? sums.balanceAmount, currency),
  })
  const all = withValues(view, 'currency', [currency])
  const rows = billingProfiles.map((one) => row(one.name, one, withValues(all, 'billingProfile', [one.id])))
  return rows.length > 1 ? [...rows, row(`All in ${currency}`, whole, all, true)] : rows
}

/** The items of the page under their billing profile and currency, in their order. */
function accountsOf(currencies: Statement['currencies'], items: readonly StatementItem[]): ShownAccount[] {
  const names = new Map(currencies.flatMap((one) => one.billingProfiles.map(({ id, name }) => [id, name])))
  const issuerOf = issuerBeside(items)
  const groups = Map.groupBy(items, ({ currency, billingProfileId }) => `${currency} ${billingProfileId}`)
  return [...groups.values()].flatMap((own) => {
    const [first] = own
    if (!first) return []
    const profile = names.get(first.billingProfileId) ?? first.billingProfileId
    return [{ profile, currency: first.currency, items: own.map((item) => shownItem(item, issuerOf(item))) }]
  })
}

function shownItem(item: StatementItem, issuer: string | undefined): ShownItem {
  const { id, number, invoiceDate, dueDate, platform, currency, age, daysPastDue: days } = item
  return {
    id,
    number,
    issuer,
    invoiceDate,
    dueDate: item.totalAmount < 0 ? undefined : dueDate,
    platform,
    isCredit: age === 'credit',
    late: days > 0 ? daysText(days) : undefined,
    total: formatAmount(item.totalAmount, currency),
    balance: formatAmount(item.payableAmount ?? item.balanceAmount, currency),
  }
}
