'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Badge } from '#components/ui/badge.tsx'
import { Button } from '#components/ui/button.tsx'
import { countText } from '#components/ui/count-text.ts'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { ProblemNote } from '#components/ui/problem-note.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import type { Charge } from '#lib/billing/charges/contract.ts'
import { listCharges } from '#lib/billing/client.ts'
import { DAY_MS, dayText } from '#lib/platform/values/days.ts'
import { formatAmount, formatDecimal } from '#lib/platform/values/money.ts'

/** Number of charges shown per page: a line may have a hundred thousand. */
const PAGE_SIZE = 20

/** Selects charges of an invoice: those of a line, those without a line, or all. */
export type Charges = {
  invoiceId: string
  line?: string | undefined
  withoutLine?: boolean | undefined
  /** Number of charges, and their subject. */
  count: number
  label: string
}

/** Charges of an invoice, paginated, read when opened. */
export function ChargeList({ invoiceId, line, withoutLine, count, label }: Charges) {
  const [pageToken, setPageToken] = useState<string>()
  const input = {
    params: { invoice_id: invoiceId },
    query: {
      ...(line === undefined ? {} : { line }),
      ...(withoutLine ? { withoutLine: 'true' as const } : {}),
      maxResults: PAGE_SIZE,
      ...(pageToken ? { pageToken } : {}),
    },
  }
  const { data, error, refetch, isPlaceholderData } = useQuery({
    queryKey: listCharges.key(input),
    queryFn: ({ signal }) => listCharges(input, signal),
    placeholderData: keepPreviousData,
  })
  if (error)
    return (
      <ProblemNote
        title="The charges could not be read"
        detail={error.message}
        action={<Button onClick={() => refetch()}>Try again</Button>}
      />
    )
  if (!data) return <SkeletonRows count={Math.min(count, 3)} />
  const { charges, previousPageToken, pageToken: next } = data
  return (
    <div aria-busy={isPlaceholderData}>
      <ChargeTable charges={charges} label={label} />
      {previousPageToken || next ? (
        <nav
          aria-label={`Pages of ${label}`}
          className="flex flex-wrap items-center justify-between gap-2 px-3 py-2"
        >
          <span role="status" className="text-xs text-ink-3 tabular-nums">
            {`${countText(charges.length)} of ${countText(count)}, the dearest first`}
          </span>
          <span className="flex gap-2">
            <Button disabled={!previousPageToken} onClick={() => setPageToken(previousPageToken)}>
              Previous
            </Button>
            <Button disabled={!next} onClick={() => setPageToken(next)}>
              Next
            </Button>
          </span>
        </nav>
      ) : null}
    </div>
  )
}

/** Table of charges as provided by the vendor. */
function ChargeTable({ charges, label }: { charges: readonly Charge[]; label: string }) {
  return (
    <table
      aria-label={label}
      className="w-full border-collapse text-sm [&_td]:border-t [&_td]:border-line [&_td]:px-3 [&_td]:py-2 [&_td]:align-top [&_th]:px-3 [&_th]:text-left [&_thead_th]:py-1.5 [&_thead_th]:text-xs [&_thead_th]:font-medium [&_thead_th]:text-ink-3 [&_tbody_th]:border-t [&_tbody_th]:border-line [&_tbody_th]:py-2 [&_tbody_th]:align-top [&_tbody_th]:font-normal"
    >
      <thead>
        <tr>
          <th scope="col" className="w-full">
            Charge
          </th>
          <th scope="col" className="text-right! whitespace-nowrap">
            Cost ({charges[0]?.currency})
          </th>
        </tr>
      </thead>
      <tbody>
        {charges.map((charge) => (
          <tr key={charge.position}>
            <th scope="row" className="wrap-anywhere">
              <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
                {escapeInvisible(charge.description ?? charge.serviceName)}
                {isCorrection(charge) ? <Badge tone="info">Correction</Badge> : null}
              </span>
              <span className="block text-xs text-ink-3">
                {escapeInvisible(chargeDetails(charge).join(' · '))}
              </span>
            </th>
            <td className="text-right whitespace-nowrap tabular-nums">
              {formatAmount(charge.amount, charge.currency)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function isCorrection({ chargeClass }: Charge): boolean {
  return chargeClass?.toLowerCase() === 'correction'
}

function chargeDetails(charge: Charge): string[] {
  const { chargeCategory, serviceName, description, subAccount, billingAccount, quantity, unit } = charge
  return [
    chargeCategory,
    ...(charge.chargeClass === undefined || isCorrection(charge) ? [] : [charge.chargeClass]),
    ...(description === undefined || description === serviceName ? [] : [serviceName]),
    ...periodOf(charge),
    subAccount === undefined ? `Account ${billingAccount}` : `Sub-account ${subAccount}`,
    ...(quantity === undefined ? [] : [[formatDecimal(quantity), unit].filter(Boolean).join(' ')]),
    ...Object.entries(charge.tags ?? {}).map(([key, value]) => `${key}: ${value}`),
  ]
}

/** Returns one day, or the first and the last: the end of the period is exclusive. */
function periodOf({ periodStart, periodEnd }: Charge): string[] {
  if (periodStart === undefined) return []
  const first = dayText(periodStart)
  if (periodEnd === undefined || periodEnd - periodStart <= DAY_MS) return [first]
  return [`${first} – ${dayText(periodEnd - 1)}`]
}
