import 'server-only'
import { randomBytes } from 'node:crypto'

/**
 * An id of a new change: a UUID of version 7 (RFC 9562), which begins with the time, so that the newest rows lie together in
 * the key's index, whose pages are full then. Nobody orders by it.
 */
export function newChangeId(now = Date.now()): string {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(now, 0, 6)
  bytes[6] = (bytes.readUInt8(6) & 0x0f) | 0x70
  bytes[8] = (bytes.readUInt8(8) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
