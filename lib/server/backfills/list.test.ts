import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BACKFILLS } from './list.ts'

const REQUESTED = /INSERT INTO backfills \(name\) VALUES \('([\w-]+)'\)/g
/** Statement of a later migration that replaces the earlier backfill with its own. */
const WITHDRAWN = /DELETE FROM backfills WHERE name = '([\w-]+)'/g
const FOLDER = 'lib/platform/db/migrations'

test('migrations request exactly the existing backfills', () => {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.sql'))
  const texts = files.map((file) => readFileSync(join(FOLDER, file), 'utf8'))
  const named = (by: RegExp) => texts.flatMap((text) => [...text.matchAll(by)].map(([, name]) => name))
  const [requested, withdrawn] = [named(REQUESTED), named(WITHDRAWN)]
  expect(requested).toEqual(expect.arrayContaining(withdrawn))
  expect(BACKFILLS.map(({ name }) => name).sort()).toEqual(
    requested.filter((name) => !withdrawn.includes(name)).sort(),
  )
  // Statements in another form would be missed here.
  expect(texts.join().match(/INSERT INTO backfills/gi)?.length ?? 0).toBe(requested.length)
})
