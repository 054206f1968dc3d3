import 'server-only'
import { hash } from 'node:crypto'
import { z } from 'zod'
import type { ApiResponse } from './guarded.ts'
import type { ApiRequest } from './request.ts'

/** `"<digest>"`, or `"<version>.<digest>"` for things that have a version (CONTRACT 4). */
export function entityTag(body: string | Uint8Array, version?: string): string {
  const digest = hash('sha256', body, 'base64url').slice(0, 22)
  return version === undefined ? `"${digest}"` : `"${version}.${digest}"`
}

/** A body with its ETag (CONTRACT 4); a 304 without it where a read's If-None-Match names this very one. */
export function conditional(
  { method, headers: asked }: Pick<ApiRequest, 'method' | 'headers'>,
  body: string | Uint8Array,
  headers: Record<string, string>,
  version: string | undefined,
): ApiResponse {
  const etag = entityTag(body, version)
  const given = { ...headers, ETag: etag }
  return isKnown({ method, headers: asked }, etag)
    ? { status: 304, headers: given, body: null }
    : { status: 200, headers: given, body }
}

/** Whether a read's If-None-Match names what would be answered. */
export function isKnown(
  { method, headers }: Pick<ApiRequest, 'method' | 'headers'>,
  etag: string | undefined,
): boolean {
  const isRead = method === 'GET' || method === 'HEAD'
  const tags = headers.get('if-none-match')?.split(',') ?? []
  return isRead && etag !== undefined && tags.some((tag) => names(tag, etag))
}

/** The header If-Match: `*`, or ETags. */
export const ifMatch = z
  .string()
  .max(1000)
  .regex(/^\s*(\*|(W\/)?"[^"]*"(\s*,\s*(W\/)?"[^"]*")*)\s*$/, 'must be * or ETags in quotes')

/** Whether If-Match lets a thing of this version through: it compares versions, and leaves digests aside (CONTRACT 4). */
export function isVersion(version: string | number, given: string | undefined): boolean {
  if (given === undefined || given.trim() === '*') return true
  return given.split(',').some((tag) => tag.trim().startsWith(`"${version}.`))
}

/** Compared weakly (RFC 9110, 13.1.2): a proxy that packs an answer makes its tag a weak one. */
function names(tag: string, etag: string): boolean {
  return ['*', etag.replace(/^W\//, '')].includes(tag.trim().replace(/^W\//, ''))
}
