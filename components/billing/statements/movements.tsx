import Link from 'next/link'
import { invoiceHref } from '#components/billing/invoices/view.ts'
import { Day } from '#components/platform/values/times.tsx'
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

/** Row of an account: a movement, or the balance at one of its ends, with amounts as text. */
export type MovementView = {
  key: string
  date: number
  name: string
  invoice: { id: string; number: string } | undefined
  reference: string
  /** Empty for a balance at an end. */
  amount: string
  balance: string
  isBalance: boolean
}

/** Open invoice at the end of the last day, with amounts as text. */
export type OpenItemView = { id: string; number: string; dueDate: number; total: string; balance: string }

/** Movements of one currency between its opening and its closing balance. */
export function Movements({ currency, rows }: { currency: string; rows: readonly MovementView[] }) {
  return (
    <Card className="mb-4">
      <Table label={`Movements in ${currency}`}>
        <TableHeader>
          <TableHeaderCell>Date</TableHeaderCell>
          <TableHeaderCell className="w-full">Movement</TableHeaderCell>
          <TableHeaderCell right>Amount</TableHeaderCell>
          <TableHeaderCell right>Balance, {currency}</TableHeaderCell>
        </TableHeader>
        <TableBody>
          {rows.map(({ key, date, name, invoice, reference, amount, balance, isBalance }) => (
            <Row key={key} className={isBalance ? 'font-[650]' : ''}>
              <Cell placement="left" className="max-md:row-start-2 max-md:text-sm max-md:text-ink-3">
                <Day at={date} />
              </Cell>
              <RowHeaderCell placement="left" className="wrap-anywhere max-md:row-start-1">
                {name} {invoice ? <InvoiceLink {...invoice} /> : null}
                {reference ? (
                  <span className="block text-sm text-ink-3">{escapeInvisible(reference)}</span>
                ) : null}
              </RowHeaderCell>
              <Cell placement={isBalance ? 'gone' : 'right-1'} right number>
                {amount}
              </Cell>
              <Cell
                placement={isBalance ? 'right-1' : 'right-2'}
                right
                number
                className={isBalance ? '' : 'max-md:text-sm max-md:text-ink-3'}
              >
                {isBalance ? null : <span className="md:hidden">Balance </span>}
                {balance}
              </Cell>
            </Row>
          ))}
        </TableBody>
      </Table>
    </Card>
  )
}

/** Open items of one currency at the end of a day. */
export function OpenAtEnd({ currency, rows }: { currency: string; rows: readonly OpenItemView[] }) {
  return (
    <Card className="mb-4">
      <Table label={`Open items in ${currency}`}>
        <TableHeader>
          <TableHeaderCell className="w-full">Invoice</TableHeaderCell>
          <TableHeaderCell>Due</TableHeaderCell>
          <TableHeaderCell right>Total</TableHeaderCell>
          <TableHeaderCell right>Open, {currency}</TableHeaderCell>
        </TableHeader>
        <TableBody>
          {rows.map(({ id, number, dueDate, total, balance }) => (
            <Row key={id}>
              <RowHeaderCell placement="left" className="wrap-anywhere">
                <InvoiceLink id={id} number={number} />
              </RowHeaderCell>
              <Cell placement="left" className="max-md:text-sm max-md:text-ink-3">
                <span className="md:hidden">Due </span>
                <Day at={dueDate} />
              </Cell>
              <Cell placement="right-2" right number className="max-md:text-sm max-md:text-ink-3">
                <span className="md:hidden">Total </span>
                {total}
              </Cell>
              <Cell placement="right-1" right number>
                {balance}
              </Cell>
            </Row>
          ))}
        </TableBody>
      </Table>
    </Card>
  )
}

function InvoiceLink({ id, number }: { id: string; number: string }) {
  return (
    <Link
      href={invoiceHref(id, '')}
      prefetch={false}
      className="inline-block rounded-sm underline decoration-line hover:decoration-current"
    >
      {escapeInvisible(number)}
    </Link>
  )
}
