import { runHere } from '#lib/admin/test-run.ts'
import { startDatabase } from '#lib/platform/db/start.ts'
import type { TestDatabase } from '#lib/platform/db/test-database.ts'
import { requestIdOf } from './requests.ts'
import { CUSTOMER, type Stage } from './stage.ts'

// What operators see of unresolved changes and can do about them, through the commands themselves.

const WAITING =
  "SELECT id, request_id AS ask FROM license_changes WHERE settled_at IS NULL OR state = 'UNCLEAR'"

/** Returns how many changes wait for something that no operator would see. */
export async function hiddenChanges(database: TestDatabase): Promise<number> {
  const waiting = async () => (await database.sql(CUSTOMER, WAITING)).map(({ id }) => String(id))
  const before = await waiting()
  const visible = (await onDatabase(database, list)).map(({ id }) => id)
  const after = await waiting()
  // A change that was resolved in the meantime may be listed or not.
  return before.filter((id) => after.includes(id) && !visible.includes(id)).length
}

/** Resolves all open changes, each with the vendor's state; returns how many could not be resolved. */
export async function resolveByOperator(database: TestDatabase, stage: Stage): Promise<number> {
  const done = new Set(stage.fakes.flatMap(({ writes, callOf }) => writes.map(callOf)).map(requestIdOf))
  const requestIds = new Map((await database.sql(CUSTOMER, WAITING)).map(({ id, ask }) => [id, String(ask)]))
  return onDatabase(database, async () => {
    for (const { id } of await list()) {
      const as = done.has(requestIds.get(id)) ? 'applied' : 'failed'
      await runHere(['changes', 'settle', id, '--as', as, '--reason', 'seen in the console there'])
    }
    return (await list()).length
  })
}

async function list(): Promise<{ id: string }[]> {
  const { out } = await runHere(['changes', 'list', '--json'])
  return out === '' ? [] : JSON.parse(out)
}

/** Runs commands on the database, which stays open between them: to open it takes longer than a command. */
async function onDatabase<T>({ url }: TestDatabase, work: () => Promise<T>): Promise<T> {
  const before = process.env.DATABASE_URL
  process.env.DATABASE_URL = url
  try {
    const started = await startDatabase()
    const { stop } = started
    started.stop = async () => {}
    return await work().finally(stop)
  } finally {
    if (before === undefined) delete process.env.DATABASE_URL
    else process.env.DATABASE_URL = before
  }
}
