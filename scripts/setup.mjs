// Every npm script starts here: `node scripts/setup.mjs [--no-env-file] [--web] [Node's options] <script.ts> [arguments]`.
// Plain JavaScript for any Node from 18: it installs missing packages, then runs the script with the Node 24
// that npm installed. Its own output goes to stderr, so that a script's own output can be piped.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { acquireLock } from './lock.mjs'
import { showProgress } from './progress.mjs'
import { WEB } from './web-process.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const windows = process.platform === 'win32'
const ownNode = join(root, 'node_modules', 'node', 'bin', windows ? 'node.exe' : 'node')
const hasOnlyProduction = isProductionAlone()
const node = hasOnlyProduction ? process.execPath : ownNode
const binaries = join(root, 'node_modules', '.bin')
const outerPath = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => resolve(folder) !== resolve(binaries))

const args = process.argv.slice(2)
// Tests must not reach the database that a developer's .env names.
const createsEnvFile = args[0] !== '--no-env-file' || !args.shift()
const isWeb = args[0] === '--web' && Boolean(args.shift())
const nodeOptions = isWeb ? [...WEB.options] : []
while (args[0]?.startsWith('--')) nodeOptions.push(args.shift())
const script = args.shift()
if (!script)
  stop("Usage: node scripts/setup.mjs [--no-env-file] [--web] [Node's options] <script.ts> [arguments]", 2)

if (!isInstalled()) await install()
if (!existsSync(node)) {
  stop(
    `${node} is missing: the npm package "node" brings Node 24 in its install script, which was not allowed to run ` +
      'or failed. Run `npm rebuild node --ignore-scripts=false` and try again.',
  )
}
run(script)

/**
 * Returns whether the production packages are enough: in an image, whose Node has the version that the development
 * packages would bring.
 */
function isProductionAlone() {
  if (process.env.NODE_ENV !== 'production' || existsSync(ownNode)) return false
  return `v${readPackages(join(root, 'package-lock.json'))['node_modules/node']?.version}` === process.version
}

/** Returns whether node_modules has the packages of package-lock.json, by npm's own record of its installation. */
function isInstalled() {
  const expected = readPackages(join(root, 'package-lock.json'))
  const record = join(root, 'node_modules', '.package-lock.json')
  if (!existsSync(record) || !existsSync(node)) return false
  const present = readPackages(record)
  return Object.entries(expected).every(([path, { version, integrity, dev, optional, devOptional }]) => {
    const got = present[path]
    if (!got && dev && hasOnlyProduction) return true
    // An optional package may be for another platform.
    if (!got) return path === '' || optional || devOptional
    return got.version === version && got.integrity === integrity
  })
}

function readPackages(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages
  } catch (error) {
    return stop(`${path} can't be read: ${error.message}`)
  }
}

async function install() {
  const release = acquireLock('install', {
    waiting: () => print('Waiting for another run that installs packages …'),
  })
  try {
    // The process that held the lock may have installed them.
    if (isInstalled()) return
    const done = showProgress('Installing packages', '1 to 6 minutes, 2.2 GB of disk; once')
    // Without node_modules/.bin: npm must not run on the Node that it is about to replace.
    const npm = await runNpm(['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'])
    if (npm.error?.code === 'ENOENT')
      stop('npm is not on the PATH. Install Node.js with npm (https://nodejs.org).')
    if (npm.error) stop(`npm did not run: ${npm.error.message}`)
    if (npm.status === 0) return done()
    print(`\n${npm.output}`)
    stop(`Installing packages failed: npm ci ended with ${npm.status ?? npm.signal}.`)
  } finally {
    release()
  }
}

/** @returns {Promise<{ error?: NodeJS.ErrnoException, status?: number | null, signal?: string | null, output: string }>} */
function runNpm(options) {
  const npm = spawn('npm', options, {
    cwd: root,
    env: { ...process.env, PATH: outerPath.join(delimiter), NODE_ENV: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: windows,
  })
  let output = ''
  for (const stream of [npm.stdout, npm.stderr]) stream.on('data', (text) => (output += text))
  return new Promise((end) => {
    npm.on('error', (error) => end({ error, output }))
    npm.on('close', (status, signal) => end({ status, signal, output }))
  })
}

function run(file) {
  const options = ['--conditions=react-server', '--disable-warning=ExperimentalWarning', ...nodeOptions]
  const envFile = join(root, '.env')
  if (createsEnvFile && existsSync(envFile)) options.push(`--env-file=${envFile}`)
  const child = spawn(node, [...options, resolve(root, file), ...args], {
    cwd: root,
    env: {
      ...(isWeb ? WEB.env : {}),
      ...process.env,
      PATH: [binaries, ...outerPath].join(delimiter),
      NEXT_TELEMETRY_DISABLED: '1',
      // The user's working directory, for file arguments: npm sets it, a direct call doesn't.
      INIT_CWD: process.env.INIT_CWD ?? process.cwd(),
    },
    stdio: 'inherit',
  })
  const onTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY
  let isInterrupted = false
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2']) {
    process.on(signal, () => {
      isInterrupted ||= signal !== 'SIGUSR2'
      // A terminal's Ctrl-C reaches the child by itself; sent twice it would cut a drain short.
      if (signal !== 'SIGINT' || !onTerminal) child.kill(signal)
    })
  }
  // If the whole group was signalled, the end of npm is not a second request, which would cut running requests.
  if (process.env.npm_lifecycle_event) followNpm(() => isInterrupted || child.kill('SIGTERM'))
  child.on('error', (error) => stop(`${node} did not start: ${error.message}`))
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
}

/**
 * Calls `onGone` when the shell between npm and this process has ended: npm passes a signal to that shell, which ends
 * without passing it on, and the server would run on without its owner.
 */
function followNpm(onExit) {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    onExit()
  }, 300)
}

function print(text) {
  process.stderr.write(`${text}\n`)
}

/** @returns {never} */
function stop(text, code = 1) {
  print(text)
  process.exit(code)
}
