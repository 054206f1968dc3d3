import 'server-only'
import { randomUUID } from 'node:crypto'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { visit } from '#lib/platform/runtime/log.ts'
import { recordApart, recordRefusal } from './apart.ts'
import { actorOf } from './audit.ts'

/** What was called: its name, and the path as it was sent; a page by its title alone. */
type Called = { call: string; path: string }

/** As much of a path or query as the history keeps. */
const LONGEST = 500

/**
 * Writes down that a file leaves, before its first byte.
 * @throws Error where that can't be kept: then it does not begin
 */
export function traceExport(
  caller: Caller,
  { call, path, query }: Called & { query: string },
  requestId: string,
): Promise<void> {
  const details = { call, query: query.slice(0, LONGEST) || undefined }
  const subject = path.slice(0, LONGEST)
  const event = { action: 'export.begun', subject, actor: actorOf(caller), requestId, details }
  return recordApart(caller.customerId, event)
}

/** Writes down that a caller whom we know was refused (403). Never throws. */
export function traceDenial(
  caller: Caller,
  {
    call,
    path,
    ...why
  }: Pick<Called, 'call'> & { path?: string; code: string; permission?: string | undefined },
  requestId: string,
): Promise<void> {
  const details = { path: path?.slice(0, LONGEST), ...why }
  const event = { action: 'access.denied', subject: call, actor: actorOf(caller), requestId, details }
  return recordRefusal(caller.customerId, event)
}

/** Writes down that a caller whom we know was over a limit (429), named as the answer names it. Never throws. */
export function traceThrottled(caller: Caller, limit: string): Promise<void> {
  const requestId = visit()?.requestId ?? randomUUID()
  const event = { action: 'access.throttled', subject: limit, actor: actorOf(caller), requestId }
  return recordRefusal(caller.customerId, event)
}
