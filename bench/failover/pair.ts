import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProcessReaper } from '#lib/platform/db/embedded/test-process-reaper.ts'
import { etcdSettings, isUp, makeDatabase, membersOf, type Node, nodeSettings, PASSWORD } from './nodes.ts'
import { type Account, freePorts, starter, waitFor } from './programs.ts'

/** The pair of deploy/pair, on ports and in folders of this run: etcd, two nodes, and HAProxy in front of them. */
export type Pair = {
  /** Addresses of the database through HAProxy: as the owner, and as a superuser. */
  url: string
  adminUrl: string
  /** Resolves when one node leads and the other one follows it by synchronous replication. */
  whole(): Promise<{ name: string }>
  /** kill -9 of the primary's postmaster; Patroni stays alive. */
  killPostmaster(): Promise<string>
  /** kill -9 of the primary's Patroni and postmaster, as if the machine had failed. Returns the node's name. */
  killNode(): Promise<string>
  startNode(name: string): void
  /** Nodes of the pair: the port of each node's Patroni, and its data directory. */
  nodes: readonly { name: string; port: number; data: string }[]
  /** kill -9 of all processes of both nodes. */
  killBoth(): void
  /** Runs `patronictl remove` once there is no leader: the next database gets the same name. */
  forget(): Promise<void>
  /** Address of HAProxy in front of the web processes, once `balance` has started it. */
  web: string
  balance(urls: readonly string[]): Promise<void>
}

/**
 * Starts the pair.
 * @param parameters of PostgreSQL in addition to those of patroni.yml, a line each
 * @throws Error if the pair is not complete after two minutes; the programs' output is in the files of `folder`
 */
export async function startPair(
  reaper: ProcessReaper,
  folder: string,
  account: Account,
  parameters = '',
): Promise<Pair> {
  const start = starter(reaper, folder, account)
  for (const file of ['patroni.yml', 'database.cfg', 'web.cfg', 'refusal.http'])
    cpSync(join('deploy/pair', file), join(folder, file))
  const patroni = join(folder, 'patroni.yml')
  const template = readFileSync(patroni, 'utf8')
  writeFileSync(patroni, template.replace(/^ {6}parameters:\n/m, `$&${parameters}`))
  const [client = 0, peer = 0, front = 0, webFront = 0, ...ports] = await freePorts(8)
  const etcd = { client: `http://127.0.0.1:${client}`, peer: `http://127.0.0.1:${peer}` }
  start('etcd', 'etcd', [], etcdSettings(folder, etcd.client, etcd.peer))
  const nodes = ['one', 'two'].map((name, index): Node => {
    const [port = 0, rest = 0] = ports.slice(2 * index)
    const node = { name, port, rest, data: join(folder, name) }
    const settings = nodeSettings(node, etcd.client)
    const run = () => start(name, 'patroni', [patroni], settings)
    return { ...node, settings, run, patroni: run() }
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
    waitFor(async () => {
      const members = await membersOf(nodes)
      const isFollowed = members.some(({ role, state }) => role === 'sync_standby' && isUp(state))
      const leader = members.find(({ role }) => role === 'leader')
      return isFollowed && nodes.find(({ name }) => name === leader?.name)
    })
  const killServer = ({ data }: Node) => {
    process.kill(Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]), 'SIGKILL')
  }
  const killAll = (node: Node) => {
    // Patroni first, because it would restart its server.
    node.patroni.kill()
    killServer(node)
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
      killAll(node)
      return node.name
    },
    nodes,
    killBoth: () => nodes.forEach(killAll),
    async forget() {
      const env = { ...process.env, ...nodes[0]?.settings }
      // patronictl asks for the name, for a confirmation, and, while there is a leader, for the leader's name.
      const input = 'console\nYes I am aware\n'
      await waitFor(async () => {
        execFileSync('patronictl', ['-c', patroni, 'remove', 'console'], {
          env,
          input,
          stdio: ['pipe', 'ignore', 'ignore'],
        })
        return true
      })
    },
    startNode(name) {
      const node = nodes.find((one) => one.name === name)
      if (node) node.patroni = node.run()
    },
    async balance(urls) {
      const [one = '', two = ''] = urls.map((url) => `127.0.0.1:${new URL(url).port}`)
      const settings = { WEB_LISTEN: `127.0.0.1:${webFront}`, WEB_ONE: one, WEB_TWO: two }
      start('web', 'haproxy', ['-f', join(folder, 'web.cfg')], settings)
      await waitFor(async () => (await fetch(`${web}/livez`)).ok)
    },
  }
}
