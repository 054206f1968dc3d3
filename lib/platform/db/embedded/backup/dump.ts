import { createWriteStream } from 'node:fs'
import { open, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { startEmbedded } from '../../embedded.ts'
import { findCluster } from '../cluster.ts'
import { readPassword } from '../password.ts'
import { baseBackup } from './base-backup.ts'
import { tarEntry } from './tar.ts'

/** The folder of an archive with what stands beside the cluster in DATA_DIR. */
export const BESIDE = 'licenses-invoices'

/** What a dump says of itself. */
export type About = {
  /** The server's version, such as 18.4. */
  postgres: string
  /** Its files fit no other kind of machine: such as linux-x64. */
  platform: string
}

export const PLATFORM = `${process.platform}-${process.arch}`

/** The secrets of ours that are kept in a folder, by their files' names. */
export async function secretFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.filter((name) => name.endsWith('-secret')).sort()
}

/** The name of the server's password in an archive. */
export const PASSWORD = 'postgres-password'

/**
 * Writes the embedded database, as it is at one moment, and the secrets beside it into one file (.tar.gz), while others
 * go on writing. It is on the disk when this returns; what was not finished is removed.
 * @param file path of a file that is not there yet; nobody else may read it
 * @returns the names of our secrets in it
 */
export async function dumpEmbedded(dataDir: string, file: string, signal?: AbortSignal): Promise<string[]> {
  const handle = await open(file, 'wx', 0o600)
  try {
    const embedded = await startEmbedded(dataDir)
    try {
      const names = await secretFiles(dataDir)
      const about: About = { postgres: /\d+\.\d+/.exec(embedded.note)?.[0] ?? '', platform: PLATFORM }
      const beside = [tarEntry(`${BESIDE}/about.json`, Buffer.from(JSON.stringify(about)))]
      const cluster = await findCluster(dataDir)
      beside.push(tarEntry(`${BESIDE}/${PASSWORD}`, Buffer.from(await readPassword(cluster ?? ''))))
      for (const name of names)
        beside.push(tarEntry(`${BESIDE}/${name}`, await readFile(join(dataDir, name))))
      const archive = await baseBackup(embedded.url)
      const whole = Readable.from(
        (async function* () {
          yield* beside
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
