import 'server-only'
import type { MovementView, OpenItemView } from '#components/billing/statements/movements.tsx'
import type { AccountOfDays } from '#lib/billing/account-statements/contract.ts'
import { MOVEMENT_NAMES } from '#lib/billing/account-statements/rules.ts'
import { formatAmount, moneyText } from '#lib/platform/values/money.ts'

type Account = AccountOfDays['currencies'][number]

/** Formats an account of one currency, which the service has added up exactly. */
export function toAccountView({ from, to }: AccountOfDays, account: Account) {
  const { currency, movements, openItems } = account
  const [opening, closing] = [
    account.openingAmountText ?? account.openingAmount,
    account.closingAmountText ?? account.closingAmount,
  ]
  const balanceRow = (name: string, date: number, balance: string | number): MovementView => ({
    ...{ key: name, date, name, invoice: undefined, reference: '', amount: '', isBalance: true },
    balance: formatAmount(balance, currency),
  })
  const rows: MovementView[] = [
    balanceRow('Opening balance', from, opening),
    ...movements.map(({ date, kind, amount, balanceAmount, invoiceId, number, reference }, at) => ({
      key: String(at),
      date,
      name: invoiceId === undefined ? `${MOVEMENT_NAMES[kind]}, credit` : MOVEMENT_NAMES[kind],
      invoice: invoiceId === undefined ? undefined : { id: invoiceId, number: number ?? invoiceId },
      reference: reference ?? '',
      amount: formatAmount(amount, currency),
      balance: formatAmount(balanceAmount, currency),
      isBalance: false,
    })),
    balanceRow('Closing balance', to, closing),
  ]
  const items: OpenItemView[] = openItems.map(
    ({ invoiceId, number, dueDate, totalAmount, balanceAmount }) => ({
      id: invoiceId,
      number,
      dueDate,
      total: formatAmount(totalAmount, currency),
      balance: formatAmount(balanceAmount, currency),
    }),
  )
  const credit = account.creditAmountText ?? account.creditAmount
  return {
    currency,
    rows,
    items,
    credit:
      Number(credit) === 0
        ? undefined
        : `${moneyText(credit, currency)} of credit is not assigned to an invoice.`,
  }
}
