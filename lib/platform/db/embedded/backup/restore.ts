import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { copyFile, lstat, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createGunzip } from 'node:zlib'
import { exists } from '../binaries.ts'
import { findCluster } from '../cluster.ts'
import { commandLine, type Launch } from '../launch.ts'
import { serverProcess } from '../process.ts'
import { socketFolder } from '../server.ts'
import { chooseLaunch } from '../way.ts'
import { type About, BESIDE, PASSWORD, PLATFORM, secretFiles } from './dump.ts'

/** What a restore did. */
export type Restored = {
  secrets: string[]
  /** What was there before, where it is now: absolute paths. */
  aside: string[]
}

/**
 * Puts what `dumpEmbedded` wrote into a data directory: the cluster, which replays its log when it is started, and the
 * secrets. Until the whole file has been read, what is there stays as it is.
 * @param options.replace move what is there aside, under names with the time
 * @throws Error where something is there and is not to be replaced, a server runs on it, or the file is none or not whole
 */
export async function restoreEmbedded(
  dataDir: string,
  file: string,
  { replace = false } = {},
): Promise<Restored> {
  await mkdir(dataDir, { recursive: true })
  await expectFree(dataDir, replace)
  const old = await findCluster(dataDir)
  const launch = await chooseLaunch(dataDir, old, true)
  const half = `${launch.data}.new-${process.pid}-${randomBytes(4).toString('hex')}`
  try {
    await mkdir(half, { mode: 0o700 })
    await unpack(file, half)
    const beside = join(half, BESIDE)
    await expectFitting(beside, half, launch)
    const secrets = await secretFiles(beside)
    // Unpacking takes minutes, in which somebody may have started it.
    await expectFree(dataDir, replace)
    const aside = await moveAside(dataDir, old)
    for (const name of secrets) await copyFile(join(beside, name), join(dataDir, name))
    await copyFile(join(beside, PASSWORD), `${launch.data}-password`)
    await rm(beside, { recursive: true })
    // The lock of a socket names the server that was dumped, which may live.
    await rm(socketFolder(half), { recursive: true, force: true })
    await give(half, launch)
    await rename(half, launch.data)
    const path = join(dataDir, 'postgres')
    if (!(await exists(path))) await symlink(launch.data, path)
    return { secrets, aside }
  } finally {
    await rm(half, { recursive: true, force: true })
  }
}

async function expectFree(dataDir: string, replace: boolean): Promise<void> {
  const cluster = await findCluster(dataDir)
  if (cluster && (await serverProcess(cluster)))
    throw new Error(`A server runs in ${cluster}: stop the console and all commands first.`)
  const there = [...(cluster ? ['postgres'] : []), ...(await secretFiles(dataDir))]
  if (there.length > 0 && !replace)
    throw new Error(`${dataDir} holds data (${there.join(', ')}). With --replace they are moved aside.`)
}

/** By the system's `tar`, which Linux, macOS and Windows have; the sum at the end of the file is checked. */
async function unpack(file: string, folder: string): Promise<void> {
  const tar = spawn('tar', ['-x', '-o', '-f', '-', '-C', folder], { stdio: ['pipe', 'ignore', 'pipe'] })
  let said = ''
  tar.stderr.on('data', (chunk) => {
    said += chunk
  })
  const ended = once(tar, 'close')
  try {
    await pipeline(createReadStream(file), createGunzip(), tar.stdin)
  } catch (error) {
    tar.kill()
    throw new Error(`${file} is not a whole dump: ${said.trim() || (error as Error).message}`)
  }
  const [code] = await ended
  if (code !== 0) throw new Error(`${file} can't be unpacked: ${said.trim()}`)
}

async function expectFitting(beside: string, half: string, launch: Launch): Promise<void> {
  const text = await readFile(join(beside, 'about.json'), 'utf8').catch(() => '')
  const parts = [join(half, 'backup_label'), join(beside, PASSWORD)]
  if (text === '' || !(await Promise.all(parts.map(exists))).every(Boolean))
    throw new Error('The file is no dump of the embedded database.')
  const { postgres, platform }: About = JSON.parse(text)
  const { file, args, options } = commandLine(launch, 'postgres', ['--version'])
  const { stdout } = await promisify(execFile)(file, args, options)
  const own = /\d+/.exec(stdout)?.[0]
  const major = (await readFile(join(half, 'PG_VERSION'), 'utf8')).trim()
  if (platform !== PLATFORM)
    throw new Error(`The dump is of ${platform} and this is ${PLATFORM}: its files do not fit.`)
  if (major !== own) throw new Error(`The dump is of PostgreSQL ${postgres}, and this release has ${own}.`)
}

async function moveAside(dataDir: string, cluster: string | undefined): Promise<string[]> {
  const mark = `.replaced-${new Date().toISOString().replace(/[-:]|\..*/g, '')}`
  const moved = (await secretFiles(dataDir)).map((name) => join(dataDir, name))
  // The cluster may be elsewhere; its password is beside it.
  if (cluster) moved.push(cluster, `${cluster}-password`)
  const links = (await lstat(join(dataDir, 'postgres')).catch(() => undefined))?.isSymbolicLink()
  if (links) await rm(join(dataDir, 'postgres'))
  for (const path of moved) await rename(path, `${path}${mark}`)
  return moved.map((path) => `${path}${mark}`)
}

/** To the account that runs the server, where it is not ours. */
async function give(folder: string, { account }: Launch): Promise<void> {
  if (account) await promisify(execFile)('chown', ['-R', `${account.uid}:${account.gid}`, folder])
}
