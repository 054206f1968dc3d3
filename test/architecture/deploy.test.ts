import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { WEB } from '../../scripts/web-process.mjs'
import { projectFiles, read } from './scan.ts'

// Checks the names in the image and the recipes, which no test of the product runs.

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..')
const { devDependencies, engines } = JSON.parse(read('package.json'))
const NODE = ['--conditions=react-server', '--disable-warning=ExperimentalWarning']
/** Variables that Node and the C library read; `lib/platform/runtime/env.ts` does not. */
const OF_THE_PROCESS = ['NODE_ENV', 'NEXT_TELEMETRY_DISABLED', ...Object.keys(WEB.env)]
const SETTINGS = [...read('.env.example').matchAll(/^# ([A-Z_]+)=/gm)].map(([, name]) => name)

/** Returns the instructions of a Dockerfile, each as its keyword and the rest; a line that ends in `\` continues. */
function instructions(text: string): [string, string][] {
  const lines = text
    .replace(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
  return lines.flatMap((line) => {
    const [, instruction, rest] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? []
    return instruction && rest ? [[instruction, rest] as [string, string]] : []
  })
}

const settingsOf = (text: string) =>
  Object.fromEntries([...text.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]))

describe('Dockerfile', () => {
  const all = instructions(read('Dockerfile'))
  const [build, run] = [all.slice(0, lastFrom(all)), all.slice(lastFrom(all))]
  const argumentsOf = (part: [string, string][], instruction: string) =>
    part.flatMap(([one, rest]) => (one === instruction ? [rest] : []))
  const env = settingsOf(argumentsOf(run, 'ENV').join(' '))

  test('uses the Node version of the packages and the build', () => {
    const images = argumentsOf(all, 'FROM').map((from) => from.split(' ')[0])
    expect(new Set(images)).toEqual(new Set([`node:${devDependencies.node}-slim`]))
    expect(Number.parseInt(devDependencies.node, 10)).toBe(Number.parseInt(engines.node.slice(2), 10))
  })

  test('copies named paths only, which are all that .dockerignore lets in', () => {
    const ignored = read('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
    expect(ignored[0]).toBe('*')
    const allowed = ignored.flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []))
    const sources = argumentsOf(all, 'COPY')
      .filter((line) => !line.startsWith('--from'))
      .flatMap((line) => line.split(' ').slice(0, -1))
      .filter((path) => !path.startsWith('--'))
    expect(sources).not.toContain('.')
    for (const path of [...sources, ...allowed])
      expect([path, existsSync(join(ROOT, path))]).toEqual([path, true])
    for (const path of allowed) expect(sources).toContain(path.startsWith('scripts/') ? 'scripts' : path)
  })

  test('builds by the account that runs it, whose compile cache no other one finds', () => {
    expect(argumentsOf(build, 'USER')).toEqual(['node'])
    expect(argumentsOf(run, 'COPY')).toContain('--from=build --chown=node:node /app/compiled .next/compiled')
  })

  test('has the commands of npm run admin as admin', () => {
    const { scripts } = JSON.parse(read('package.json'))
    const [, options = ''] = /setup\.mjs (.*) lib\/admin\/main\.ts$/.exec(scripts.admin) ?? []
    expect(read('deploy/admin').replaceAll(/\\\n\s*/g, '')).toContain(
      `exec node ${NODE.join(' ')} ${options} /app/lib/admin/main.ts "$@"`,
    )
  })

  test('builds with existing scripts, and starts like npm start, but as an unprivileged user', () => {
    const { scripts } = JSON.parse(read('package.json'))
    const commands = argumentsOf(build, 'RUN').join(' ')
    const names = [...commands.matchAll(/npm run (\w+)/g)].map(([, name = '']) => name)
    expect(names).not.toEqual([])
    for (const name of names) expect(scripts).toHaveProperty(name)
    expect(commands).toContain('npm run build')
    expect(JSON.parse(argumentsOf(run, 'CMD').at(-1) ?? '')).toEqual([
      'node',
      ...NODE,
      ...WEB.options,
      scripts.start.split(' ').at(-1),
    ])
    expect(argumentsOf(run, 'USER')).toEqual(['node'])
    const compiled = WEB.env.NODE_COMPILE_CACHE.slice(ROOT.length + 1)
    expect(env).toMatchObject({ ...WEB.env, NODE_COMPILE_CACHE: `/app/${compiled}`, NODE_ENV: 'production' })
  })

  test('sets existing settings, and checks on its port whether the process is alive', () => {
    const unknown = Object.keys(env).filter((name) => ![...SETTINGS, ...OF_THE_PROCESS].includes(name))
    expect(unknown).toEqual([])
    expect(argumentsOf(run, 'EXPOSE')).toEqual([env.PORT])
    expect(argumentsOf(run, 'HEALTHCHECK').join()).toContain(`http://127.0.0.1:${env.PORT}/livez`)
  })
})

describe('deploy/compose.yml', () => {
  const { services, volumes } = parse(read('deploy/compose.yml'))
  const { web, migrate, database } = services

  test('passes all settings of a file, and the owner’s address to the migration only', () => {
    expect(Object.keys(web.environment).filter((name) => !SETTINGS.includes(name))).toEqual([])
    expect(web.environment).toMatchObject({ MIGRATE_AT_START: '0' })
    expect([web.env_file, migrate.env_file]).toEqual(['settings.env', ['settings.env', 'owner.env']])
  })

  test('hides none of the settings that it does not have to set itself', () => {
    const reachable = (service: typeof web) =>
      SETTINGS.filter((name = '') => !Object.keys(service.environment ?? {}).includes(name))
    const all = new Set(SETTINGS)
    expect(all).toContain('RATE_LIMIT_REQUESTS')
    expect([...all].filter((name) => !reachable(web).includes(name)).sort()).toEqual([
      'HOST',
      'MIGRATE_AT_START',
      'PORT',
      'TRUST_PROXY',
    ])
    expect(reachable(migrate)).toHaveLength(SETTINGS.length)
  })

  test('mounts the files of secrets where its comment names them, and git ignores them', () => {
    const [, path = ''] = /[A-Z]+_SECRET_FILE=(\/\S+)\/\w+ names it/.exec(read('deploy/compose.yml')) ?? []
    for (const service of [web, migrate]) expect(service.volumes).toEqual([`./secrets:${path}:ro`])
    expect(read('.gitignore').split('\n')).toEqual(
      expect.arrayContaining(['/deploy/secrets/', '/deploy/*.env']),
    )
  })

  test('runs the image as its own account, without privileges, on a root that it cannot write', () => {
    for (const service of [web, migrate]) {
      expect(service).toMatchObject({
        image: 'licenses-invoices',
        read_only: true,
        tmpfs: '/tmp',
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      })
      expect(
        Object.keys(service).filter((key) => /^(user|privileged|cap_add|pid|network_mode)$/.test(key)),
      ).toEqual([])
    }
    // Nothing but secrets is mounted, and the port is not one that needs privileges.
    expect(web.volumes).toHaveLength(1)
    expect(Number(web.environment.PORT)).toBeGreaterThan(1023)
  })

  test('waits longer for the end of a process than it drains', () => {
    const seconds = (text: string) => Number(/^(\d+)s$/.exec(text)?.[1])
    const [, drain] = /^# DRAIN_SECONDS=(\d+)$/m.exec(read('.env.example')) ?? []
    expect(seconds(web.stop_grace_period)).toBeGreaterThan(Number(drain) + 20)
  })

  test('starts a database only with its profile, and others wait until it answers', () => {
    expect(database.profiles).toEqual(['database'])
    expect(migrate.depends_on.database).toEqual({ condition: 'service_healthy', required: false })
    expect(database.healthcheck.test).toContain('pg_isready')
    expect(Object.keys(volumes)).toEqual(database.volumes.map((volume: string) => volume.split(':')[0]))
  })

  test('migrates before the web processes start, with an existing program', () => {
    expect(migrate.command).toEqual(['admin', 'database', 'migrate'])
    expect(web.depends_on.migrate.condition).toBe('service_completed_successfully')
  })

  test('builds the image, and checks its health where it listens', () => {
    for (const { build } of [web, migrate])
      expect(existsSync(join(ROOT, 'deploy', build, 'Dockerfile'))).toBe(true)
    expect(web.healthcheck.test.join(' ')).toContain('http://127.0.0.1:3000/readyz')
    expect(web.ports.every((port: string) => port.endsWith(':3000'))).toBe(true)
  })
})

describe('deploy/pair', () => {
  const env = { DB_LISTEN: '127.0.0.1:1', WEB_LISTEN: '127.0.0.1:2' }
  const servers = {
    DB_ONE: '127.0.0.1:3',
    DB_TWO: '127.0.0.1:4',
    WEB_ONE: '127.0.0.1:5',
    WEB_TWO: '127.0.0.1:6',
  }

  test('checks which database is the leader, and which web processes accept requests', () => {
    expect(read('deploy/pair/database.cfg')).toContain('httpchk OPTIONS /primary')
    const checkPath = /httpchk GET (\S+)/.exec(read('deploy/pair/web.cfg'))?.[1]
    expect(read('lib/server/target.ts')).toContain(checkPath?.slice(1))
    expect(checkPath).toBe('/healthz')
  })

  test("sends the API's error responses", () => {
    const [statusAndHeaders = '', body = ''] = read('deploy/pair/refusal.http').split('\r\n\r\n')
    expect(statusAndHeaders).toMatch(
      /^HTTP\/1\.1 503 .*Content-Type: application\/problem\+json.*Retry-After: \d/s,
    )
    expect(Number(/Content-Length: (\d+)/.exec(statusAndHeaders)?.[1])).toBe(Buffer.byteLength(body))
    expect(JSON.parse(body)).toMatchObject({ status: 503, code: 'service_unavailable' })
  })

  test('waits for a synchronous standby, and names each of its nodes once', () => {
    const { bootstrap } = parse(read('deploy/pair/patroni.yml'))
    const { ttl, loop_wait, retry_timeout, synchronous_mode } = bootstrap.dcs
    expect(synchronous_mode).toBe(true)
    // Otherwise a leader with one slow answer would count as dead.
    expect(ttl).toBeGreaterThanOrEqual(loop_wait + 2 * retry_timeout)
    const node = parseEnv(read('deploy/pair/node.env'))
    expect(Object.keys(node).every((name) => name.startsWith('PATRONI_'))).toBe(true)
  })

  const isThere = spawnSync('haproxy', ['-v']).status === 0
  test.runIf(isThere)('has files that HAProxy accepts', () => {
    const ports = { DB_ONE_PATRONI: '8008', DB_TWO_PATRONI: '8008' }
    for (const file of ['database.cfg', 'web.cfg']) {
      const assignments = Object.entries({ ...env, ...servers, ...ports }).map(
        ([name, value]) => `${name}=${value}`,
      )
      const path = join(ROOT, 'deploy/pair', file)
      const { status, stderr } = spawnSync('env', [...assignments, 'haproxy', '-c', '-f', path], {
        encoding: 'utf8',
      })
      expect([status, stderr]).toEqual([0, expect.not.stringContaining('ALERT')])
    }
  })
})

test('each YAML file of deploy/ is valid', () => {
  const files = projectFiles('deploy').filter((file) => /\.ya?ml$/.test(file))
  expect(files.length).toBeGreaterThan(1)
  for (const file of files) expect(() => parse(read(file)), file).not.toThrow()
  expect(globSync('deploy/*/README.md', { cwd: ROOT }).length).toBeGreaterThan(0)
})

function lastFrom(all: readonly [string, string][]): number {
  return all.findLastIndex(([instruction]) => instruction === 'FROM')
}

test('the container keeps the documents that pages show', () => {
  const dockerfile = readFileSync('Dockerfile', 'utf8')
  expect(dockerfile).toContain('COPY docs/api-changelog.md docs/webhooks.md docs/')
})
