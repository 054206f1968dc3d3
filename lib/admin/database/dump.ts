import { mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import { factorSettings } from '#lib/identity/settings.ts'
import { errorCode } from '#lib/platform/api/error-mapper.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { countCustomers } from '#lib/platform/caller/store.ts'
import { dumpEmbedded, restoreEmbedded } from '#lib/platform/db/embedded/backup.ts'
import { databaseSettings } from '#lib/platform/db/settings.ts'
import { historySettings } from '#lib/platform/history/settings.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { withDatabase } from '../command.ts'
import { counted, interruption, note, print } from '../terminal.ts'

/** Returns the settings that replace secrets in DATA_DIR. */
function configuredSecrets(): string[] {
  const { sessionSecret } = env()
  const database = databaseSettings()
  const factors = factorSettings()
  const history = historySettings()
  const all = {
    SESSION_SECRET: sessionSecret,
    DATABASE_SECRET: database.secret,
    FACTOR_SECRET: factors.secret,
    AUDIT_SECRET: history.secret,
  }
  return Object.entries(all).flatMap(([name, secret]) => (secret === undefined ? [] : [name]))
}

export function addDumpCommands(database: Command): void {
  database
    .command('dump <file>')
    .description(
      'Write the embedded database and the secrets of DATA_DIR into a file, while the console runs.',
    )
    .addHelpText('after', '\nExample:\n  npm run -s admin -- database dump out/console-2026-11-23.tar.gz')
    .action(dump)

  database
    .command('restore <file>')
    .description('Put a dump into DATA_DIR, while the console is stopped.')
    .option('--replace', 'where DATA_DIR holds data: move it aside first')
    .addHelpText('after', '\nExample:\n  npm run -s admin -- database restore out/console-2026-11-23.tar.gz')
    .action(restore)
}

async function dump(target: string): Promise<void> {
  expectEmbedded('pg_basebackup or pg_dump')
  const file = resolve(env().callerDir, target)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const secrets = await dumpEmbedded(env().dataDir, file, interruption.signal).catch((error: unknown) => {
    if (errorCode(error) === 'EEXIST')
      throw new Problem('invalid_request', `${target}: there is a file already.`)
    throw error
  })
  const { size } = await stat(file)
  const what = ['the database', ...secrets].join(', ')
  print(`${target} has ${what}: ${(size / 1e6).toFixed(1)} MB.`)
  note('It contains everything: store it securely, on another machine.')
  const elsewhere = configuredSecrets()
  if (elsewhere.length > 0)
    note(`Not in it are settings: keep ${elsewhere.join(', ')}, without which it can't be used.`)
}

async function restore(source: string, { replace = false }: { replace?: boolean }): Promise<void> {
  expectEmbedded('pg_basebackup or pg_restore')
  const { dataDir, callerDir } = env()
  const { aside } = await restoreEmbedded(dataDir, resolve(callerDir, source), { replace }).catch(
    (error: Error) => {
      throw new Problem('invalid_request', error.message)
    },
  )
  for (const path of aside) note(`What was there is in ${path}.`)
  // The first start replays the log that the dump has, and brings an older dump to this release.
  await withDatabase(async () => {
    const { all } = await countCustomers('')
    print(`${dataDir} has the database of ${source}: ${counted(all, 'customer')}.`)
  })()
}

function expectEmbedded(others: string): void {
  if (databaseSettings().url !== undefined)
    throw new Problem(
      'invalid_request',
      `This is for the embedded database. That of DATABASE_URL has its server's own: ${others} (docs/operate/database.md).`,
    )
}
