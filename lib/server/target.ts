import { Problem } from '#lib/platform/api/problem.ts'

/** Longest target, in bytes; a list with 50 alternatives in its filter needs a tenth of it. */
export const TARGET_LIMIT = 8 * 1024

/** Part of the application that a path belongs to: each has its own methods, headers and error format. */
export type Area = 'api' | 'sign-in' | 'health' | 'asset' | 'page'

/** Request target in canonical form. */
export type Target = {
  area: Area
  /** Path, percent-encoded except for letters, digits and `-._~`. */
  path: string
  /** Path and query. */
  url: string
  /** Host of an absolute target, in lower case. */
  host?: string
}

/** Returns the area of a target, even of a malformed one, so that its error has the right format. */
export function areaOf(target: string): Area {
  const url = target.replace(/^https?:\/\/[^/?]*/i, '')
  if (/^\/auth\/sign-on(?=[/?]|$)/.test(url)) return 'sign-in'
  if (/^\/(billing|auth|scim|calendar|mcp)(?=[/?]|$)/.test(url)) return 'api'
  if (/^\/api\/(auth\/[^/?]|(unsubscribe|confirm)\/?(\?|$))/.test(url)) return 'sign-in'
  if (/^\/(livez|healthz|readyz)(?=\?|$)/.test(url)) return 'health'
  return url.startsWith('/_next/') ? 'asset' : 'page'
}

/**
 * Parses the target of a request line: origin-form, or absolute-form, which is converted to origin-form.
 * @throws Problem `invalid_request` for a malformed target; `not_found` for paths with empty or dot segments, which
 * Next would answer with a redirect
 */
export function readTarget(rawTarget: string): Target {
  if (rawTarget.length > TARGET_LIMIT) throw invalid(`The address may have at most ${TARGET_LIMIT} bytes.`)
  // Other bytes were not percent-encoded, and their encoding is unknown.
  if (!/^[!-~]+$/.test(rawTarget) || rawTarget.includes('#'))
    throw invalid('The address must be percent-encoded.')
  const { host, origin } = splitAbsolute(rawTarget)
  const cut = origin.indexOf('?')
  const path = plainPath(cut < 0 ? origin : origin.slice(0, cut))
  const url = cut < 0 ? path : path + origin.slice(cut)
  return { area: areaOf(path), path, url, ...(host === undefined ? {} : { host }) }
}

function splitAbsolute(rawTarget: string): { origin: string; host?: string } {
  if (rawTarget.startsWith('/')) return { origin: rawTarget }
  const parts = /^https?:\/\/([^/?]+)(.*)$/i.exec(rawTarget)
  if (!parts?.[1]) throw invalid('The address must start with a slash.')
  const rest = parts[2] ?? ''
  return { origin: rest.startsWith('/') ? rest : `/${rest}`, host: parts[1].toLowerCase() }
}

function plainPath(rawTarget: string): string {
  const path = rawTarget.includes('%') ? decodeUnreserved(rawTarget) : rawTarget
  if (/\/\/|\\|\/\.\.?(\/|$)/.test(path)) throw new Problem('not_found')
  return path
}

// RFC 3986, 6.2.2.2: %41 and A are the same letter, and routing must not see two different paths.
function decodeUnreserved(path: string): string {
  let decoded: string
  try {
    decoded = decodeURIComponent(path)
  } catch {
    throw invalid('The path is not percent-encoded UTF-8 text.')
  }
  if (decoded.includes('\0')) throw invalid('The path may not contain a null character.')
  return path.replace(/%[0-9a-f]{2}/gi, (code) => {
    const letter = String.fromCharCode(Number.parseInt(code.slice(1), 16))
    return /[\w.~-]/.test(letter) ? letter : code
  })
}

function invalid(detail: string): Problem {
  return new Problem('invalid_request', detail)
}

/** Allowed methods of an area. In the API each path has its own: lib/platform/api/endpoint.ts rejects the others. */
const ALLOWED: Record<Exclude<Area, 'api'>, string> = {
  'sign-in': 'GET, HEAD, POST',
  health: 'GET, HEAD',
  asset: 'GET, HEAD',
  page: 'GET, HEAD',
}

/** @throws Problem `method_not_allowed`, with the allowed methods of the area */
export function checkMethod(method: string | undefined, area: Exclude<Area, 'api'>): void {
  const allowed = ALLOWED[area]
  if (allowed.split(', ').includes(method ?? '')) return
  throw new Problem('method_not_allowed', `Use ${allowed} here.`, { headers: { Allow: allowed } })
}
