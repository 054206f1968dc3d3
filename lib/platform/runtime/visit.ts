import { AsyncLocalStorage } from 'node:async_hooks'

/** The request that is being answered, as the log and the history tell of it. */
export type Visit = {
  requestId: string
  /** Of the client, as the front door saw it. */
  address: string
  /** What the client calls itself, cut. */
  agent: string | null
  /** Whoever it turned out to be: the id of a key or a member, and the beginning of the session's digest. */
  callerId?: string
  customerId?: string
  session?: string | undefined
  /** How many statements it has sent to the database, but for those that begin and end transactions. */
  statements: number
  /** Whether something failed after the answer's status had left. */
  isFailed?: boolean
}

/** Browsers say some 120 characters of themselves. */
const LONGEST_AGENT = 300

// A page and a route handler get separate copies of this module in a production build.
const slot = globalThis as typeof globalThis & { licensesInvoicesVisit?: AsyncLocalStorage<Visit> }
slot.licensesInvoicesVisit ??= new AsyncLocalStorage()
const visits = slot.licensesInvoicesVisit

/** Answers a request, so that whatever is recorded on the way knows of it. */
export function duringVisit<T>(
  { requestId, address, agent }: { requestId: string; address: string; agent: string | undefined },
  answer: () => T,
): T {
  return visits.run(
    { requestId, address, agent: agent?.slice(0, LONGEST_AGENT) ?? null, statements: 0 },
    answer,
  )
}

/** What a line of the log says of it besides its name: who asked, from where, and for how much of the database. */
export function toldOf(here: Visit | undefined): object {
  if (!here) return {}
  const { callerId: caller, customerId: customer, session, address, statements } = here
  return { caller, customer, session, address, statements }
}

/** The request that is being answered; none in a job or a command. */
export function visit(): Visit | undefined {
  return visits.getStore()
}

/** Notes who is there. `session` is the digest of its id, of which the history keeps the beginning. */
export function noteCaller(caller: { id: string; customerId: string; session?: string | undefined }): void {
  const here = visits.getStore()
  if (!here) return
  here.callerId = caller.id
  here.customerId = caller.customerId
  here.session = caller.session?.slice(0, 12)
}

/** Notes that a page failed: its frame may have left already, with a status that says all is well. */
export function noteFailure(): void {
  const here = visits.getStore()
  if (here) here.isFailed = true
}

/** Counts a statement that the request sends to the database. */
export function noteStatement(): void {
  const here = visits.getStore()
  if (here) here.statements += 1
}
