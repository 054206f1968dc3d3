import { cp, lstat, mkdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import pg from 'pg'
import { startEmbedded } from '../embedded.ts'

/** Streaming standby of another server, whose replay can be paused. */
export type Standby = {
  url: string
  /** Pauses the replay of received WAL; resolves when replay has paused. */
  pause(): Promise<void>
  resume(): Promise<void>
  /** Resolves when it has replayed all writes of the primary up to now. */
  catchUp(): Promise<void>
  stop(): Promise<void>
}

/**
 * Creates a standby of a running embedded server, like `pg_basebackup`, which the packages lack.
 * @param primary data directory and URL of the server, with its superuser
 * @param folder a folder that does not exist yet
 */
export async function startStandby(
  primary: { folder: string; url: string },
  folder: string,
): Promise<Standby> {
  const primaryClient = await connected(primary.url)
  await primaryClient.query("SELECT pg_backup_start('standby', true)")
  await mkdir(folder, { recursive: true })
  const filter = async (path: string) => {
    const isRun = ['postmaster.pid', 'postmaster.opts', 'run'].includes(basename(path))
    // Files that vanish during the copy are restored by the WAL, which is kept completely.
    return !isRun && !(await lstat(path).catch(() => undefined))?.isSocket()
  }
  const data = join(folder, 'postgres')
  await cp(join(primary.folder, 'postgres'), data, { recursive: true, filter })
  const { rows } = await primaryClient.query('SELECT labelfile FROM pg_backup_stop(false)')
  await writeFile(join(data, 'backup_label'), rows[0].labelfile)
  await writeFile(join(data, 'standby.signal'), '')
  const { searchParams, hostname, port, password } = new URL(primary.url)
  const host = searchParams.get('host') ?? hostname
  const conf = [
    `primary_conninfo = 'host=''${host}'' port=${port} user=postgres password=${password}'`,
    // A read that conflicts with replay is cancelled immediately.
    'max_standby_streaming_delay = 0',
  ]
  await writeFile(join(data, 'postgresql.auto.conf'), `${conf.join('\n')}\n`)
  await cp(`${join(primary.folder, 'postgres')}-password`, `${data}-password`)
  const server = await startEmbedded(folder)
  const there = await connected(server.url)
  const readValue = async (from: pg.Client, what: string) =>
    (await from.query(`SELECT ${what} AS it`)).rows[0].it
  return {
    url: server.url,
    async pause() {
      await there.query('SELECT pg_wal_replay_pause()')
      while ((await readValue(there, 'pg_get_wal_replay_pause_state()')) !== 'paused') await pause()
    },
    async resume() {
      await there.query('SELECT pg_wal_replay_resume()')
    },
    async catchUp() {
      const until = await readValue(primaryClient, 'pg_current_wal_flush_lsn()')
      while (!(await readValue(there, `pg_last_wal_replay_lsn() >= '${until}'`))) await pause()
    },
    async stop() {
      await Promise.all([primaryClient.end(), there.end()])
      await server.release()
    },
  }
}

// Fixed wait: polling interval.
const pause = () => new Promise((resolve) => setTimeout(resolve, 10))

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  return client
}
