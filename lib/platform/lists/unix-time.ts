import { z } from 'zod'
import { integerText } from '#lib/platform/api/request.ts'

// Public clients send milliseconds where the spec says seconds: no date of ours is that many seconds away.
const FIRST_MILLISECONDS = 100_000_000_000

/**
 * Unix seconds, or milliseconds from 100,000,000,000 on, to whole milliseconds; may be absent.
 * @param what says what the bound selects: `changes that were asked for at this time or later`
 * @param rest milliseconds added to whole seconds: 999 where a bound takes in all of its second
 */
export function unixTime(what: string, rest = 0) {
  const description = `Unix time: ${what}. In seconds; a value of 100,000,000,000 or more is read as milliseconds.`
  return z
    .codec(integerText(0, Number.MAX_SAFE_INTEGER), z.int().min(0), {
      decode: (value) => (value >= FIRST_MILLISECONDS ? value : value * 1000 + rest),
      encode: (ms) => (ms >= FIRST_MILLISECONDS ? ms : Math.floor(ms / 1000)),
    })
    .optional()
    .meta({ description })
}

/** A moment on the wire, of which `what` says what happened then. */
export const timeOf = (what: string) => z.int().meta({ description: `${what}: epoch time in milliseconds.` })
