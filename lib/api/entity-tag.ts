import 'server-only'
import { createHash } from 'node:crypto'

/** `"<digest>"`, or `"<version>.<digest>"` for things that have a version (CONTRACT 4). */
export function entityTag(body: string | Uint8Array, version?: string): string {
  const digest = createHash('sha256').update(body).digest('base64url').slice(0, 22)
  return version === undefined ? `"${digest}"` : `"${version}.${digest}"`
}
