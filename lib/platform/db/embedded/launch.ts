import { execFile } from 'node:child_process'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { program } from './binaries.ts'

/** How and where the PostgreSQL programs run. PostgreSQL itself refuses to run as root. */
export type Launch = {
  /** In words, for the note. */
  how: string
  binaries: string
  /** Real path of the cluster, which may not exist yet. */
  data: string
  /** What comes before the program on the command line. */
  prefix: string[]
  /** The account that runs it and owns the cluster, if it isn't ours. */
  account?: { uid: number; gid: number }
}

// Nothing of the caller's environment (PGPORT, PGDATA, LANG) may change how PostgreSQL runs.
// NODE_ENV means nothing to it; Next's types ask for it.
const env: NodeJS.ProcessEnv = {
  PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:/run/current-system/sw/bin',
  LC_ALL: 'C',
  NODE_ENV: 'production',
}

/** The command line and the options that start a program in this way. */
export function commandLine(launch: Launch, name: 'initdb' | 'pg_ctl' | 'postgres', args: string[]) {
  const [file = '', ...rest] = [...launch.prefix, program(launch.binaries, name), ...args]
  return { file, args: rest, options: { ...launch.account, env, cwd: '/' } }
}

/** Whether the programs run in this way and can reach the folder around the cluster: found out by doing it. */
export async function works(launch: Launch): Promise<boolean> {
  const script = [
    'sh',
    '-c',
    'cd "$1" && exec "$2" --version',
    'sh',
    dirname(launch.data),
    program(launch.binaries, 'postgres'),
  ]
  const [file = '', ...args] = [...launch.prefix, ...script]
  const options = { ...launch.account, env, cwd: '/', timeout: 10_000 }
  try {
    await promisify(execFile)(file, args, options)
    return true
  } catch {
    return false
  }
}
