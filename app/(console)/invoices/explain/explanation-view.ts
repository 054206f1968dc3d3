import 'server-only'
import Big from 'big.js'
import { hrefOf as invoicesHref } from '#components/billing/invoices/view.ts'
import { causeLabel, shareText, signedAmount } from '#components/costs/cause-labels.ts'
import type { CauseView, CurrencyView, GroupView } from '#components/costs/explanations/currency-section.tsx'
import type { View } from '#components/costs/explanations/view.ts'
import { CAUSE_NAMES } from '#lib/costs/causes/rules.ts'
import type { DifferenceCause } from '#lib/costs/causes/serialize.ts'
import type { InvoiceExplanation } from '#lib/costs/explanations/contract.ts'
import { DAY_MS, monthAndYear, monthBegin, monthText } from '#lib/platform/values/days.ts'
import { type Decimal, formatAmount } from '#lib/platform/values/money.ts'

type Explanation = InvoiceExplanation['currencies'][number]

/** Number of causes that are shown; the products with smaller effects are collapsed. */
const MAX_CAUSES = 15
/** Number of causes up to which no summary by kind is needed. */
const MAX_UNGROUPED_CAUSES = 6

/** Notes on whether causes include tax; a tax outside the lines has its own label. */
const TAX_TEXTS = {
  IN_LINES: 'Causes are with tax, as the lines of these invoices are.',
  BESIDE_LINES: 'Causes exclude tax, like the lines of these invoices; tax is shown separately.',
  BOTH: 'Causes include tax where an invoice’s lines do; elsewhere tax is shown separately.',
}

/** Returns an explanation as text, formatted on the server to keep the formatting code out of the browser. */
export function toExplanationView(
  { month, previousMonth, currencies }: InvoiceExplanation,
  view: View,
): CurrencyView[] {
  return currencies.map((one) => {
    const { currency, causes } = one
    const views = causes.map((cause) => toCauseView(cause, currency))
    const isLong = causes.length > MAX_CAUSES + 1
    const rest = isLong ? causes.slice(MAX_CAUSES) : []
    const side = (at: number, count: number, total: Decimal) => ({
      name: monthAndYear(at),
      total: formatAmount(total, currency),
      count: `${count.toLocaleString('en')} ${count === 1 ? 'invoice' : 'invoices'}`,
      href: count > 0 ? listHref(at, currency, view) : undefined,
    })
    return {
      currency,
      from: side(previousMonth, one.fromCount, one.fromAmountText ?? one.fromAmount),
      to: side(month, one.toCount, one.toAmountText ?? one.toAmount),
      effect: signedAmount(one.effectAmountText ?? one.effectAmount, currency),
      share: shareText(one.fromAmount, one.effectAmount),
      groups: causes.length > MAX_UNGROUPED_CAUSES ? groupsOf(one) : [],
      causes: isLong ? views.slice(0, MAX_CAUSES) : views,
      smaller: isLong
        ? {
            name: `${rest.length.toLocaleString('en')} more causes`,
            effect: signedAmount(sumOf(rest), currency),
            causes: views.slice(MAX_CAUSES),
          }
        : undefined,
      unchanged: unchangedText(one.unchangedCount, previousMonth),
      tax: one.tax && TAX_TEXTS[one.tax],
    }
  })
}

function unchangedText(count: number, month: number): string | undefined {
  if (count === 0) return undefined
  const what =
    count === 1 ? '1 product costs what it' : `${count.toLocaleString('en')} products cost what they`
  return `${what} did in ${monthText(month)}.`
}

function toCauseView(cause: DifferenceCause, currency: string): CauseView {
  const { product, platform } = cause
  const effect = signedAmount(exactEffect(cause), currency)
  return { product, platform, ...causeLabel(cause, currency), effect }
}

/** Returns the sums of each kind of cause per platform, the largest first. */
function groupsOf({ causes, currency }: Explanation): GroupView[] {
  const groups = Map.groupBy(causes, ({ platform, cause }) => `${platform} ${cause}`)
  return [...groups.values()]
    .map((members) => ({ members, sum: new Big(sumOf(members)) }))
    .sort((a, b) => b.sum.abs().cmp(a.sum.abs()))
    .flatMap(({ members, sum }) => {
      const [first] = members
      if (!first) return []
      const products = new Set(members.map(({ product }) => product)).size
      return [
        {
          platform: first.platform,
          name: CAUSE_NAMES[first.cause],
          note: products > 1 ? `${products.toLocaleString('en')} products` : first.product,
          effect: signedAmount(sum.toFixed(), currency),
        },
      ]
    })
}

function sumOf(causes: readonly DifferenceCause[]): string {
  return causes.reduce((sum, cause) => sum.plus(exactEffect(cause)), new Big(0)).toFixed()
}

const exactEffect = ({ effectAmount, effectAmountText }: DifferenceCause): Decimal =>
  effectAmountText ?? effectAmount

/** Returns the address of the list with the counted invoices. */
function listHref(month: number, currency: string, { filter }: View): string {
  return invoicesHref({
    filter: { ...filter, currency: [currency] },
    minCreationTime: month,
    maxCreationTime: monthBegin(month, 1) - DAY_MS,
  })
}
