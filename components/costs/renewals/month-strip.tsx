import { Card } from '#components/ui/card.tsx'
import { GoLink } from '#components/ui/go-link.tsx'
import type { RenewalList } from '#lib/costs/renewals/contract.ts'
import { countText, plansText } from '#lib/costs/renewals/format.ts'
import { monthName } from '#lib/platform/values/days.ts'
import { beginOf, hrefOf, type View } from './view.ts'

type Month = RenewalList['months'][number]
type MonthStripProps = { months: readonly Month[]; view: View; onNavigate: (view: View) => void }

/** Height in pixels. */
const BAR = 16

/**
 * Year of months with the licenses whose commitment ends, the idle ones in another shade. Months with licenses link to
 * their plans.
 */
export function MonthStrip({ months, view, onNavigate }: MonthStripProps) {
  const most = Math.max(1, ...months.map(({ licenses }) => licenses))
  return (
    <Card className="mb-3 print:hidden">
      <nav aria-label="Months" className="relative overflow-x-auto p-1">
        <h2 className="sr-only">Licenses by the month in which their commitment ends</h2>
        {/* On a phone the months scroll within their card: the plans have priority. */}
        <ol className="grid auto-cols-[minmax(4.5rem,1fr)] grid-flow-col gap-0.5">
          {months.map((month) => (
            <li key={month.month}>
              <Slot month={month} most={most} view={view} onNavigate={onNavigate} />
            </li>
          ))}
        </ol>
      </nav>
    </Card>
  )
}

function withoutPeriod({ month: _, quarter: __, ...view }: View): View {
  return view
}

/** The selected month uses its current color, which may be a system color. */
const QUIET = 'text-xs text-ink-3 group-aria-[current]:text-current'
const SLOT = 'block h-full rounded-control border px-1 py-1 text-center tabular-nums'

function Slot({
  month,
  most,
  view,
  onNavigate,
}: Omit<MonthStripProps, 'months'> & { month: Month; most: number }) {
  const { count, licenses, idle } = month
  const begin = beginOf(month.month)
  const name = monthName(begin)
  const year = new Date(begin).getUTCFullYear()
  const bar = <Bar licenses={licenses} idle={idle} most={most} />
  const named = (
    <span className={`block whitespace-nowrap ${QUIET}`}>
      {name} {year}
    </span>
  )
  if (count === 0)
    return (
      <div className={`${SLOT} border-transparent`}>
        {bar}
        {named}
        <span aria-hidden="true">–</span>
        <span className="sr-only">nothing</span>
      </div>
    )
  const isSelected = view.month === month.month
  const target = { ...withoutPeriod(view), ...(isSelected ? {} : { month: month.month }) }
  return (
    <GoLink
      href={hrefOf(target)}
      onNavigate={() => onNavigate(target)}
      aria-current={isSelected ? 'true' : undefined}
      className={`group ${SLOT} border-line hover:bg-sunken aria-[current]:border-accent aria-[current]:bg-accent-tint`}
    >
      {bar}
      {named}
      <span className="block font-[550]">
        {countText(licenses)}
        <span className="sr-only">
          {' '}
          licenses, {countText(idle)} unassigned, {plansText(count)}
        </span>
      </span>
    </GoLink>
  )
}

/** Bar whose height shows all licenses and whose upper part shows the idle ones. */
function Bar({ licenses, idle, most }: { licenses: number; idle: number; most: number }) {
  const whole = licenses === 0 ? 0 : Math.max(2, Math.round((licenses / most) * BAR))
  const unused = idle === 0 ? 0 : Math.max(1, Math.round((idle / licenses) * whole))
  return (
    <svg aria-hidden="true" width="100%" height={BAR + 1} className="mb-0.5 block">
      <rect className="fill-used" x="30%" width="40%" y={BAR - whole + unused} height={whole - unused} />
      <rect className="fill-idle" x="30%" width="40%" y={BAR - whole} height={unused} />
      <line className="stroke-line-2" x1="10%" x2="90%" y1={BAR + 0.5} y2={BAR + 0.5} />
    </svg>
  )
}
