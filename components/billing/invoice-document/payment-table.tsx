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

/** Payment, credit or write-off of an invoice, as text. */
export type PaymentView = {
  id: string
  date: string
  name: string
  /** Reference, and how it was paid; empty if unknown. */
  details: string
  /** Day and reason of its reversal; undefined if it is not reversed. */
  reversal: string | undefined
  amount: string
}

/** Payments, credits and write-offs of an invoice. */
export function PaymentTable({
  rows,
  currency,
  balance,
}: {
  rows: readonly PaymentView[]
  currency: string
  balance: { label: string; amount: string }
}) {
  return (
    <section aria-labelledby="payments" className="mt-4">
      <h2 id="payments" className="mb-1.5 font-semibold">
        Payments and credits
      </h2>
      <Card>
        <Table label="Payments and credits">
          <TableHeader>
            <TableHeaderCell className="w-full">Payment</TableHeaderCell>
            <TableHeaderCell>Date</TableHeaderCell>
            <TableHeaderCell right>Amount ({currency})</TableHeaderCell>
          </TableHeader>
          <TableBody>
            {rows.map(({ id, date, name, details, reversal, amount }) => (
              <Row key={id}>
                <RowHeaderCell placement="left" className="font-normal wrap-anywhere">
                  {name}
                  {details ? (
                    <span className="block text-sm text-ink-3">{escapeInvisible(details)}</span>
                  ) : null}
                  {reversal ? (
                    <span className="block text-sm text-warn">{escapeInvisible(reversal)}</span>
                  ) : null}
                </RowHeaderCell>
                <Cell placement="right-2" className="whitespace-nowrap max-md:text-sm max-md:text-ink-3">
                  {date}
                </Cell>
                <Cell placement="right-1" right number>
                  {reversal ? <s>{amount}</s> : amount}
                </Cell>
              </Row>
            ))}
            <Row className="font-[650]">
              <RowHeaderCell placement="left">{balance.label}</RowHeaderCell>
              <Cell placement="gone" />
              <Cell placement="right-1" right number>
                {balance.amount}
              </Cell>
            </Row>
          </TableBody>
        </Table>
      </Card>
    </section>
  )
}
