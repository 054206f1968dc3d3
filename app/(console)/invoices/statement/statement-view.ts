import 'server-only'
import { disambiguatingIssuer } from '#components/billing/invoices/numbers.ts'
import type { AgeingView } from '#components/billing/statements/ageing-table.tsx'
import type { AccountView, ItemView } from '#components/billing/statements/open-items.tsx'
import { hrefOf, isSame, type View } from '#components/billing/statements/view.ts'
import { withValues } from '#components/lists/filters/view.ts'
import { countText } from '#components/ui/count-text.ts'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import type { Ageing, Statement, StatementItem } from '#lib/billing/statements/contract.ts'
import { AGES } from '#lib/billing/statements/rules.ts'
import { daysText } from '#lib/platform/values/days.ts'
import { formatAmount, moneyText } from '#lib/platform/values/money.ts'
import { toPaymentView } from '../payment-view.ts'

/** Formats a statement, which the service has added up exactly. */
export function toStatementView({ currencies, items, creditTransfers, credits = [] }: Statement, view: View) {
  const names = namesOf(currencies)
  return {
    sums: currencies.flatMap((one) => sumsOf(one, view)),
    accounts: accountsOf(names, items),
    credits: credits.map(({ currency, amount, amountText }) => moneyText(amountText ?? amount, currency)),
    transfers: creditTransfers.map((transfer) => toTransferView(transfer, currencies, names)),
  }
}

/** `1 open item`, `3,412 open items`. */
export function itemsText(count: number): string {
  return `${countText(count)} open ${count === 1 ? 'item' : 'items'}`
}

function sumsOf({ billingProfiles, ...whole }: Statement['currencies'][number], view: View): AgeingView[] {
  const { currency } = whole
  const row = (name: string, sums: Ageing, rowView: View, isTotal = false) => ({
    name,
    currency,
    isTotal,
    count: itemsText(sums.count),
    href: isSame(rowView, view) ? undefined : hrefOf(rowView),
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
function accountsOf(names: ReadonlyMap<string, string>, items: readonly StatementItem[]): AccountView[] {
  const issuerOf = disambiguatingIssuer(items)
  const groups = Map.groupBy(items, ({ currency, billingProfileId }) => `${currency} ${billingProfileId}`)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (!first) return []
    const profile = names.get(first.billingProfileId) ?? first.billingProfileId
    return [
      { profile, currency: first.currency, items: group.map((item) => toItemView(item, issuerOf(item))) },
    ]
  })
}

function namesOf(currencies: Statement['currencies']): ReadonlyMap<string, string> {
  return new Map(currencies.flatMap((one) => one.billingProfiles.map(({ id, name }) => [id, name])))
}

function toTransferView(
  transfer: Statement['creditTransfers'][number],
  currencies: Statement['currencies'],
  names: ReadonlyMap<string, string>,
) {
  const { billingProfileId: id, payee, iban, currency, count } = transfer
  const sums = currencies.find((one) => one.currency === currency)
  const hasCredit = sums?.billingProfiles.some((one) => one.id === id && one.credit.count > 0)
  const invoices = count === 1 ? '1 open invoice' : `${countText(count)} open invoices`
  return {
    key: [id, payee, iban].join(' '),
    title: `Pay ${invoices} of ${escapeInvisible(names.get(id) ?? id)} to ${escapeInvisible(payee)}`,
    payment: toPaymentView(transfer),
    note: hasCredit ? 'Credits are not deducted: ask the issuer which invoice they settle.' : undefined,
  }
}

function toItemView(item: StatementItem, issuer: string | undefined): ItemView {
  const { id, number, invoiceDate, dueDate, platform, currency, age, daysPastDue: days } = item
  return {
    id,
    number,
    issuer,
    invoiceDate,
    dueDate: item.totalAmount < 0 ? undefined : dueDate,
    platform,
    isCredit: age === 'credit',
    lateness: days > 0 ? daysText(days) : undefined,
    total: formatAmount(item.totalAmount, currency),
    balance: formatAmount(item.payableAmount ?? item.balanceAmount, currency),
  }
}
