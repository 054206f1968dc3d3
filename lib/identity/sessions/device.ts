import 'server-only'
import Bowser from 'bowser'

const UNKNOWN = 'Unknown device'

/**
 * A browser and what it runs on, in plain words: "Firefox on Windows". Whatever the browser says of itself, it is one line.
 * @param userAgent as it was sent; null: it is not known
 */
export function deviceOf(userAgent: string | null): string {
  if (!userAgent) return UNKNOWN
  const { browser, os, platform } = Bowser.parse(userAgent)
  const name = plain(browser.name)
  const system = plain((os.name === 'iOS' && platform.model) || os.name)
  if (name && system) return `${name} on ${system}`
  // What is no browser names itself first: `curl/8.5.0`.
  return name ?? system ?? plain(/^[A-Za-z][\w.-]*/.exec(userAgent)?.[0]) ?? UNKNOWN
}

/** Undefined for what is no name: where the browser is not a known one, this is any text that it sent. */
function plain(name: string | undefined): string | undefined {
  return name && /^[A-Za-z0-9][\w .()-]{0,39}$/.test(name) ? name : undefined
}
