import Link from 'next/link'
import { Card } from '#components/ui/card.tsx'
import {
  Cell,
  Row,
  RowHeaderCell,
  Table,
  TableBody,
  TableHeader,
  TableHeaderCell,
  TIGHT_IN_PRINT,
} from '#components/ui/table.tsx'
import { AGE_NAMES, AGES, type Age } from '#lib/billing/statements/rules.ts'
import { isLong } from './view.ts'

/** Sums of one currency as text; an age without items is undefined. */
export type AgeingView = {
  /** Name of a billing profile, or of all of them. */
  name: string
  isTotal: boolean
  currency: string
  /** Address of the statement of only this row; undefined on that page itself. */
  href: string | undefined
  count: string
  amounts: Partial<Record<Age, string>>
  balance: string
}

/** Smaller type for print, where long amounts can't scroll. */
const TIGHT = `${TIGHT_IN_PRINT} print:[&_td]:text-[7pt] print:[&_td_span]:text-[7pt] print:[&_tbody_th]:min-w-20`

/**
 * Open amounts by days past due: a row for each billing profile and currency, and a sum per currency with several rows.
 */
export function AgeingTable({ rows }: { rows: readonly AgeingView[] }) {
  const isTight = rows.some(({ amounts, balance }) => [...Object.values(amounts), balance].some(isLong))
  return (
    // Long amounts may need more room than there is: then the columns scroll, not the page.
    <Card
      className={`mb-5 overflow-x-auto not-print:md:max-xl:[&_td]:text-sm md:max-xl:[&_th]:whitespace-normal max-md:overflow-visible ${isTight ? TIGHT : TIGHT_IN_PRINT}`}
    >
      <Table label="What is open, by days past due">
        <TableHeader>
          <TableHeaderCell>Billing profile</TableHeaderCell>
          {AGES.map((age) => (
            <TableHeaderCell key={age} right>
              {AGE_NAMES[age]}
            </TableHeaderCell>
          ))}
          <TableHeaderCell right>Balance</TableHeaderCell>
        </TableHeader>
        <TableBody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat, places do not
            <AgeingRow key={index} row={row} />
          ))}
        </TableBody>
      </Table>
    </Card>
  )
}

const OVERDUE_AGES: readonly Age[] = ['days1To30', 'days31To60', 'days61To90', 'older']

function AgeingRow({ row: { name, isTotal, currency, href, count, amounts, balance } }: { row: AgeingView }) {
  return (
    <Row className={isTotal ? 'bg-sunken/60 font-semibold' : ''}>
      <RowHeaderCell className="wrap-anywhere md:min-w-32">
        {href === undefined ? (
          name
        ) : (
          <Link
            href={href}
            prefetch={false}
            className="rounded-sm underline decoration-line-2 underline-offset-2 hover:decoration-current"
          >
            {name}
            <span className="sr-only"> in {currency}</span>
          </Link>
        )}
        <span className="block text-xs font-normal text-ink-3">{count}</span>
      </RowHeaderCell>
      {AGES.map((age) => (
        <Cell
          key={age}
          placement={amounts[age] === undefined ? 'gone' : 'across'}
          right
          number
          className="max-md:flex max-md:justify-between max-md:gap-3 max-md:text-sm"
        >
          <span className="font-normal text-ink-2 md:hidden">{AGE_NAMES[age]}</span>
          <span className={OVERDUE_AGES.includes(age) && amounts[age] ? 'text-danger' : ''}>
            {amounts[age] ?? <span className="text-ink-3">–</span>}
          </span>
        </Cell>
      ))}
      <Cell placement="right-1" right number className="font-semibold">
        {balance} <span className="text-xs font-normal text-ink-3">{currency}</span>
      </Cell>
    </Row>
  )
}
