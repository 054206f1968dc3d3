import { globSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api'
import { pgTable, text } from 'drizzle-orm/pg-core'
import { expect, test } from 'vitest'

const inDb = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Returns the statements that `npm run migration` would write: from the newest snapshot to a schema. */
async function missing(schema: Record<string, unknown>): Promise<string[]> {
  const newest = readdirSync(inDb('./migrations/meta'))
    .filter((file) => file.endsWith('_snapshot.json'))
    .sort()
    .at(-1)
  const snapshot = JSON.parse(readFileSync(inDb(`./migrations/meta/${newest}`), 'utf8'))
  return generateMigration(snapshot, generateDrizzleJson(schema, snapshot.id))
}

test("the migrations create the schema's tables", async () => {
  const files = globSync('**/*.ts', { cwd: inDb('./schema') }).map((file) => import(inDb(`./schema/${file}`)))
  const schema = Object.assign({}, ...(await Promise.all(files)))
  expect(await missing(schema)).toEqual([])
  const planted = pgTable('planted', { id: text('id') })
  expect(await missing({ ...schema, planted })).toEqual([expect.stringContaining('CREATE TABLE "planted"')])
})
