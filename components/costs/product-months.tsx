import { ChevronRight } from 'lucide-react'
import Link from 'next/link'
import { PlatformIcon } from '#components/platform/values/platform-icon.tsx'
import { Card } from '#components/ui/card.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import {
  Cell,
  Row,
  RowHeaderCell,
  Table,
  TableBody,
  TableHeader,
  TableHeaderCell,
} from '#components/ui/table.tsx'

/** Product with its months, as text. */
export type ProductView = {
  name: string
  platform: string
  currency: string
  amount: string
  months: readonly { month: string; qty: string; amount: string; invoices: string; href: string }[]
}

const DISCLOSURE_CLASS =
  'border-t border-line [&_summary]:grid [&_summary]:grid-cols-[auto_1fr_auto] [&_summary]:items-center [&_summary]:gap-x-2.5 [&_summary]:px-4 [&_summary]:py-2.5 [&_summary]:hover:bg-sunken/50 max-md:[&_summary]:px-3.5 [&_summary::-webkit-details-marker]:hidden [&[open]>summary>svg]:rotate-90 print:[&::details-content]:block print:[&::details-content]:[content-visibility:visible]'

/**
 * Monthly amounts of each product. A single product, or the first of several, is expanded.
 * @param others number of further products that are not shown
 */
export function ProductMonths({
  title,
  note,
  products,
  others,
}: {
  title: string
  note: string
  products: readonly ProductView[]
  others: number
}) {
  return (
    <Card className="mb-3.5 overflow-hidden">
      <section aria-label={title}>
        <div className="px-4 py-3 max-md:px-3.5">
          <h2 className="font-[650] wrap-anywhere">{title}</h2>
          <p className="text-xs text-ink-3">{note}</p>
        </div>
        {products.map((product, index) => (
          <Product
            key={`${product.name} ${product.platform} ${product.currency}`}
            {...product}
            open={index === 0}
          />
        ))}
        {others > 0 ? (
          <p className="border-t border-line px-4 py-2.5 text-xs text-ink-2 max-md:px-3.5">
            {`${others} more ${others === 1 ? 'product has' : 'products have'} these words. Write more of the name.`}
          </p>
        ) : null}
      </section>
    </Card>
  )
}

function Product({ name, platform, currency, amount, months, open }: ProductView & { open: boolean }) {
  return (
    <details open={open} className={DISCLOSURE_CLASS}>
      <summary>
        <ChevronRight aria-hidden="true" className="size-4 shrink-0 text-ink-3" />
        <span className="min-w-0 wrap-anywhere">
          <span className="font-[550]">{escapeInvisible(name)}</span>
          <span className="block text-xs text-ink-3">
            <PlatformIcon slug={platform} />
          </span>
        </span>
        <span className="font-semibold whitespace-nowrap tabular-nums">
          {amount} <span className="text-xs font-normal text-ink-3">{currency}</span>
        </span>
      </summary>
      <div className="border-t border-line bg-sunken/40">
        <Table label={`${escapeInvisible(name)} in ${currency}, by month`}>
          <TableHeader>
            <TableHeaderCell className="pl-10.5">Month</TableHeaderCell>
            <TableHeaderCell>Invoices</TableHeaderCell>
            <TableHeaderCell right>Quantity</TableHeaderCell>
            <TableHeaderCell right>Amount</TableHeaderCell>
          </TableHeader>
          <TableBody>
            {months.map(({ month, qty, amount: monthAmount, invoices, href }) => (
              <Row key={month}>
                <RowHeaderCell className="md:pl-10.5">{month}</RowHeaderCell>
                <Cell className="text-sm">
                  <Link
                    href={href}
                    prefetch={false}
                    className="rounded-sm underline decoration-line-2 underline-offset-2 hover:decoration-current"
                  >
                    {invoices}
                    <span className="sr-only"> of {month}</span>
                  </Link>
                </Cell>
                <Cell placement="right-2" right number className="text-sm text-ink-2">
                  <span className="md:hidden">× </span>
                  {qty}
                </Cell>
                <Cell placement="right-1" right number>
                  {monthAmount}
                </Cell>
              </Row>
            ))}
          </TableBody>
        </Table>
      </div>
    </details>
  )
}
