import { env } from '#lib/platform/runtime/env.ts'
import { exposureSettings } from '#lib/server/settings.ts'

/** Validity in days; RFC 9116 recommends less than a year. */
const VALID_DAYS = 180
const DAY = 86_400_000

/** Returns the contact for reporting a vulnerability (RFC 9116); 404 unless the operator has configured one. */
export function GET(): Response {
  const { baseUrl } = env()
  const exposure = exposureSettings()
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' }
  if (exposure.securityContact === undefined) return new Response('Not found\n', { status: 404, headers })
  const expires = new Date((Math.floor(Date.now() / DAY) + VALID_DAYS) * DAY).toISOString()
  const fields = [
    `Contact: ${exposure.securityContact}`,
    `Expires: ${expires}`,
    `Canonical: ${baseUrl}/.well-known/security.txt`,
    'Preferred-Languages: en',
  ]
  return new Response(`${fields.join('\n')}\n`, { headers })
}
