/** Faults of a call that any vendor can have. A vendor may have additional ones. */
export const FAULTS = [
  /** The connection is cut, and nothing is done. */
  'drop-before',
  /** The call is never answered, and nothing is done. */
  'hang-before',
  /** The response is 500, and nothing is done. */
  'error-before',
  /** The response is 429 with Retry-After, and nothing is done. */
  'throttle',
  /** The call is done, and then the connection is cut. */
  'reset-after',
  /** The call is done, and never answered. */
  'hang-after',
  /** The response is 503, but the call is done. */
  'error-after',
  /** The connection is cut now, and the call is done `lateMs` later. */
  'late',
  /** Like `late`, but the call is never answered instead of being cut. */
  'late-hang',
  /** The call arrives twice, as if a proxy had repeated it: both are done, the second one is answered. */
  'twice',
  /** Like `twice`, and then the connection is cut. */
  'twice-cut',
  /** A read returns the state of `staleMs` ago. */
  'stale',
  /** The vendor is unreachable: the connection is cut. For the whole vendor, see `setDown`. */
  'down',
] as const

/** One of `FAULTS`, or a fault that only the vendor has. */
export type Fault = (typeof FAULTS)[number] | (string & {})

/** Fault of a subscription on every call; a bare fault applies to writes, and to reads if it is `stale`. */
export type PersistentFault = Fault | { read?: Fault; write?: Fault }

/** Actions of a call that a fault can combine. */
export type Stage<Answer> = {
  /** Executes the call, and returns its response. */
  act(): Promise<Answer>
  /** Executes the call after `lateMs`. */
  actLater(): void
  /** Returns the response of `staleMs` ago; only for reads. */
  stale(): Promise<Answer>
  error(status: 500 | 503): Answer
  throttled(): Answer
}

/** The end of a call: a response, or none. */
export type Ending<Answer> = Answer | 'cut' | 'hang'

/** A fault of one vendor, such as a response that promises a later change. */
export type VendorFault<Answer> = (stage: Stage<Answer>) => Ending<Answer> | Promise<Ending<Answer>>

/** Executes a call, with a fault if there is one. */
export async function play<Answer>(
  fault: Fault | undefined,
  stage: Stage<Answer>,
  vendorFaults: Record<string, VendorFault<Answer>> = {},
): Promise<Ending<Answer>> {
  switch (fault) {
    case undefined:
      return stage.act()
    case 'down':
    case 'drop-before':
      return 'cut'
    case 'hang-before':
      return 'hang'
    case 'error-before':
      return stage.error(500)
    case 'throttle':
      return stage.throttled()
    case 'reset-after':
      await stage.act()
      return 'cut'
    case 'hang-after':
      await stage.act()
      return 'hang'
    case 'error-after':
      await stage.act()
      return stage.error(503)
    case 'late':
      stage.actLater()
      return 'cut'
    case 'late-hang':
      stage.actLater()
      return 'hang'
    case 'twice':
      await stage.act()
      return stage.act()
    case 'twice-cut':
      await stage.act()
      await stage.act()
      return 'cut'
    case 'stale':
      return stage.stale()
    default: {
      const played = vendorFaults[fault]
      if (!played) throw new Error(`This vendor has no fault named ${fault}.`)
      return played(stage)
    }
  }
}

/** Returns the persistent fault for a call of this kind. */
export function persistentFaultFor(persistent: PersistentFault | undefined, kind: string): Fault | undefined {
  if (persistent === undefined) return undefined
  if (typeof persistent === 'object')
    return kind === 'read' || kind === 'write' ? persistent[kind] : undefined
  if (persistent === 'down') return kind === 'auth' ? undefined : persistent
  return kind === (persistent === 'stale' ? 'read' : 'write') ? persistent : undefined
}
