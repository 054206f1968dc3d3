import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { chmod, cp, mkdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { exists, program } from './binaries.ts'
import { type Launch, works } from './launch.ts'

type Account = { name: string; uid: number; gid: number }

/** Where an unprivileged account can go when it can't reach the data directory or node_modules. */
const shared = '/var/lib/licenses-invoices'

/** The accounts of this machine. */
export async function knownAccounts(): Promise<Account[]> {
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '')
  const rows = passwd.split('\n').map((line) => line.split(':'))
  const accounts = rows.map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
  return accounts.filter(({ name, uid, gid }) => name && Number.isInteger(uid) && Number.isInteger(gid))
}

/**
 * As root, through an unprivileged account: the cluster's owner, else `postgres`, else `nobody`. The cluster is in
 * `dataDir` if that account can reach it, else in a folder of its own under /var/lib that is found by dataDir's path.
 * @returns undefined if it doesn't work
 */
export async function accountLaunch(
  plain: Launch,
  dataDir: string,
  owner?: { uid: number; gid: number },
): Promise<Launch | undefined> {
  const accounts = await knownAccounts()
  const named = (name: string) => accounts.find((account) => account.name === name && account.uid > 0)
  const account = owner ?? named('postgres') ?? named('nobody')
  if (!account) return undefined
  const { uid, gid } = account
  const name = accounts.find((known) => known.uid === uid)?.name ?? `uid ${uid}`
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
  const apart = { ...there, data: join(home, 'postgres') }
  return (await works(apart)) ? apart : undefined
}

/** A copy of the binaries that every account can read, made once per version. */
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
    // Another process may have been faster.
    if (!(await exists(program(copy, 'postgres')))) throw error
  }
  return copy
}

async function openFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true })
  await chmod(shared, 0o755)
  await chmod(path, 0o755)
}
