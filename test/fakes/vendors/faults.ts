/** What can go wrong with one call at any vendor. A vendor may have faults of its own beside these. */
export const FAULTS = [
  /** The connection is cut, nothing is done. */
  'drop-before',
  /** No answer ever, nothing is done. */
  'hang-before',
  /** 500, nothing is done. */
  'error-before',
  /** 429 with Retry-After, nothing is done. */
  'throttle',
  /** Done, and then the connection is cut. */
  'reset-after',
  /** Done, and no answer ever. */
  'hang-after',
  /** 503, but done. */
  'error-after',
  /** The connection is cut now, and the call is done `lateMs` later. */
  'late',
  /** As `late`, but instead of being cut it is never answered. */
  'late-hang',
  /** It arrives twice, as when somebody in between repeats it: both are done, the second one is answered. */
  'twice',
  /** As `twice`, and then the connection is cut. */
  'twice-cut',
  /** A read that answers what was true `staleMs` ago. */
  'stale',
  /** Nobody is there: the connection is cut. For the whole vendor, see `setDown`. */
  'down',
] as const

/** One of `FAULTS`, or a fault that the vendor brings along. */
export type Fault = (typeof FAULTS)[number] | (string & {})

/** What a subscription suffers on every call; a bare fault means writes, and reads where it is `stale`. */
export type PersistentFault = Fault | { read?: Fault; write?: Fault }

/** What a call can do when a fault is played. */
export type Stage<Answer> = {
  /** Does what was asked, and says what would be answered. */
  act(): Promise<Answer>
  /** Does what was asked after `lateMs`. */
  actLater(): void
  /** What was true `staleMs` ago; writes don't do that. */
  stale(): Promise<Answer>
  error(status: 500 | 503): Answer
  throttled(): Answer
}

/** The end of a call: an answer, or none. */
export type Ending<Answer> = Answer | 'cut' | 'hang'

/** A fault of one vendor, such as an answer that promises what will be done. */
export type VendorFault<Answer> = (stage: Stage<Answer>) => Ending<Answer> | Promise<Ending<Answer>>

/** Plays a call with a fault, or without. */
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
      if (!played) throw new Error(`This vendor knows no fault named ${fault}.`)
      return played(stage)
    }
  }
}

/** What a standing fault does to a call of this kind. */
export function persistentFaultFor(persistent: PersistentFault | undefined, kind: string): Fault | undefined {
  if (persistent === undefined) return undefined
  if (typeof persistent === 'object')
    return kind === 'read' || kind === 'write' ? persistent[kind] : undefined
  if (persistent === 'down') return kind === 'auth' ? undefined : persistent
  return kind === (persistent === 'stale' ? 'read' : 'write') ? persistent : undefined
}
