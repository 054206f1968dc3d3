import { Badge } from '#components/ui/badge.tsx'
import { visible } from '#components/ui/visible.ts'
import type { Charge } from '#lib/billing/charges/contract.ts'
import { DAY_MS, dayText } from '#lib/platform/values/days.ts'
import { formatAmount, formatDecimal } from '#lib/platform/values/money.ts'

/** Charges as their vendor has them. */
export function ChargeTable({ charges, label }: { charges: readonly Charge[]; label: string }) {
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
                {visible(charge.description ?? charge.serviceName)}
                {isCorrection(charge) ? <Badge tone="info">Correction</Badge> : null}
              </span>
              <span className="block text-xs text-ink-3">{visible(factsOf(charge).join(' · '))}</span>
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

function factsOf(charge: Charge): string[] {
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

/** One day, or the first to the last: the end is exclusive. */
function periodOf({ periodStart, periodEnd }: Charge): string[] {
  if (periodStart === undefined) return []
  const first = dayText(periodStart)
  if (periodEnd === undefined || periodEnd - periodStart <= DAY_MS) return [first]
  return [`${first} – ${dayText(periodEnd - 1)}`]
}
