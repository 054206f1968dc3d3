import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import type { Warden } from '#lib/db/embedded/test-warden.ts'
import {
  type Account,
  freePorts,
  type Running,
  serverBinaries,
  soon,
  starter,
  variables,
} from './programs.ts'

const PASSWORD = 'only-for-the-bench'

type Node = { name: string; data: string; port: number; rest: number; patroni: Running; run(): Running }
type Member = { name: string; role: string; state: string }

/** The pair of deploy/pair, on ports and in folders of this run: etcd, two nodes, and HAProxy before them. */
export type Pair = {
  /** By HAProxy, as the owner of the database; and as a superuser. */
  url: string
  adminUrl: string
  /** Resolves when one node leads and the other one follows it by synchronous replication. */
  whole(): Promise<{ name: string }>
  /** kill -9 of the primary's postmaster; Patroni lives. */
  killPostmaster(): Promise<string>
  /** kill -9 of the primary's Patroni and postmaster, as when the machine is gone. Gives its name. */
  killNode(): Promise<string>
  startNode(name: string): void
  /** Where HAProxy is before the web processes, from then on. */
  web: string
  balance(urls: readonly string[]): Promise<void>
}

/** @throws Error where it is not whole after two minutes; what the programs said is in the files of `folder` */
export async function startPair(warden: Warden, folder: string, account: Account): Promise<Pair> {
  const start = starter(warden, folder, account)
  for (const file of ['patroni.yml', 'database.cfg', 'web.cfg', 'refusal.http'])
    cpSync(join('deploy/pair', file), join(folder, file))
  const [client = 0, peer = 0, front = 0, webFront = 0, ...ports] = await freePorts(8)
  const etcd = { client: `http://127.0.0.1:${client}`, peer: `http://127.0.0.1:${peer}` }
  const etcdSettings = variables('etcd.env', {
    ETCD_DATA_DIR: join(folder, 'etcd'),
    ETCD_LISTEN_CLIENT_URLS: etcd.client,
    ETCD_ADVERTISE_CLIENT_URLS: etcd.client,
    ETCD_LISTEN_PEER_URLS: etcd.peer,
    ETCD_INITIAL_ADVERTISE_PEER_URLS: etcd.peer,
    ETCD_INITIAL_CLUSTER: `one=${etcd.peer}`,
  })
  start('etcd', 'etcd', [], etcdSettings)
  const nodes = ['one', 'two'].map((name, index): Node => {
    const [port = 0, rest = 0] = ports.slice(2 * index)
    const data = join(folder, name)
    const settings = variables('node.env', {
      PATRONI_NAME: name,
      PATRONI_RESTAPI_LISTEN: `127.0.0.1:${rest}`,
      PATRONI_RESTAPI_CONNECT_ADDRESS: `127.0.0.1:${rest}`,
      PATRONI_POSTGRESQL_LISTEN: `127.0.0.1:${port}`,
      PATRONI_POSTGRESQL_CONNECT_ADDRESS: `127.0.0.1:${port}`,
      PATRONI_POSTGRESQL_DATA_DIR: data,
      PATRONI_POSTGRESQL_PGPASS: `${data}.pgpass`,
      PATRONI_POSTGRESQL_BIN_DIR: serverBinaries() ?? '',
      PATRONI_ETCD3_HOSTS: `127.0.0.1:${client}`,
      PATRONI_SUPERUSER_PASSWORD: PASSWORD,
      PATRONI_REPLICATION_PASSWORD: PASSWORD,
    })
    const run = () => start(name, 'patroni', [join(folder, 'patroni.yml')], settings)
    return { name, data, port, rest, run, patroni: run() }
  })
  start('database', 'haproxy', ['-f', join(folder, 'database.cfg')], {
    DB_LISTEN: `127.0.0.1:${front}`,
    ...Object.fromEntries(
      nodes.flatMap(({ name, port, rest }) => [
        [`DB_${name.toUpperCase()}`, `127.0.0.1:${port}`],
        [`DB_${name.toUpperCase()}_PATRONI`, String(rest)],
      ]),
    ),
  })

  const whole = () =>
    soon(async () => {
      const members = await membersOf(nodes)
      const isFollowed = members.some(({ role, state }) => role === 'sync_standby' && isUp(state))
      const leader = members.find(({ role }) => role === 'leader')
      return isFollowed && nodes.find(({ name }) => name === leader?.name)
    })
  const killServer = ({ data }: Node) => {
    process.kill(Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]), 'SIGKILL')
  }
  const web = `http://127.0.0.1:${webFront}`
  await whole()
  const adminUrl = (database: string) => `postgres://postgres:${PASSWORD}@127.0.0.1:${front}/${database}`
  await makeDatabase(adminUrl('postgres'))
  return {
    url: `postgres://console:${PASSWORD}@127.0.0.1:${front}/console`,
    adminUrl: adminUrl('console'),
    web,
    whole,
    async killPostmaster() {
      const node = await whole()
      killServer(node)
      return node.name
    },
    async killNode() {
      const node = await whole()
      // Patroni first: it would start its server again.
      node.patroni.kill()
      killServer(node)
      return node.name
    },
    startNode(name) {
      const node = nodes.find((one) => one.name === name)
      if (node) node.patroni = node.run()
    },
    async balance(urls) {
      const [one = '', two = ''] = urls.map((url) => `127.0.0.1:${new URL(url).port}`)
      const settings = { WEB_LISTEN: `127.0.0.1:${webFront}`, WEB_ONE: one, WEB_TWO: two }
      start('web', 'haproxy', ['-f', join(folder, 'web.cfg')], settings)
      await soon(async () => (await fetch(`${web}/livez`)).ok)
    },
  }
}

const isUp = (state: string) => state === 'running' || state === 'streaming'

/** As Patroni of any node that lives tells it. */
async function membersOf(nodes: readonly Node[]): Promise<Member[]> {
  for (const { rest } of nodes) {
    const answer = await fetch(`http://127.0.0.1:${rest}/cluster`).catch(() => undefined)
    const told = (await answer?.json().catch(() => undefined)) as { members?: Member[] } | undefined
    if (told?.members) return told.members
  }
  return []
}

/** What deploy/pair/README.md does once with psql. */
async function makeDatabase(url: string): Promise<void> {
  const admin = await soon(async () => {
    // HAProxy may not have seen the primary yet.
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    await client.connect()
    return client
  })
  await admin.query(`CREATE ROLE console LOGIN CREATEROLE PASSWORD '${PASSWORD}'`)
  await admin.query('CREATE DATABASE console OWNER console')
  await admin.end()
}
