import 'server-only'
import { and, eq } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { listColumns } from '#lib/platform/db/schema/views.ts'

/** Whose columns. */
export type Whose = { customerId: CustomerId; memberId: string }

const of = ({ customerId, memberId }: Whose) =>
  and(eq(listColumns.customerId, customerId), eq(listColumns.memberId, memberId))

/** What a member has chosen, by list. */
export async function listChosen(tx: Transaction, whose: Whose): Promise<Map<string, string[]>> {
  const { list, columns } = listColumns
  const rows = await tx.select({ list, columns }).from(listColumns).where(of(whose))
  return new Map(rows.map((row) => [row.list, row.columns]))
}

/** Keeps a choice; null forgets it. Of two at once, the later one stays. */
export async function setChosen(
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
