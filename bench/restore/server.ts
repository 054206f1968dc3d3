import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Account, freePorts, serverBinaries, waitFor } from '../failover/programs.ts'
import { queryRows } from './database-state.ts'

/** A server of this machine's PostgreSQL, with the files of deploy/single. */
export type Server = { url(user: string, database: string): string; stop(): Promise<void> }

/** Runs a program of PostgreSQL as the account that may run it. */
export type Programs = (name: string, args: string[]) => Promise<void>

export function programs(account: Account): Programs {
  const binaries = serverBinaries() ?? ''
  return async (name, args) => {
    // No pipe, which a server would keep open.
    const child = spawn(join(binaries, name), args, {
      ...account,
      cwd: '/',
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const [code] = await once(child, 'exit')
    if (code !== 0) throw new Error(`${name} ended with ${code}.`)
  }
}

/** Creates the server to be backed up, which archives its WAL below `folder`. */
export async function makeServer(folder: string, account: Account, run: Programs): Promise<Server> {
  makeArchive(folder, account)
  const data = join(folder, 'server')
  await run('initdb', [
    '-D',
    data,
    '--username=postgres',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C.UTF-8',
  ])
  appendFileSync(join(data, 'postgresql.conf'), settings('archive.conf', folder))
  return start(data, run)
}

/**
 * Copies the base backup of `folder` to `data`, and configures how far to replay the archive of `folder`.
 * @param target a line of the configuration that begins with `recovery_target_`
 */
export function copyToRecover(folder: string, data: string, target: string, account: Account): void {
  execFileSync('cp', ['-a', join(folder, 'base'), data])
  const recovery = settings('recovery.conf', folder).replace(/^recovery_target_time = '.*'$/m, target)
  appendFileSync(join(data, 'postgresql.auto.conf'), recovery)
  writeFileSync(join(data, 'recovery.signal'), '')
  // The server syncs the file, and so has to own it.
  if (account) chownSync(join(data, 'recovery.signal'), account.uid, account.gid)
}

/** Resolves when a server has replayed everything: it answers earlier. */
export async function promoted(url: string): Promise<void> {
  await waitFor(
    async () => (await queryRows<{ is: boolean }>(url, 'SELECT NOT pg_is_in_recovery() AS is'))[0]?.is,
  )
}

/** Starts a server on a free port, and resolves when it answers. */
export async function start(data: string, run: Programs): Promise<Server> {
  const [port = 0] = await freePorts(1)
  const options = `-c port=${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=`
  await run('pg_ctl', ['-D', data, '-l', `${data}-server.log`, '-t', '600', '-w', '-o', options, 'start'])
  return {
    url: (user, database) => `postgres://${user}@127.0.0.1:${port}/${database}`,
    stop: () => run('pg_ctl', ['-D', data, '-m', 'fast', '-w', 'stop']),
  }
}

/** Creates a folder for a base backup and the WAL archive. */
export function makeArchive(folder: string, account: Account): void {
  for (const path of ['', 'archive']) {
    mkdirSync(join(folder, path), { recursive: true })
    if (account) chownSync(join(folder, path), account.uid, account.gid)
  }
}

/** Returns the text of a file of deploy/single, with a folder of this run instead of /backups. */
export function settings(file: string, folder: string): string {
  return `\n${readFileSync(join('deploy/single', file), 'utf8').replaceAll('/backups', folder)}`
}
