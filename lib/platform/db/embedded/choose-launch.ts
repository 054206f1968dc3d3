import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import type { Stats } from 'node:fs'
import { chmod, cp, mkdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { exists, installedBinaries, type Launch, program, useAServer, works } from './launch.ts'

/**
 * Finds a launch that works on this machine: as the current user; as root in a user namespace; or as root through an
 * unprivileged account. An existing cluster stays in its place, with its owner's account.
 * @param dataDir absolute path
 * @param cluster real path of an existing cluster
 * @param namespaces false to avoid user namespaces
 * @throws Error with the reason, which mentions DATABASE_URL
 */
export async function chooseLaunch(
  dataDir: string,
  cluster: string | undefined,
  namespaces: boolean,
): Promise<Launch> {
  const data = cluster ?? join(dataDir, 'postgres')
  const plain: Launch = { how: 'as this user', binaries: await installedBinaries(), data, prefix: [] }
  const uid = process.getuid?.()
  if (uid === undefined) return plain
  const owner = cluster === undefined ? undefined : await stat(cluster)
  return uid === 0 ? rootLaunch(plain, dataDir, owner, namespaces) : userLaunch(plain, namespaces)
}

async function userLaunch(plain: Launch, namespaces: boolean) {
  if (hasName() || !namespaces) return plain
  return (await namespaceLaunch(plain, 'as this user')) ?? plain
}

async function rootLaunch(plain: Launch, dataDir: string, owner: Stats | undefined, namespaces: boolean) {
  const isRoots = owner?.uid === 0
  if (namespaces && (!owner || isRoots)) {
    const launch = await namespaceLaunch(plain, 'as root')
    if (launch) return launch
  }
  if (isRoots) {
    throw new Error(
      `${plain.data} was made by root through a user namespace, and that doesn't work here. ` +
        `Allow user namespaces, or give the folder to an unprivileged account (chown -R). ${useAServer}`,
    )
  }
  let reason = 'the account cannot run the programs or reach a folder'
  const launch = await accountLaunch(plain, dataDir, owner).catch((error: Error) => {
    reason = error.message
  })
  if (launch) return launch
  throw new Error(
    'PostgreSQL refuses to run as root; user namespaces are not allowed here, ' +
      `and an unprivileged account does not work either (${reason}). ${useAServer}`,
  )
}

async function namespaceLaunch(plain: Launch, who: string): Promise<Launch | undefined> {
  // The id inside the namespace needs a name, which initdb looks up: 1000 has none in many containers.
  const { uid, gid } = (await existingAccounts()).find((account) => account.uid > 0) ?? {
    uid: 1000,
    gid: 1000,
  }
  const prefix = ['unshare', '--user', `--map-user=${uid}`, `--map-group=${gid}`]
  const launch = { ...plain, prefix, how: `${who} through a user namespace` }
  return (await works(launch)) ? launch : undefined
}

/**
 * Returns whether the current user id has a name: without one, as in some containers, initdb fails outside of a
 * namespace.
 */
function hasName(): boolean {
  try {
    return userInfo().username !== ''
  } catch {
    return false
  }
}

type Account = { name: string; uid: number; gid: number }

/** Folder for an unprivileged account that can't reach the data directory or node_modules. */
const shared = '/var/lib/licenses-invoices'

/** Returns the accounts of this machine. */
export async function existingAccounts(): Promise<Account[]> {
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '')
  const rows = passwd.split('\n').map((line) => line.split(':'))
  const accounts = rows.map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
  return accounts.filter(({ name, uid, gid }) => name && Number.isInteger(uid) && Number.isInteger(gid))
}

/**
 * Returns a launch as root through an unprivileged account: the cluster's owner, else `postgres`, else `nobody`. The
 * cluster is in `dataDir` if that account can reach it, else in a folder under /var/lib that is derived from dataDir's
 * path.
 * @returns undefined if it doesn't work
 */
async function accountLaunch(
  plain: Launch,
  dataDir: string,
  owner?: { uid: number; gid: number },
): Promise<Launch | undefined> {
  const accounts = await existingAccounts()
  const named = (name: string) => accounts.find((account) => account.name === name && account.uid > 0)
  const account = owner ?? named('postgres') ?? named('nobody')
  if (!account) return undefined
  const { uid, gid } = account
  const name = accounts.find((candidate) => candidate.uid === uid)?.name ?? `uid ${uid}`
  const anywhere = {
    ...plain,
    account: { uid, gid },
    how: `as the account ${name}, because it refuses to run as root`,
    data: '/any',
  }
  const binaries = (await works(anywhere)) ? plain.binaries : await copyBinaries(plain.binaries)
  const there = { ...anywhere, binaries, data: plain.data }
  if (owner || (await works(there))) return there
  const home = join(shared, createHash('sha256').update(dataDir).digest('hex').slice(0, 16))
  await openFolder(home)
  const accountFolder = { ...there, data: join(home, 'postgres') }
  return (await works(accountFolder)) ? accountFolder : undefined
}

/** Copies the binaries to a folder that every account can read, once per version. */
async function copyBinaries(installed: string): Promise<string> {
  const { name, version } = JSON.parse(await readFile(join(dirname(installed), 'package.json'), 'utf8'))
  const copy = join(shared, `${name.split('/').at(-1)}-${version}`)
  if (await exists(program(copy, 'postgres'))) return copy
  await openFolder(shared)
  const half = `${copy}.new-${randomBytes(6).toString('hex')}`
  try {
    await cp(installed, half, { recursive: true, verbatimSymlinks: true })
    await promisify(execFile)('chmod', ['-R', 'a+rX', half])
    await rename(half, copy)
  } catch (error) {
    await rm(half, { recursive: true, force: true })
    // Another process may have been first.
    if (!(await exists(program(copy, 'postgres')))) throw error
  }
  return copy
}

async function openFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true })
  await chmod(shared, 0o755)
  await chmod(path, 0o755)
}
