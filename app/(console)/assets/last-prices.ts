import 'server-only'
import type { LastPrice } from '#components/assets/cost.ts'
import { type Caller, may } from '#lib/access/rules.ts'
import type { Trace } from '#lib/api/operation.ts'
import type { AssetListItem } from '#lib/assets/contract.ts'
import { LICENSE_TYPES } from '#lib/assets/rules.ts'
import type { InvoiceWithLines } from '#lib/invoices/contract.ts'
import { listInvoices, readInvoice } from '#lib/invoices/operations.ts'

/** The newest invoice of each platform that sells licenses; none for callers who may not see invoices. */
export async function newestInvoices(caller: Caller, trace: Trace): Promise<InvoiceWithLines[]> {
  if (!may(caller, 'invoice-viewer')) return []
  const invoices = await Promise.all(LICENSE_TYPES.map((platform) => newestInvoice(caller, platform, trace)))
  return invoices.filter((invoice) => invoice !== undefined)
}

/** Undefined also where the latest ones are in several currencies: whose price it is could not be told. */
async function newestInvoice(caller: Caller, platform: string, trace: Trace) {
  const query = { filter: { platform: [platform] }, maxResults: 20 }
  const [newest, ...others] = (await listInvoices(caller, { params: {}, query, body: undefined }, trace)).body
    .invoices
  if (!newest || others.some(({ currency }) => currency !== newest.currency)) return undefined
  const params = { invoice_id: newest.id }
  return (await readInvoice(caller, { params, query: {}, body: undefined }, trace)).body
}

/** What one license of each asset cost when last billed, by asset id: the line that names its product. */
export function lastPrices(assets: readonly AssetListItem[], invoices: readonly InvoiceWithLines[]) {
  const prices: Record<string, LastPrice> = {}
  for (const { id, type, properties } of assets) {
    const subscription = properties?.subscription
    const invoice = invoices.find(({ platform }) => platform === type)
    if (!subscription || !invoice) continue
    const price = priceOf(subscription.SkuName, subscription.Seats.NumberOfSeats, invoice, assets)
    if (price) prices[id] = price
  }
  return prices
}

function priceOf(
  name: string,
  purchased: number,
  invoice: InvoiceWithLines,
  assets: readonly AssetListItem[],
): LastPrice | undefined {
  const names = assets.map(({ properties }) => properties?.subscription?.SkuName.toLowerCase() ?? '')
  const wanted = name.toLowerCase()
  const line = invoice.lineItems.find(({ description, qty, price }) => {
    const text = description.toLowerCase()
    // The longest name wins: "Business Plus" is not billed by the line of "Business Plus Archive".
    const isOther = names.some((other) => other.length > wanted.length && text.includes(other))
    // One unit for many licenses is a sum, not a price.
    return text.includes(wanted) && !isOther && price > 0 && (qty > 1 || (qty === 1 && purchased <= 1))
  })
  if (!line) return undefined
  const { price, currency } = line
  return { price, currency, invoiceId: invoice.id, invoiceDate: invoice.invoiceDate }
}
