import { hrefOf, rangeOf, type View, withRange } from '#components/billing/invoices/view.ts'
import { ProductMonths, type ProductView } from '#components/costs/product-months.tsx'
import { rangeText } from '#components/lists/filters/date-range.ts'
import { ProblemNote } from '#components/ui/problem-note.tsx'
import type { BilledProduct } from '#lib/costs/billed-products/contract.ts'
import * as operations from '#lib/costs/billed-products/operations.ts'
import { toProblem } from '#lib/platform/api/error-mapper.ts'
import type { RequestMeta } from '#lib/platform/api/operation.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { logFailure } from '#lib/platform/runtime/log.ts'
import { DAY_MS, monthAndYear, monthBegin } from '#lib/platform/values/days.ts'
import { formatAmount, formatDecimal } from '#lib/platform/values/money.ts'

/** Number of months without a date filter. */
const MONTHS = 12

/** Monthly amounts of the product that a view names: within the view's dates, else of the last twelve months. */
export async function Products({
  view,
  product,
  caller,
  meta,
}: {
  view: View
  product: string
  caller: Caller
  meta: RequestMeta
}) {
  const { minCreationTime: minTime, maxCreationTime, filter = {} } = view
  const hasDates = minTime !== undefined || maxCreationTime !== undefined
  const minCreationTime = hasDates ? minTime : monthBegin(Date.now(), 1 - MONTHS)
  const { platform, issuer, billingProfile, currency } = filter
  const query = {
    product,
    minCreationTime,
    maxCreationTime,
    filter: { platform, issuer, billingProfile, currency },
  }
  try {
    const { body } = await operations.readBilledProducts(caller, { params: {}, query, body: undefined }, meta)
    if (body.products.length === 0) return null
    return (
      <ProductMonths
        title={`Billed for “${product}”, by month`}
        note={`${hasDates ? rangeText(rangeOf(view)) : `The last ${MONTHS} months`}. Lines only, each as it is billed; the list below has the invoices whole.`}
        products={body.products.map((one) => toProductView(one, view))}
        others={body.otherCount}
      />
    )
  } catch (error) {
    const problem = toProblem(error)
    logFailure(problem, error, meta.requestId)
    return (
      <div className="mb-4">
        <ProblemNote
          title="The months are missing"
          detail={`The list below is complete. ${problem.message}`}
          requestId={meta.requestId}
        />
      </div>
    )
  }
}

function toProductView(
  { product, platform, currency, amount, months }: BilledProduct,
  view: View,
): ProductView {
  return {
    name: product,
    platform,
    currency,
    amount: formatAmount(amount, currency),
    months: months.map(({ month, qty, amount: monthAmount, count }) => ({
      month: monthAndYear(month),
      qty: formatDecimal(qty),
      amount: formatAmount(monthAmount, currency),
      invoices: count === 1 ? '1 invoice' : `${count} invoices`,
      href: hrefOf(withRange(view, { from: month, to: monthBegin(month, 1) - DAY_MS })),
    })),
  }
}
