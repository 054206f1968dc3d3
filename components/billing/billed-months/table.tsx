import { hrefOf, type View } from '#components/billing/invoices/view.ts'
import { GoLink } from '#components/ui/go-link.tsx'
import {
  Cell,
  Row,
  RowHeaderCell,
  Table,
  TableBody,
  TableHeader,
  TableHeaderCell,
} from '#components/ui/table.tsx'
import type { CurrencySummary } from '#lib/billing/invoices/contract.ts'
import { monthAndYear } from '#lib/platform/values/days.ts'
import { formatAmount } from '#lib/platform/values/money.ts'
import { platformName } from '#lib/platform/values/platforms.ts'
import { platformsOf, viewOfMonth } from './months.ts'

/** Amounts of the plot as a table, newest month first; each month links to its invoices. Collapsed at first. */
export function BilledTable({
  months,
  currency,
  view,
  onNavigate,
}: {
  months: CurrencySummary['months']
  currency: string
  view: View
  onNavigate: (view: View) => void
}) {
  const platforms = platformsOf(months)
  return (
    <details className="-mx-4 border-t border-line not-open:print:hidden">
      <summary className="px-4 py-2.5 text-sm text-ink-2 hover:text-ink">Show as table</summary>
      {/* Many months: the table scrolls, not the page below. */}
      <div className="max-h-80 overflow-auto border-t border-line">
        <Table label={`Billed per month and platform, ${currency}`}>
          <TableHeader>
            <TableHeaderCell>Month</TableHeaderCell>
            {platforms.map((platform) => (
              <TableHeaderCell key={platform} right>
                {platformName(platform)}
              </TableHeaderCell>
            ))}
            <TableHeaderCell right>Total, {currency}</TableHeaderCell>
          </TableHeader>
          <TableBody>
            {months.toReversed().map((one) => {
              const monthView = viewOfMonth(view, one.month)
              const amounts = new Map(
                one.platforms.map(({ platform, totalAmount }) => [platform, totalAmount]),
              )
              return (
                <Row key={one.month}>
                  <RowHeaderCell className="whitespace-nowrap">
                    <GoLink
                      href={hrefOf(monthView)}
                      onNavigate={() => onNavigate(monthView)}
                      className="rounded-sm font-[550] underline-offset-2 hover:underline"
                    >
                      {monthAndYear(one.month)}
                    </GoLink>
                  </RowHeaderCell>
                  {platforms.map((platform) => {
                    const amount = amounts.get(platform)
                    return (
                      <Cell
                        key={platform}
                        placement={amount === undefined ? 'gone' : 'across'}
                        right
                        number
                        className="text-sm text-ink-2 max-md:flex max-md:justify-between max-md:gap-3"
                      >
                        <span className="whitespace-normal md:hidden">{platformName(platform)}</span>
                        {amount === undefined ? '–' : formatAmount(amount, currency)}
                      </Cell>
                    )
                  })}
                  <Cell placement="right-1" right number className="font-semibold">
                    {formatAmount(one.totalAmount, currency)}
                  </Cell>
                </Row>
              )
            })}
          </TableBody>
        </Table>
      </div>
    </details>
  )
}
