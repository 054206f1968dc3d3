import 'server-only'
import { setTimeout as pause } from 'node:timers/promises'
import { database } from '#lib/platform/db/client.ts'
import { inTime } from '#lib/platform/runtime/in-time.ts'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'
import type { Budget, Budgets } from '#lib/vendors/budget.ts'
import { type Account, CLOSE, SPARE, TAKE, type Turn } from './statements.ts'

/** How long a call is waited for, in milliseconds: people wait. */
const PATIENCE = { people: 1000, background: 5000 }
/** Where the database can't be asked, in seconds. */
const UNKNOWN_WAIT = 5

/**
 * The budgets of a vendor's account. Where the database can't be asked, no call is made: it was surely not sent then,
 * while a call too many could close the API for all.
 * @param account the reseller's account at the vendor
 */
export function budgetsOf(vendor: string, account: string): Budgets {
  return (api, callsPerMinute) => budgetOf({ vendor, account, api, ...sizeOf(callsPerMinute) })
}

/**
 * A fifth of a minute's calls may be made at once, and the others come back evenly: so no minute has more than all of
 * them. A fifth of those at once is the reserve, which jobs leave to people.
 */
function sizeOf(callsPerMinute: number): Pick<Account, 'capacity' | 'perSecond' | 'reserve'> {
  const capacity = Math.max(1, Math.floor(callsPerMinute / 5))
  return { capacity, perSecond: (callsPerMinute - capacity) / 60, reserve: Math.floor(capacity / 5) }
}

function budgetOf(of: Account): Budget {
  const { vendor, account, api } = of
  const reason = (why: string) => `the calls to ${api} with the account ${account} ${why}`
  const failed = (error: unknown) => {
    log().warn({ vendor, account, api, reason: reasonOf(error).slice(0, 300) }, 'budget of calls not reached')
  }
  const ask = async (statement: string, isBackground: boolean): Promise<Turn | undefined> => {
    const { capacity, perSecond, reserve } = of
    const values = [vendor, account, api, capacity, perSecond, isBackground ? reserve : 0]
    try {
      const { rows } = await database().jobs.query<Turn>(statement, values)
      return rows[0] ?? { isTaken: false, isClosed: false, wait: 0 }
    } catch (error) {
      failed(error)
      return undefined
    }
  }

  return {
    async take(isBackground, signal) {
      const end = performance.now() + (isBackground ? PATIENCE.background : PATIENCE.people)
      for (;;) {
        const turn = await inTime(ask(TAKE, isBackground), signal, undefined)
        if (!turn) return { kind: 'held', reason: reason('could not be counted'), retryAfter: UNKNOWN_WAIT }
        if (turn.isTaken) return { kind: 'granted' }
        const waitMs = turn.wait * 1000
        const isSoon = performance.now() + waitMs <= end
        // Not all at the same moment.
        const goOn =
          isSoon && (await pause(waitMs * (1 + Math.random() / 4), true, { signal }).catch(() => false))
        if (!goOn) return { kind: 'held', reason: reason(whyOf(turn)), retryAfter: Math.ceil(turn.wait) }
      }
    },
    async close(seconds) {
      log().warn({ vendor, account, api, seconds }, 'vendor throttles')
      try {
        await database().jobs.query(CLOSE, [vendor, account, api, seconds ?? null])
      } catch (error) {
        failed(error)
      }
    },
    async spare() {
      const turn = await ask(SPARE, true)
      return turn ? Math.ceil(turn.wait) : UNKNOWN_WAIT
    },
  }
}

function whyOf({ isClosed }: Turn): string {
  return isClosed ? 'are throttled by the vendor' : 'are used up for the moment'
}
