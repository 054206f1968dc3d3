import type { IncomingMessage } from 'node:http'
import { METHODS } from '#lib/api/methods.ts'
import { Problem } from '#lib/api/problem.ts'
import type { Area } from './target.ts'

/** Of the API each path has methods of its own: lib/api/methods.ts refuses the others. */
const ALLOWED: Record<Exclude<Area, 'api'>, string> = {
  'sign-in': 'GET, HEAD, POST',
  health: 'GET, HEAD',
  asset: 'GET, HEAD',
  page: 'GET, HEAD',
}

/** Of any other method Next makes a 500 or an empty answer. */
const CARRIED = new Set<string>(METHODS)

/** @throws Problem `method_not_allowed`, with what the area has */
export function checkMethod(req: IncomingMessage, area: Exclude<Area, 'api'>): void {
  const allowed = ALLOWED[area]
  if (allowed.split(', ').includes(req.method ?? '')) return
  throw new Problem('method_not_allowed', `Use ${allowed} here.`, { headers: { Allow: allowed } })
}

/**
 * Brings a method that Next does not carry to the API's route as OPTIONS, which no call has, and its name beside it:
 * the route refuses it, and names the methods that its path has.
 */
export function carryMethod(req: IncomingMessage): void {
  if (CARRIED.has(req.method ?? '')) return
  req.headers['x-method'] = req.method
  req.method = 'OPTIONS'
}
