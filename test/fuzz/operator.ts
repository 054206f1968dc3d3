import { runHere } from '#lib/admin/test-run.ts'
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
  const visible = (await listed(database)).map(({ id }) => id)
  const after = await waiting()
  // A change that was resolved in the meantime may be listed or not.
  return before.filter((id) => after.includes(id) && !visible.includes(id)).length
}

/** Resolves all open changes, each with the vendor's state; returns how many could not be resolved. */
export async function resolveByOperator(database: TestDatabase, stage: Stage): Promise<number> {
  const done = new Set(stage.fakes.flatMap(({ writes, callOf }) => writes.map(callOf)).map(requestIdOf))
  const requestIds = new Map((await database.sql(CUSTOMER, WAITING)).map(({ id, ask }) => [id, String(ask)]))
  for (const { id } of await listed(database)) {
    const as = done.has(requestIds.get(id)) ? 'applied' : 'failed'
    await admin(database, ['changes', 'settle', id, '--as', as, '--reason', 'seen in the console there'])
  }
  return (await listed(database)).length
}

async function listed(database: TestDatabase): Promise<{ id: string }[]> {
  const { out } = await admin(database, ['changes', 'list', '--json'])
  return out === '' ? [] : JSON.parse(out)
}

async function admin({ url }: TestDatabase, args: string[]) {
  const before = process.env.DATABASE_URL
  process.env.DATABASE_URL = url
  try {
    return await runHere(args)
  } finally {
    if (before === undefined) delete process.env.DATABASE_URL
    else process.env.DATABASE_URL = before
  }
}
