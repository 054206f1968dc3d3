import { tmpdir } from 'node:os'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addCustomer } from '#lib/platform/db/test-rows.ts'
import { commandLine } from '../test-command.ts'

let db: TestDatabase
const { start, admin } = commandLine(() => db.url, tmpdir())
const APPLY = 'licenses apply - --customer sunbird'
beforeAll(async () => {
  db = await testDatabase()
  await addCustomer('sunbird')
})
afterAll(() => db.close())

describe('a list that was cut short', () => {
  const MANY = 24
  const many = async (name: string) => {
    const ids = Array.from(
      { length: MANY },
      (_, at) => `workspace-suite-${name}-${String(at).padStart(2, '0')}`,
    )
    await Promise.all(ids.map((assetId) => addAsset('sunbird', assetId, { purchased: 10 })))
    return {
      list: ids.map((assetId) => `${assetId},15`).join('\n'),
      like: `workspace-suite-${name}-%`,
      fifth: ids[4],
    }
  }
  const total = async (like: string) => {
    const counted =
      'SELECT count(*)::int AS rows, count(DISTINCT asset_id)::int AS assets FROM license_changes'
    return (await db.sql('sunbird', `${counted} WHERE asset_id LIKE $1`, [like]))[0]
  }

  test.each(['SIGINT', 'SIGKILL'] as const)(
    'by %s continues with the same command, with one effect each',
    async (signal) => {
      const { list, like, fifth } = await many(signal.toLowerCase())
      // From the fifth row on, each waits for another transaction's lock, so that the signal arrives in the middle.
      await db.sql('sunbird', 'BEGIN')
      const locked = 'SELECT FROM assets WHERE id LIKE $1 AND id >= $2 FOR UPDATE'
      expect(await db.sql('sunbird', locked, [like, fifth])).toHaveLength(MANY - 4)
      const { child, output, ended } = start(`${APPLY} --yes`)
      child.stdin.end(list)
      await expect.poll(() => output.out, { interval: 5 }).toContain(': done')
      child.kill(signal)
      const { code, err } = await ended
      await db.sql('sunbird', 'ROLLBACK')
      expect(code).toBe(signal === 'SIGINT' ? 130 : null)
      if (signal === 'SIGINT')
        expect(err).toMatch(/Interrupted: [1-4] of 24 rows are as listed. The same command/)
      expect((await total(like))?.rows).toBeLessThanOrEqual(4)
      expect(await admin(`${APPLY} --yes`, list)).toMatchObject({ code: 0 })
      expect(await total(like)).toEqual({ rows: MANY, assets: MANY })
    },
  )

  test('has one effect each in two parallel runs', async () => {
    const { list, like } = await many('two')
    const both = await Promise.all(
      [start(`${APPLY} --yes`), start(`${APPLY} --yes`)].map(({ child, ended }) => {
        child.stdin.end(list)
        return ended
      }),
    )
    expect(both.map(({ code }) => code)).toEqual([0, 0])
    expect(await total(like)).toEqual({ rows: MANY, assets: MANY })
  })
})
