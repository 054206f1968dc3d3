import 'server-only'

// How many calls an account may make at a vendor's API, and who tries one that failed. lib/vendors/budgets keeps count of both,
// for all processes.

/** What became of asking for a call. One that is held was not made; `retryAfter` is in seconds. */
export type Permit = { kind: 'granted' } | { kind: 'held'; reason: string; retryAfter: number }

/** The calls of one account at one API, as all processes share them. Nothing here throws. */
export type Budget = {
  /**
   * Takes a call out of the budget, and waits a moment for it where that is enough.
   * @param isBackground a job asks, which leaves the reserve to people
   */
  take(isBackground: boolean, signal: AbortSignal): Promise<Permit>
  /**
   * The vendor throttles: nobody calls this API with this account any more for a time.
   * @param seconds as the vendor said; where it did not, five, and twice as many each time that this comes again soon
   */
  close(seconds: number | undefined): Promise<void>
  /** Whole seconds until a job may call again; 0: now. */
  spare(): Promise<number>
}

/** The budgets of one account, by the API's name. @param callsPerMinute the most that are made in any minute */
export type Budgets = (api: string, callsPerMinute: number) => Budget

/** The turns to try a vendor that failed, shared by all who call it with one account. Nothing here throws. */
export type Probes = {
  /** Whether it may be tried now: once in so many milliseconds. */
  take(everyMs: number): Promise<boolean>
  /** It answered: whoever is next may try at once. */
  release(): Promise<void>
}
