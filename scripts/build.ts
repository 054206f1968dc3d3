import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compressAll } from './compress.ts'
import { acquireLock } from './lock.mjs'
import { showProgress } from './progress.mjs'
import { WEB } from './web-process.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const STAMP = join(ROOT, '.next', 'inputs.sha256')
const INPUTS = [
  'app',
  'components',
  'lib',
  'public',
  'scripts/compile.ts',
  'scripts/compress.ts',
  'scripts/web-process.mjs',
  'instrumentation.ts',
  'instrumentation-client.ts',
  'next.config.mjs',
  'postcss.config.mjs',
  'tsconfig.json',
  'package.json',
  'package-lock.json',
]

/**
 * Builds the app with `next build`, unless the last build had the same inputs. A second build at the same
 * time waits for the first. The output of its programs is shown only when they fail.
 * @param options.quiet prints nothing if the build is up to date
 * @throws Error when the build fails
 */
export async function build({ quiet = false } = {}): Promise<void> {
  const release = acquireLock('build', { waiting: () => console.error('Waiting for another build …') })
  try {
    const inputs = digest()
    if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === inputs) {
      if (!quiet) console.log('The build is up to date.')
      return
    }
    rmSync(STAMP, { force: true })
    const done = showProgress('Building', '1 minute, 4 on a busy machine; when something changed')
    await run(['node_modules/next/dist/bin/next', 'build'])
    await compressAll(join(ROOT, '.next', 'static'))
    // Uses the options of a web process, because the compile cache depends on them.
    const node = ['--conditions=react-server', '--disable-warning=ExperimentalWarning', ...WEB.options]
    await run([...node, 'scripts/compile.ts'], WEB.env)
    // A drawing thread that starts while memory is scarce reads another folder of the compile cache.
    await run([...node, ...WEB.scarce, 'lib/billing/invoice-files/worker.ts'], WEB.env)
    writeFileSync(STAMP, inputs)
    done()
  } finally {
    release()
  }
}

function digest(): string {
  const hash = createHash('sha256').update(process.version)
  for (const input of INPUTS) {
    for (const file of filesOf(input)) hash.update(`\0${file}\0`).update(readFileSync(join(ROOT, file)))
  }
  return hash.digest('hex')
}

function filesOf(path: string): string[] {
  const full = join(ROOT, path)
  if (!existsSync(full)) return []
  if (!statSync(full).isDirectory()) return [path]
  const names = readdirSync(full, { recursive: true, encoding: 'utf8' }).sort()
  const files = names.map((name) => join(path, name)).filter((file) => !/\.test\.tsx?$/.test(file))
  return files.filter((file) => statSync(join(ROOT, file)).isFile())
}

async function run(program: string[], more: Record<string, string> = {}): Promise<void> {
  const child = spawn(process.execPath, program, {
    cwd: ROOT,
    env: { ...process.env, ...more, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk))
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve))
  if (code === 0) return
  process.stderr.write(Buffer.concat(output))
  throw new Error(`${program.at(-1)} ended with ${code}.`)
}

if (import.meta.main) {
  await build().catch((error: Error) => {
    console.error(error.message)
    process.exitCode = 1
  })
}
