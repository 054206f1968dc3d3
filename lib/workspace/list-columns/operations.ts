import 'server-only'
import { and, eq } from 'drizzle-orm'
import { operation } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { listColumns } from '#lib/platform/db/schema/views.ts'
import { readScope, scope } from '#lib/platform/db/scope.ts'
import { type Member, memberOf } from '../member.ts'
import * as contract from './contract.ts'
import { type ColumnOf, columnsOf, LIST_COLUMNS, LISTS, type ListName, validateColumns } from './rules.ts'

const MEMBERS_ONLY = 'Columns are those of a signed-in member.'

export const readListColumns = operation(contract.readListColumns, async (caller) => {
  const whose = memberOf(caller, MEMBERS_ONLY)
  const chosen = await readScope(caller, (tx) => listChosen(tx, whose))
  return { body: { lists: LISTS.map((list) => toResponse(list, chosen.get(list))) } }
})

export const setListColumns = operation(contract.setListColumns, async (caller, { body }) => {
  const whose = memberOf(caller, MEMBERS_ONLY)
  const { list, columns } = body
  const detail = columns && validateColumns(list, columns)
  if (detail)
    throw new Problem('invalid_request', `columns: ${detail}`, { errors: [{ pointer: '/columns', detail }] })
  await scope(caller, (tx) => setChosen(tx, whose, { list, columns }))
  return { body: toResponse(list, columns ?? undefined) }
})

/**
 * Returns the columns of a list on the caller's screen: the member's choice, or the usual columns for callers without a
 * session.
 */
export async function selectedColumns<List extends ListName>(
  caller: Caller,
  list: List,
): Promise<ColumnOf<List>[]> {
  if (caller.via !== 'session') return columnsOf(list, undefined)
  const whose = memberOf(caller, MEMBERS_ONLY)
  const chosen = await readScope(caller, (tx) => listChosen(tx, whose))
  return columnsOf(list, chosen.get(list))
}

function toResponse(list: ListName, stored: readonly string[] | undefined) {
  return { list, columns: columnsOf(list, stored), isOwn: stored !== undefined, all: [...LIST_COLUMNS[list]] }
}

const memberFilter = ({ customerId, memberId }: Member) =>
  and(eq(listColumns.customerId, customerId), eq(listColumns.memberId, memberId))

/** Returns a member's choices, by list. */
async function listChosen(tx: Transaction, whose: Member): Promise<Map<string, string[]>> {
  const { list, columns } = listColumns
  const rows = await tx.select({ list, columns }).from(listColumns).where(memberFilter(whose))
  return new Map(rows.map((row) => [row.list, row.columns]))
}

/** Stores a member's choice for a list; null deletes it. Of two concurrent writes, the later one wins. */
async function setChosen(
  tx: Transaction,
  whose: Member,
  { list, columns }: { list: string; columns: string[] | null },
): Promise<void> {
  if (columns === null) {
    await tx.delete(listColumns).where(and(memberFilter(whose), eq(listColumns.list, list)))
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
