// How people read what an invoice says. Named here: the language data of Node's versions differ, and the same invoice
// gives the same bytes.
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `2026-09-30` as `30 Sep 2026`. */
export function dayText(day: string): string {
  const [year, month, date] = day.split('-')
  return `${Number(date)} ${MONTHS[Number(month) - 1]} ${year}`
}

/** `cloud-platform` as "Cloud platform". */
export function platformName(platform: string): string {
  const words = platform.replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
