import { epochOfDay } from '#lib/platform/values/days.ts'
import { Exact, summed } from '#lib/platform/values/decimals.ts'
import type { AccountOfDays } from './contract.ts'
import type { AccountSums, Movement, OpenAtEnd } from './store.ts'

/** Account of one currency: amounts are exact decimal text, each movement with the balance after it. */
export type Account = AccountSums & { movements: (Movement & { balance: string })[]; openItems: OpenAtEnd[] }

/** Puts the parts of an account together, by currency. */
export function accountsOf(
  sums: readonly AccountSums[],
  movements: readonly Movement[],
  openItems: readonly OpenAtEnd[],
): Account[] {
  const isEmpty = ({ opening, closing, credit }: AccountSums) =>
    [opening, closing, credit].every((one) => one === '0')
  const accounts = sums.map((one) => {
    let balance = new Exact(one.opening)
    const inCurrency = movements.filter(({ currency }) => currency === one.currency)
    return {
      ...one,
      movements: inCurrency.map((movement) => {
        balance = balance.plus(movement.amount)
        return { ...movement, balance: balance.toFixed() }
      }),
      openItems: openItems.filter(({ currency }) => currency === one.currency),
    }
  })
  return accounts.filter((one) => !isEmpty(one) || one.movements.length > 0 || one.openItems.length > 0)
}

/** Returns an account statement on the wire. */
export function serializeAccounts(
  days: { from: string; to: string },
  accounts: readonly Account[],
): AccountOfDays {
  return {
    from: epochOfDay(days.from),
    to: epochOfDay(days.to),
    currencies: accounts.map(({ currency, opening, closing, credit, movements, openItems }) => ({
      currency,
      ...summed('openingAmount', opening),
      ...summed('closingAmount', closing),
      ...summed('creditAmount', credit),
      movements: movements.map(serializeMovement),
      openItems: openItems.map((item) => ({
        invoiceId: item.invoiceId,
        number: item.number,
        issuer: item.issuer,
        billingProfileId: item.billingProfileId,
        invoiceDate: epochOfDay(item.invoiceDate),
        dueDate: epochOfDay(item.dueDate),
        totalAmount: Number(item.total),
        balanceAmount: Number(item.balance),
      })),
    })),
  }
}

function serializeMovement(movement: Movement & { balance: string }) {
  const { day, kind, amount, balance, billingProfileId, invoiceId, number, reference } = movement
  return {
    date: epochOfDay(day),
    kind,
    amount: Number(amount),
    balanceAmount: Number(balance),
    ...(billingProfileId === null ? {} : { billingProfileId }),
    ...(invoiceId === null ? {} : { invoiceId }),
    ...(number === null ? {} : { number }),
    ...(reference === null ? {} : { reference }),
  }
}
