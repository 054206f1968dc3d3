import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '#lib/platform/db/embedded.ts'
import { migrate } from '#lib/platform/db/migrate.ts'
import { listMigrations } from '#lib/platform/db/migration-files.ts'
import { build } from './build.ts'
import { olderCommit } from './release/releases.ts'
import { checkOut } from './side-by-side/checkout.ts'
import { SECRET, serveSideBySide } from './side-by-side/serve.ts'
import { runStage, type Stage } from './stage.ts'

// Checks whether an older version goes on working on the tables of this one, while processes of this one serve the same
// database.
// npm run side-by-side [-- [--live] <git ref, by default the last release> [what to run, by default --project=api]]
// The older version is checked out into a temporary folder, and runs its own API tests. The databases of these tests
// are copies of a template that this version has migrated, so that no query meets older tables. With --live the older
// version makes its own tables, and this one migrates them while the tests run.

const args = process.argv.slice(2)
const isLive = args.includes('--live')
const [ref, ...which] = args.filter((arg) => arg !== '--live')
const chosen = which.length > 0 ? which : ['--project=api']
const LIMIT_MS = 60 * 60_000
// The first migration creates the server's logins, here or in the older version's tests: both need the same secret.
process.env.DATABASE_SECRET = SECRET

function olderOrExit(): string {
  try {
    return olderCommit(ref)
  } catch (error) {
    console.error((error as Error).message)
    process.exit(2)
  }
}
const commit = olderOrExit()

// Ends all running processes, and removes the temporary files as at the end.
let [tests, isStopped]: [Stage | undefined, boolean] = [undefined, false]
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    isStopped = true
    tests?.end()
  })
}

const folder = await mkdtemp(join(tmpdir(), 'side-by-side-'))
const older = checkOut(commit, join(folder, 'older'))
const embedded = await startEmbedded(join(folder, 'data'))
try {
  console.log(`\n── ${ref ?? 'the last release'} is ${commit}, whose newest migration is ${older.newest}`)
  const template = new URL(embedded.url)
  template.pathname = '/template1'
  if (!isLive) await migrate(template.href)
  console.log(`── its databases ${isLive ? 'get' : 'have'} those up to ${listMigrations().at(-1)?.name}`)
  await build({ quiet: true })
  older.install()
  if (isStopped) throw new Error('Stopped before the tests began.')
  const running = serveSideBySide(embedded.url, join(folder, 'own'), older.migrations)
  tests = runStage(['node_modules/@playwright/test/cli.js', 'test', '--reporter=list', ...chosen], {
    cwd: older.folder,
    env: { ...process.env, DATABASE_URL: embedded.url },
    limitMs: LIMIT_MS,
    onTimeout: () => console.error('The tests of the older version hang: they are ended.'),
  })
  const code = await tests.ended
  const { answered, failures, verified } = await running.end()
  for (const failure of failures.slice(0, 20)) console.log(failure)
  console.log(`\n── ${commit}: its tests ${code === 0 ? 'passed' : `ended with ${code}`}`)
  console.log(
    `── this version beside it: ${answered} requests answered, ${failures.length} failed; ${verified}`,
  )
  process.exitCode = code === 0 && failures.length === 0 && answered > 0 ? 0 : 1
} finally {
  await embedded.release()
  older.remove()
  await rm(folder, { recursive: true, force: true })
}
