import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { ProcessReaper } from '#lib/platform/db/embedded/test-process-reaper.ts'
import { PASSWORD } from '../failover/nodes.ts'
import { startPair } from '../failover/pair.ts'
import type { Account } from '../failover/programs.ts'
import { queryRows } from './database-state.ts'
import { copyToRecover, makeArchive, makeServer, type Programs, promoted, settings, start } from './server.ts'

/** A database with the addresses of its superuser and its owner. */
export type Restored = { adminUrl: string; ownerUrl: string; stop(): Promise<void> }

/** A kind of database that is backed up, archives its WAL below the folder of the run, and is restored to a moment. */
export type Kind = Restored & {
  /** Address that `pg_basebackup` connects to. */
  backupUrl: string
  /** Restores once the archive has all of the WAL. `afterCopy` is called between the copy and the start. */
  restore(moment: string, afterCopy: () => void): Promise<Restored>
}

type How = { reaper: ProcessReaper; folder: string; account: Account; run: Programs }

const to = (moment: string) => `recovery_target_time = '${moment}'`

/** A single server; the restored one runs next to it. */
export async function oneServer({ folder, account, run }: How): Promise<Kind> {
  const server = await makeServer(folder, account, run)
  const addresses = ({ url, stop }: typeof server): Restored => {
    return { adminUrl: url('postgres', 'console'), ownerUrl: url('console', 'console'), stop }
  }
  const backupUrl = server.url('postgres', 'postgres')
  await queryRows(backupUrl, 'CREATE ROLE console LOGIN CREATEROLE')
  await queryRows(backupUrl, 'CREATE DATABASE console OWNER console')
  return {
    ...addresses(server),
    backupUrl,
    async restore(moment, afterCopy) {
      const data = join(folder, 'restored')
      copyToRecover(folder, data, to(moment), account)
      afterCopy()
      const restored = addresses(await start(data, run))
      await promoted(restored.adminUrl)
      return restored
    },
  }
}

/**
 * The pair of deploy/pair, which is restored in place: the first node is restored to the moment, the second one copies
 * it.
 */
export async function pairOfNodes({ reaper, folder, account, run }: How): Promise<Kind> {
  makeArchive(folder, account)
  const pair = await startPair(reaper, folder, account, yamlOf(settings('archive.conf', folder)))
  const { adminUrl, url: ownerUrl } = pair
  const addresses = { adminUrl, ownerUrl, stop: async () => pair.killBoth() }
  return {
    ...addresses,
    backupUrl: adminUrl.replace('//postgres:', '//replicator:').replace(/console$/, 'postgres'),
    async restore(moment, afterCopy) {
      const [first, second] = pair.nodes
      if (!first || !second) throw new Error('There are no two nodes.')
      pair.killBoth()
      for (const { data } of pair.nodes) await rename(data, `${data}-lost`)
      copyToRecover(folder, first.data, to(moment), account)
      afterCopy()
      // Runs the restore without Patroni, which would remove the signal file.
      const alone = await start(first.data, run)
      await promoted(alone.url(`postgres:${PASSWORD}`, 'console'))
      await alone.stop()
      await pair.forget()
      pair.startNode(first.name)
      pair.startNode(second.name)
      await pair.whole()
      return addresses
    },
  }
}

/** Returns lines of postgresql.conf as parameters of patroni.yml. */
function yamlOf(lines: string): string {
  const entries = lines.matchAll(/^(\w+) = (.*)$/gm)
  return [...entries]
    .map(([, name, value]) => `        ${name}: ${value === 'on' ? '"on"' : value}\n`)
    .join('')
}
