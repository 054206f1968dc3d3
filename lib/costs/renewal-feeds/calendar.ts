import 'server-only'
import { createHash } from 'node:crypto'
import ical, { escape as escaped, ICalCalendarMethod, ICalEventTransparency } from 'ical-generator'
import type { Renewal } from '#lib/costs/renewals/contract.ts'
import { costText, countText, happensText, licensesText, nextCostText } from '#lib/costs/renewals/format.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { dayBegin, dayText } from '#lib/platform/values/days.ts'

/** Refresh interval in seconds for calendars that honor it. */
const EVERY = 6 * 60 * 60

type CalendarInput = {
  customerId: CustomerId
  customerName: string
  /** The console's public address, without a trailing slash. */
  baseUrl: string
  /** Midnight at the start of today, in epoch milliseconds: keeps the bytes of an unchanged calendar the same. */
  today: number
}

/**
 * Returns a calendar with two all-day events per renewal: the renewal day, and the last day to decide while it is
 * ahead.
 */
export function calendarOf(
  renewals: readonly Renewal[],
  { customerName, ...context }: CalendarInput,
): string {
  const calendar = ical({
    // The only text that is written verbatim.
    name: escaped(`Renewals of ${oneLine(customerName)}`, false),
    prodId: { company: 'Licenses and Invoices', product: 'Renewals', language: 'EN' },
    method: ICalCalendarMethod.PUBLISH,
    ttl: EVERY,
  })
  for (const renewal of renewals) {
    const { asset, decideBy, time, url } = renewal
    const description = descriptionLines(renewal).join('\n')
    const event = (kind: string, day: number, summary: string) =>
      calendar.createEvent({
        id: uidOf(kind, asset.id, context),
        start: new Date(dayBegin(day)),
        allDay: true,
        stamp: new Date(context.today),
        // TRANSPARENT: the event does not block the day as busy.
        transparency: ICalEventTransparency.TRANSPARENT,
        summary,
        description,
        url,
      })
    if (decideBy >= context.today)
      event('decide', decideBy, `Last day to decide: ${oneLine(asset.name)}, ${licensesText(renewal)}`)
    event('renewal', time, `${oneLine(asset.name)}: ${happensText(renewal)}, ${licensesText(renewal)}`)
  }
  return calendar.toString()
}

function descriptionLines(renewal: Renewal): string[] {
  const { domain, time, assigned, idle, cost, idleCost, decideBy } = renewal
  const next = nextCostText(renewal)
  const idleAt = idleCost ? `, ${costText(idleCost)}` : ''
  return [
    `${happensText(renewal)} on ${dayText(time)}: ${licensesText(renewal)}.`,
    `${countText(assigned)} assigned, ${countText(idle)} unassigned${idleAt}.`,
    ...(cost ? [`${costText(cost)} at the last price.`] : []),
    ...(next ? [`${next}.`] : []),
    `Last day to decide: ${dayText(decideBy)}.`,
    `For ${oneLine(domain)}.`,
  ]
}

/** Removes line breaks: a line that begins within a text would be a property of its own (iCalendar injection). */
function oneLine(text: string): string {
  return text.replaceAll(/\p{C}+/gu, ' ')
}

/** Returns the UID of an event, which survives a change of its day and reveals none of our ids. */
function uidOf(
  kind: string,
  assetId: string,
  { customerId, baseUrl }: Pick<CalendarInput, 'customerId' | 'baseUrl'>,
) {
  const digest = createHash('sha256')
    .update(JSON.stringify([customerId, assetId]))
    .digest('hex')
    .slice(0, 32)
  return `${kind}-${digest}@${new URL(baseUrl).hostname}`
}
