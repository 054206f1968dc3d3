import 'server-only'
import { sql } from 'drizzle-orm'
import type { Backfill } from '#lib/platform/db/backfill.ts'

/** Links each member to their person: the trigger does so for every updated row. */
export const memberPeople: Backfill = {
  name: 'people',
  async batch(tx, customerId, { after, most }) {
    const { rows } = await tx.execute<{ id: string }>(sql`
      SELECT id FROM members WHERE customer_id = ${customerId} AND (${after}::text IS NULL OR id > ${after})
      ORDER BY id LIMIT ${most}`)
    const ids = rows.map(({ id }) => id)
    await tx.execute(sql`
      UPDATE members SET person_id = NULL
      WHERE customer_id = ${customerId} AND id = ANY(${sql.param(ids)}::text[]) AND person_id IS NULL`)
    return { count: ids.length, last: ids.length < most ? null : (ids.at(-1) ?? null) }
  },
}
