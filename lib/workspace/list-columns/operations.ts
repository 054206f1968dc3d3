import 'server-only'
import { and, eq } from 'drizzle-orm'
import { operation } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { listColumns } from '#lib/platform/db/schema/views.ts'
import { readScope, scope } from '#lib/platform/db/scope.ts'
import * as contract from './contract.ts'
import { type ColumnOf, columnsOf, faultOf, LIST_COLUMNS, LISTS, type ListName } from './rules.ts'

const of = ({ customerId, memberId }: Whose) =>
  and(eq(listColumns.customerId, customerId), eq(listColumns.memberId, memberId))

export const readListColumns = operation(contract.readListColumns, async (caller) => {
  const whose = memberOf(caller)
  const chosen = await readScope(caller, (tx) => listChosen(tx, whose))
  return { body: { lists: LISTS.map((list) => told(list, chosen.get(list))) } }
})

export const setListColumns = operation(contract.setListColumns, async (caller, { body }) => {
  const whose = memberOf(caller)
  const { list, columns } = body
  const detail = columns && faultOf(list, columns)
  if (detail)
    throw new Problem('invalid_request', `columns: ${detail}`, { errors: [{ pointer: '/columns', detail }] })
  await scope(caller, (tx) => setChosen(tx, whose, { list, columns }))
  return { body: told(list, columns ?? undefined) }
})

/** What the caller's screen shows of a list; for who is no member, the usual columns. */
export async function shownColumns<List extends ListName>(
  caller: Caller,
  list: List,
): Promise<ColumnOf<List>[]> {
  if (caller.via !== 'session') return columnsOf(list, undefined)
  const whose = memberOf(caller)
  const chosen = await readScope(caller, (tx) => listChosen(tx, whose))
  return columnsOf(list, chosen.get(list))
}

function told(list: ListName, kept: readonly string[] | undefined) {
  return { list, columns: columnsOf(list, kept), isOwn: kept !== undefined, all: [...LIST_COLUMNS[list]] }
}

/** @throws Problem `permission_denied`: a key sees no screens */
function memberOf({ via, customerId, id }: Caller): Whose {
  if (via === 'session') return { customerId, memberId: id }
  throw new Problem('permission_denied', 'Columns are those of a signed-in member.')
}

/** Whose columns. */
type Whose = { customerId: CustomerId; memberId: string }

/** What a member has chosen, by list. */
async function listChosen(tx: Transaction, whose: Whose): Promise<Map<string, string[]>> {
  const { list, columns } = listColumns
  const rows = await tx.select({ list, columns }).from(listColumns).where(of(whose))
  return new Map(rows.map((row) => [row.list, row.columns]))
}

/** Keeps a choice; null forgets it. Of two at once, the later one stays. */
async function setChosen(
  tx: Transaction,
  whose: Whose,
  { list, columns }: { list: string; columns: string[] | null },
): Promise<void> {
  if (columns === null) {
    await tx.delete(listColumns).where(and(of(whose), eq(listColumns.list, list)))
    return
  }
  await tx
    .insert(listColumns)
    .values({ ...whose, list, columns })
    .onConflictDoUpdate({
      target: [listColumns.customerId, listColumns.memberId, listColumns.list],
      set: { columns },
    })
}
