import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { copyFile, lstat, mkdir, open, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createGunzip, createGzip } from 'node:zlib'
import { Client } from 'pg'
import { openDataDir } from '#lib/platform/runtime/data-dir.ts'
import { startEmbedded } from '../embedded.ts'
import { ownerOf } from '../logins.ts'
import { chooseLaunch } from './choose-launch.ts'
import { findCluster, readPassword } from './cluster.ts'
import { commandLine, exists, type Launch } from './launch.ts'
import { serverProcess, socketFolder } from './server.ts'

/** Folder of an archive with the files that DATA_DIR holds next to the cluster. */
const EXTRA_FOLDER = 'licenses-invoices'

/** Metadata of a dump. */
type About = {
  /** Version of the server, such as 18.4. */
  postgres: string
  /** Platform, such as linux-x64: the files fit no other one. */
  platform: string
}

const PLATFORM = `${process.platform}-${process.arch}`

/** Returns the names of the product's secret files in a folder. */
async function secretFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.filter((name) => name.endsWith('-secret')).sort()
}

/** Name of the server's password file in an archive. */
const PASSWORD = 'postgres-password'

/**
 * Writes a consistent snapshot of the embedded database, and the secrets next to it, into one file (.tar.gz), while
 * other processes go on writing. The file is flushed to disk before this returns; an unfinished file is removed.
 * @param file path of a new file, created readable for its owner only
 * @returns the names of the product's secrets in the file
 */
export async function dumpEmbedded(dataDir: string, file: string, signal?: AbortSignal): Promise<string[]> {
  const handle = await open(file, 'wx', 0o600)
  try {
    const embedded = await startEmbedded(dataDir)
    try {
      const names = await secretFiles(dataDir)
      const about: About = { postgres: /\d+\.\d+/.exec(embedded.note)?.[0] ?? '', platform: PLATFORM }
      const extraEntries = [tarEntry(`${EXTRA_FOLDER}/about.json`, Buffer.from(JSON.stringify(about)))]
      const cluster = await findCluster(dataDir)
      extraEntries.push(
        tarEntry(`${EXTRA_FOLDER}/${PASSWORD}`, Buffer.from(await readPassword(cluster ?? ''))),
      )
      for (const name of names)
        extraEntries.push(tarEntry(`${EXTRA_FOLDER}/${name}`, await readFile(join(dataDir, name))))
      const archive = await baseBackup(embedded.url)
      const whole = Readable.from(
        (async function* () {
          yield* extraEntries
          yield* archive
        })(),
      )
      const out = createWriteStream(file, { fd: handle.fd, autoClose: false })
      await pipeline(whole, createGzip({ level: 4 }), out, { signal })
      await handle.sync()
      return names
    } finally {
      await embedded.release()
    }
  } catch (error) {
    await rm(file, { force: true })
    throw error
  } finally {
    await handle.close()
  }
}

// PostgreSQL's BASE_BACKUP of a running server, in tar format with its WAL, so that it needs no archive.
const COMMAND =
  "BASE_BACKUP (LABEL 'licenses-invoices', CHECKPOINT 'fast', WAL true, MANIFEST 'no', PROGRESS false)"

/**
 * Type of the message that starts an archive in the stream (PostgreSQL 15 and newer); other messages report progress.
 */
const NEW_ARCHIVE = 'n'.charCodeAt(0)
const DATA = 'd'.charCodeAt(0)

/**
 * Returns a consistent copy of the running server's files, as a complete tar archive.
 * @param url URL of the server, with a role that may replicate
 * @throws Error (from the stream) if the server refuses or ends, or has tablespaces
 */
async function baseBackup(url: string): Promise<Readable> {
  const client = new Client({ ...ownerOf(url), ...{ replication: 'true' } })
  await client.connect()
  const socket = (client as unknown as { connection: { stream: { pause(): void; resume(): void } } })
    .connection.stream
  let archives = 0
  const archive = new Readable({
    read: () => socket.resume(),
    destroy(error, done) {
      client.end().then(
        () => done(error),
        () => done(error),
      )
      socket.resume()
    },
  })
  const fail = (error: Error) => void archive.destroy(error)
  client.on('error', fail)
  client.on('end', () => archive.readableEnded || fail(new Error('The server ended before the backup did.')))
  const writeChunk = (chunk: Buffer) => {
    if (chunk[0] === NEW_ARCHIVE && ++archives > 1) fail(new Error('The server has tablespaces.'))
    // A copy: pg reuses the buffer for the next message.
    if (chunk[0] === DATA && !archive.push(Buffer.from(chunk.subarray(1)))) socket.pause()
  }
  client.query(
    copying(writeChunk, fail, () => archive.push(null)) as unknown as Parameters<Client['query']>[0],
  )
  return archive
}

/** Returns a query for pg that copies the stream, with the methods that pg requires of a custom query. */
function copying(writeChunk: (chunk: Buffer) => void, fail: (error: Error) => void, end: () => void) {
  const ignore = () => {}
  return {
    submit: (connection: { query(text: string): void }) => connection.query(COMMAND),
    handleCopyData: ({ chunk }: { chunk: Buffer }) => writeChunk(chunk),
    handleError: fail,
    handleReadyForQuery: end,
    handleRowDescription: ignore,
    handleDataRow: ignore,
    handleCommandComplete: ignore,
  }
}

/** Size of a block in a tar archive, in bytes. */
const BLOCK = 512

/**
 * Returns one file as a tar entry (POSIX ustar), readable for its owner only, without the end-of-archive blocks, so
 * that further entries may follow.
 * @param name at most 99 bytes
 */
function tarEntry(name: string, content: Buffer): Buffer {
  if (Buffer.byteLength(name) > 99) throw new RangeError(`${name} is too long a name.`)
  const header = Buffer.alloc(BLOCK)
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')
  const put = (text: string, at: number) => header.write(text, at)
  put(name, 0)
  put(octal(0o600, 7), 100)
  put(octal(0, 7), 108)
  put(octal(0, 7), 116)
  put(octal(content.length, 11), 124)
  put(octal(0, 11), 136)
  // The checksum is computed with spaces in its own field.
  put(' '.repeat(8), 148)
  put('0', 156)
  put('ustar\x0000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  put(`${octal(sum, 6)}\0 `, 148)
  return Buffer.concat([header, content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)])
}

/** Result of a restore. */
export type Restored = {
  secrets: string[]
  /** Absolute paths to which the previous files were moved. */
  aside: string[]
}

/**
 * Restores a file of `dumpEmbedded` into a data directory: the cluster, which replays its write-ahead log at its start,
 * and the secrets. Nothing is changed before the whole file has been read.
 * @param options.replace move existing files aside, under names with the time
 * @throws Error if files exist that are not to be replaced, a server runs on them, or the file is incomplete or not a
 * dump
 */
export async function restoreEmbedded(
  dataDir: string,
  file: string,
  { replace = false } = {},
): Promise<Restored> {
  openDataDir(dataDir)
  await expectFree(dataDir, replace)
  const old = await findCluster(dataDir)
  const launch = await chooseLaunch(dataDir, old, true)
  const half = `${launch.data}.new-${process.pid}-${randomBytes(4).toString('hex')}`
  try {
    await mkdir(half, { mode: 0o700 })
    await unpack(file, half)
    const extraPath = join(half, EXTRA_FOLDER)
    await expectFitting(extraPath, half, launch)
    const secrets = await secretFiles(extraPath)
    // Unpacking takes minutes, during which a process may have started the server.
    await expectFree(dataDir, replace)
    const aside = await moveAside(dataDir, old)
    for (const name of secrets) await copyFile(join(extraPath, name), join(dataDir, name))
    await copyFile(join(extraPath, PASSWORD), `${launch.data}-password`)
    await rm(extraPath, { recursive: true })
    // The socket's lock file names the dumped server, which may be running.
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

/**
 * Unpacks an archive with the system's `tar`, which Linux, macOS and Windows have; gzip's checksum at the end is
 * verified.
 */
async function unpack(file: string, folder: string): Promise<void> {
  const tar = spawn('tar', ['-x', '-o', '-f', '-', '-C', folder], { stdio: ['pipe', 'ignore', 'pipe'] })
  let output = ''
  tar.stderr.on('data', (chunk) => {
    output += chunk
  })
  const ended = once(tar, 'close')
  try {
    await pipeline(createReadStream(file), createGunzip(), tar.stdin)
  } catch (error) {
    tar.kill()
    throw new Error(`${file} is not a whole dump: ${output.trim() || (error as Error).message}`)
  }
  const [code] = await ended
  if (code !== 0) throw new Error(`${file} can't be unpacked: ${output.trim()}`)
}

async function expectFitting(extraPath: string, half: string, launch: Launch): Promise<void> {
  const text = await readFile(join(extraPath, 'about.json'), 'utf8').catch(() => '')
  const parts = [join(half, 'backup_label'), join(extraPath, PASSWORD)]
  if (text === '' || !(await Promise.all(parts.map(exists))).every(Boolean))
    throw new Error('The file is no dump of the embedded database.')
  const { postgres, platform }: About = JSON.parse(text)
  const { file, args, options } = commandLine(launch, 'postgres', ['--version'])
  const { stdout } = await promisify(execFile)(file, args, options)
  const installedMajor = /\d+/.exec(stdout)?.[0]
  const major = (await readFile(join(half, 'PG_VERSION'), 'utf8')).trim()
  if (platform !== PLATFORM)
    throw new Error(`The dump is of ${platform} and this is ${PLATFORM}: its files do not fit.`)
  if (major !== installedMajor)
    throw new Error(`The dump is of PostgreSQL ${postgres}, and this release has ${installedMajor}.`)
}

async function moveAside(dataDir: string, cluster: string | undefined): Promise<string[]> {
  const suffix = `.replaced-${new Date().toISOString().replace(/[-:]|\..*/g, '')}`
  const moved = (await secretFiles(dataDir)).map((name) => join(dataDir, name))
  // The cluster may be in another folder; its password is next to it.
  if (cluster) moved.push(cluster, `${cluster}-password`)
  const links = (await lstat(join(dataDir, 'postgres')).catch(() => undefined))?.isSymbolicLink()
  if (links) await rm(join(dataDir, 'postgres'))
  for (const path of moved) await rename(path, `${path}${suffix}`)
  return moved.map((path) => `${path}${suffix}`)
}

/** Gives a folder to the account that runs the server, if that is another account. */
async function give(folder: string, { account }: Launch): Promise<void> {
  if (account) await promisify(execFile)('chown', ['-R', `${account.uid}:${account.gid}`, folder])
}
