import 'server-only'
import Bowser from 'bowser'

const UNKNOWN = 'Unknown device'

/**
 * Returns the browser and its system in plain words on one line: "Firefox on Windows".
 * @param userAgent user agent header; null: unknown
 */
export function deviceOf(userAgent: string | null): string {
  if (!userAgent) return UNKNOWN
  const { browser, os, platform } = Bowser.parse(userAgent)
  const name = plain(browser.name)
  const system = plain((os.name === 'iOS' && platform.model) || os.name)
  if (name && system) return `${name} on ${system}`
  // Other clients name themselves first: `curl/8.5.0`.
  return name ?? system ?? plain(/^[A-Za-z][\w.-]*/.exec(userAgent)?.[0]) ?? UNKNOWN
}

/** Returns undefined for unusable names: an unknown browser can send any text. */
function plain(name: string | undefined): string | undefined {
  return name && /^[A-Za-z0-9][\w .()-]{0,39}$/.test(name) ? name : undefined
}
