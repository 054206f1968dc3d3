/** Returns a wait as text: `30 seconds`, `10 minutes`, `24 hours`. */
export function waitText(seconds: number): string {
  if (seconds < 120) return counted(Math.ceil(seconds), 'second')
  const minutes = Math.ceil(seconds / 60)
  return minutes < 120 ? counted(minutes, 'minute') : counted(Math.ceil(minutes / 60), 'hour')
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

/**
 * Returns a near moment as the time in a time zone: `14:32 CET`; with its date on another day of that zone.
 * @param at and `now` in epoch milliseconds
 * @param zone IANA name; undefined: the browser's own
 */
export function clockText(at: number, now: number, zone: string | undefined): string {
  const day = (time: number) =>
    text(time, { day: 'numeric', month: 'short', year: 'numeric', timeZone: zone })
  const clock = text(at, { hour: '2-digit', minute: '2-digit', timeZoneName: 'short', timeZone: zone })
  return day(at) === day(now) ? clock : `${day(at)}, ${clock}`
}

function text(at: number, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat('en-GB', options).format(at)
}
