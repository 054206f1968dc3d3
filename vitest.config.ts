import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'
import { FileSequencer } from './scripts/file-sequence.ts'
import { NO_LIMITS } from './test/fakes/no-limits.ts'
import { NO_NETWORK } from './test/fakes/no-network.ts'

/** Test files that mock modules or load them a second time: each needs a separate worker. */
const ISOLATED = [
  // Mocks the jobs' module.
  'lib/server/jobs-in-processes.test.ts',
  // Reads generated secrets, which a process remembers: its worker could log in to no other database after it.
  'lib/admin/database/dump.deep.test.ts',
  // Mocks the list of backfills.
  'lib/admin/database/command.test.ts',
  // Checks the costs of a hash.
  'lib/identity/access/passwords/hash.test.ts',
  // Counts calls of a mocked argon2.
  'lib/identity/access/people/alike.test.ts',
  // Counts the answers in the process's cache, which other files fill.
  'lib/server/metrics/metrics.test.ts',
  // Need names for prepared statements; a process uses at most 500.
  'lib/billing/invoices/list-plan.test.ts',
  'lib/platform/db/pipeline.test.ts',
  // Loads modules a second time, as a second process would.
  'lib/identity/access/notice-link.test.ts',
  'lib/platform/db/prepared.test.ts',
  'lib/platform/runtime/env.test.ts',
]
const ALL = '{bench,components,lib,scripts,test}/**/*.test.ts'
const isDeep = process.env.DEEP === '1'
const outside = [...configDefaults.exclude, ...(isDeep ? [] : ['**/*.deep.test.ts'])]

export default defineConfig({
  resolve: {
    // The package throws on import outside a server bundle; the tests are the server here.
    alias: {
      'server-only': fileURLToPath(new URL('./node_modules/server-only/empty.js', import.meta.url)),
    },
  },
  test: {
    environment: 'node',
    // Vite defines BASE_URL, too; the product's is the console's address.
    env: {
      // Tests change rows by their own connections, too, which replace no version.
      ANSWER_CACHE_MB: '0',
      BASE_URL: '',
      LOG_LEVEL: 'silent',
      SESSION_SECRET: 'only-for-tests-only-for-tests-only',
      ...NO_NETWORK,
      ...NO_LIMITS,
    },
    globalSetup: 'lib/platform/db/test-servers/test-setup.ts',
    // Generous timeout that only ends hanging tests: tests seed real databases, and a busy machine is not a failure.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Timeout of `expect.poll`.
    expect: { poll: { timeout: 60_000 } },
    // Two workers more than processors: some wait for a vendor's response.
    maxWorkers: 2 + availableParallelism(),
    // Each run has another sequence of its files: `FILE_SEED=…` repeats one.
    sequence: {
      sequencer: FileSequencer,
      seed: Number(process.env.FILE_SEED) || 1 + Math.floor(Math.random() * 999_999),
    },
    projects: [
      {
        extends: true,
        resolve: {
          alias: { '@node-rs/argon2': fileURLToPath(new URL('./test/fakes/argon2.ts', import.meta.url)) },
        },
        test: {
          name: 'shared',
          include: [ALL],
          exclude: [...outside, ...ISOLATED],
          // A worker loads each module once, for all of its files; `npm run test:deep` loads them for each file.
          isolate: isDeep,
          setupFiles: ['lib/platform/db/test-servers/test-restore.ts'],
        },
      },
      { extends: true, test: { name: 'isolated', include: ISOLATED, exclude: outside } },
    ],
  },
})
