import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BACKFILLS } from './list.ts'

const ASKED = /INSERT INTO backfills \(name\) VALUES \('([\w-]+)'\)/g
const FOLDER = 'lib/db/migrations'

test('each backfill is asked for by a migration, and each that a migration asks for is there', () => {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.sql'))
  const texts = files.map((file) => readFileSync(join(FOLDER, file), 'utf8'))
  const asked = texts.flatMap((text) => [...text.matchAll(ASKED)].map(([, name]) => name))
  expect(BACKFILLS.map(({ name }) => name).sort()).toEqual(asked.sort())
  // Written otherwise, it would be overlooked here.
  expect(texts.join().match(/INSERT INTO backfills/gi)?.length ?? 0).toBe(asked.length)
})
