import 'server-only'
import { database } from '#lib/platform/db/client.ts'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'
import type { Account } from '#lib/vendors/accounts/account.ts'
import type { Probes } from '#lib/vendors/budget.ts'

const AGAIN = `coalesce(a.probed_at, '-infinity') < statement_timestamp() - $3::int * interval '1 millisecond'`

/**
 * The turns to try an account's vendor that failed, as all processes share them. Where the database can't be asked, a
 * process takes its own.
 */
export function probesOf({ vendor, vendorAccount }: Account): Probes {
  const own = [vendor, vendorAccount]
  const failed = (error: unknown) =>
    log().warn({ vendor, account: vendorAccount, reason: reasonOf(error).slice(0, 300) }, 'probe not shared')
  return {
    async take(everyMs) {
      try {
        const { rowCount } = await database().jobs.query(
          `INSERT INTO vendor_accounts AS a (vendor, name, probed_at) VALUES ($1, $2, statement_timestamp())
           ON CONFLICT (vendor, name) DO UPDATE SET probed_at = statement_timestamp() WHERE ${AGAIN}`,
          [...own, everyMs],
        )
        return rowCount === 1
      } catch (error) {
        failed(error)
        return true
      }
    },
    async release() {
      const statement = 'UPDATE vendor_accounts SET probed_at = NULL WHERE vendor = $1 AND name = $2'
      await database().jobs.query(statement, own).catch(failed)
    },
  }
}
