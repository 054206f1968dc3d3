import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chown,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { commandLine, exists, type Launch, useAServer } from './launch.ts'
import { isAlive } from './server.ts'

/** Time in milliseconds after which a running initdb counts as dead. It takes about a second. */
const initTime = 300_000

async function otherAccount(folder: string): Promise<Error> {
  const { uid } = await stat(folder)
  return new Error(
    `${folder} belongs to another account (uid ${uid}): only that one and root can run it. ${useAServer}`,
  )
}

/**
 * Returns the real path of a data directory's cluster, or undefined if it has none yet.
 * @throws Error if its `postgres` is not a cluster; it is not changed
 */
export async function findCluster(dataDir: string): Promise<string | undefined> {
  const path = join(dataDir, 'postgres')
  const entry = await lstat(path).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'EACCES') throw await otherAccount(dataDir)
    return undefined
  })
  if (!entry) return undefined
  const data = await realpath(path).catch(() => undefined)
  if (!data)
    throw new Error(
      `${path} leads to a folder that is gone. Bring it back, or remove the link to start with an empty database.`,
    )
  if (await exists(join(data, 'global', 'pg_control'))) return data
  const files = await readdir(data).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EACCES') return ['']
    throw await otherAccount(data)
  })
  if (files.length === 0) return undefined
  throw new Error(`${path} is not a PostgreSQL data directory. Move it away, or choose another DATA_DIR.`)
}

/**
 * Creates the cluster unless it exists: in a temporary folder that is renamed when complete, so that an incomplete one
 * never counts. Of two concurrent processes, the slower one deletes its own.
 * @returns the cluster's path
 */
export async function makeCluster(launch: Launch, dataDir: string): Promise<string> {
  await removeUnfinished(launch.data)
  if (!(await exists(join(launch.data, 'global', 'pg_control')))) {
    const unfinished = `${launch.data}.new-${process.pid}-${randomBytes(4).toString('hex')}`
    await mkdir(unfinished, { mode: 0o700 })
    try {
      await initialize(launch, unfinished)
      await rename(join(unfinished, 'cluster'), launch.data).catch(async (error) => {
        if (!(await exists(join(launch.data, 'global', 'pg_control')))) throw error
      })
    } finally {
      await rm(unfinished, { recursive: true, force: true })
    }
    await flush(dirname(launch.data))
  }
  const path = join(dataDir, 'postgres')
  // The cluster may be in another folder: this link leads the next start to it.
  if (!(await exists(path))) await symlink(launch.data, path).catch(() => undefined)
  return launch.data
}

async function initialize(launch: Launch, unfinished: string): Promise<void> {
  const passwordFile = join(unfinished, 'password')
  const cluster = join(unfinished, 'cluster')
  await writeFile(passwordFile, await makePassword(launch.data), { mode: 0o600 })
  await mkdir(cluster, { mode: 0o700 })
  if (launch.account) {
    for (const path of [unfinished, passwordFile, cluster])
      await chown(path, launch.account.uid, launch.account.gid)
  }
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  const access = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`]
  const { file, args, options } = commandLine(launch, 'initdb', [
    '-D',
    cluster,
    '--data-checksums',
    ...locale,
    ...access,
  ])
  await promisify(execFile)(file, args, { ...options, timeout: initTime }).catch(
    (error: { stderr?: string; message: string }) => {
      throw new Error(`initdb failed: ${error.stderr?.trim() || error.message}. ${useAServer}`)
    },
  )
}

/** Removes the leftovers of a killed initdb, whose folder is named after its process id. */
async function removeUnfinished(data: string): Promise<void> {
  const start = `${basename(data)}.new-`
  for (const name of await readdir(dirname(data))) {
    if (!name.startsWith(start)) continue
    const path = join(dirname(data), name)
    const age = Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? 0)
    if (age > initTime || !isAlive(Number.parseInt(name.slice(start.length), 10))) {
      await rm(path, { recursive: true, force: true })
    }
  }
}

/** Flushes a folder to disk, so that a rename survives a power failure. Windows does not support this for folders. */
async function flush(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}

/** Creates the superuser's password once, in a file that is readable for its owner only. */
async function makePassword(data: string): Promise<string> {
  const draft = `${data}-password.${randomBytes(6).toString('hex')}`
  const file = await open(draft, 'wx', 0o600)
  await file.writeFile(randomBytes(24).toString('base64url'))
  await file.sync()
  await file.close()
  // Only one process succeeds in creating the link; the others read that process's password.
  await link(draft, `${data}-password`).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(draft)
  return readPassword(data)
}

/** Returns the superuser's password of a cluster. */
export async function readPassword(data: string): Promise<string> {
  const path = `${data}-password`
  const password = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`The password of the embedded PostgreSQL can't be read from ${path} (${error.code}).`)
  })
  return password.trim()
}
