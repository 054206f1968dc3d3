import { join } from 'node:path'
import pg from 'pg'
import { type Running, serverBinaries, variables, waitFor } from './programs.ts'

/** Password of the owner, the superuser and the account `replicator`. */
export const PASSWORD = 'only-for-the-bench'

export type Node = {
  name: string
  data: string
  port: number
  rest: number
  settings: Record<string, string>
  patroni: Running
  run(): Running
}

/** A node as Patroni reports it. */
export type Member = { name: string; role: string; state: string }

/** Returns the settings of etcd.env for one process of this run. */
export function etcdSettings(folder: string, client: string, peer: string): Record<string, string> {
  return variables('etcd.env', {
    ETCD_DATA_DIR: join(folder, 'etcd'),
    ETCD_LISTEN_CLIENT_URLS: client,
    ETCD_ADVERTISE_CLIENT_URLS: client,
    ETCD_LISTEN_PEER_URLS: peer,
    ETCD_INITIAL_ADVERTISE_PEER_URLS: peer,
    ETCD_INITIAL_CLUSTER: `one=${peer}`,
  })
}

/** Returns the settings of node.env for a node of this run. */
export function nodeSettings(
  { name, data, port, rest }: Pick<Node, 'name' | 'data' | 'port' | 'rest'>,
  etcd: string,
): Record<string, string> {
  return variables('node.env', {
    PATRONI_NAME: name,
    PATRONI_RESTAPI_LISTEN: `127.0.0.1:${rest}`,
    PATRONI_RESTAPI_CONNECT_ADDRESS: `127.0.0.1:${rest}`,
    PATRONI_POSTGRESQL_LISTEN: `127.0.0.1:${port}`,
    PATRONI_POSTGRESQL_CONNECT_ADDRESS: `127.0.0.1:${port}`,
    PATRONI_POSTGRESQL_DATA_DIR: data,
    PATRONI_POSTGRESQL_PGPASS: `${data}.pgpass`,
    PATRONI_POSTGRESQL_BIN_DIR: serverBinaries() ?? '',
    PATRONI_ETCD3_HOSTS: new URL(etcd).host,
    PATRONI_SUPERUSER_PASSWORD: PASSWORD,
    PATRONI_REPLICATION_PASSWORD: PASSWORD,
  })
}

export const isUp = (state: string) => state === 'running' || state === 'streaming'

/** Returns the members of the cluster, as the first live node's Patroni reports them. */
export async function membersOf(nodes: readonly { rest: number }[]): Promise<Member[]> {
  for (const { rest } of nodes) {
    const answer = await fetch(`http://127.0.0.1:${rest}/cluster`).catch(() => undefined)
    const cluster = (await answer?.json().catch(() => undefined)) as { members?: Member[] } | undefined
    if (cluster?.members) return cluster.members
  }
  return []
}

/** Creates the logins and the database, as deploy/pair/README.md does once with psql. */
export async function makeDatabase(url: string): Promise<void> {
  const admin = await waitFor(async () => {
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
