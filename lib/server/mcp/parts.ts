// Large answers come in parts. Each part has the shape of the answer: its lists are shorter, and the rest is the same.

/** Usual size of a part in bytes of JSON: clients pass their assistants no more than about twice as much. */
const PART_BYTES = 64 * 1024

/** Largest part, where a single text or row is large. */
const MAX_BYTES = 256 * 1024

/** Returns an answer in parts, at least one. */
export function partsOf(data: unknown): unknown[] {
  return cut(data, PART_BYTES)
}

/** Returns whether a part is small enough. */
export function isPart(part: unknown): boolean {
  return bytesOf(part) <= MAX_BYTES
}

/** Returns a value in parts of at most `limit` bytes. Every entry of its lists is in one of them; a text is never cut. */
function cut(value: unknown, limit: number): unknown[] {
  if (typeof value !== 'object' || value === null || bytesOf(value) <= limit) return [value]
  return Array.isArray(value) ? packed(value, limit) : cutMembers(value as Record<string, unknown>, limit)
}

/** Returns a list in parts: its entries, which are cut themselves where one is too large. */
function packed(entries: readonly unknown[], limit: number): unknown[][] {
  const parts: unknown[][] = []
  let room = 0
  for (const entry of entries.flatMap((each) => cut(each, limit - 2))) {
    const bytes = bytesOf(entry) + 1
    if (bytes > room) {
      parts.push([])
      room = limit - 2
    }
    parts.at(-1)?.push(entry)
    room -= bytes
  }
  return parts
}

/** Returns an object in parts: each has the small members, and a part of one large member. */
function cutMembers(value: Record<string, unknown>, limit: number): unknown[] {
  const isLarge = (member: unknown) =>
    typeof member === 'object' && member !== null && bytesOf(member) > limit / 8
  const large = Object.entries(value).filter(([, member]) => isLarge(member))
  const rest = { ...value, ...Object.fromEntries(large.map(([name, member]) => [name, hollow(member)])) }
  const room = limit - bytesOf(rest)
  // Texts outside of lists cannot be cut.
  if (large.length === 0 || room < limit / 8) return [value]
  return large.flatMap(([name, member]) => cut(member, room).map((part) => ({ ...rest, [name]: part })))
}

/** Returns a value with empty lists. */
function hollow(value: unknown): unknown {
  if (Array.isArray(value)) return []
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, hollow(member)]))
}

/** Computed sizes of lists and objects. */
const sizes = new WeakMap<object, number>()

/** Returns the bytes of a value's JSON; those of a list are the sum of its entries'. None is computed twice. */
function bytesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return Buffer.byteLength(JSON.stringify(value))
  const bytes =
    sizes.get(value) ??
    (Array.isArray(value)
      ? value.reduce<number>((sum, entry) => sum + bytesOf(entry) + 1, 2)
      : Buffer.byteLength(JSON.stringify(value)))
  sizes.set(value, bytes)
  return bytes
}
