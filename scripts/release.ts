import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { listMigrations } from '#lib/platform/db/migration-files.ts'
import { VERSION } from '#lib/platform/runtime/version.ts'
import { isUnreleased, notesOf } from './release/notes.ts'
import { readReleases, recordRelease } from './release/releases.ts'

// Checks, packs and records the release of package.json's version.
// npm run release [-- --dry-run | --tested]
// It writes the source archive, an SBOM (CycloneDX), the notes and checksums into dist/<version>, and the release into
// releases.json, which is committed afterwards. It runs the suite before, unless --tested states that it passed on this
// commit. --dry-run neither runs the suite nor keeps or records anything.

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const NAME = `licenses-invoices-${VERSION}`
/** An SBOM of all packages has some megabytes. */
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024

function run(program: string, ...args: string[]): Buffer {
  return execFileSync(program, args, {
    cwd: ROOT,
    maxBuffer: MAX_OUTPUT_BYTES,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

/** @throws Error with the step that has to be done first */
function check(isDryRun: boolean): string {
  const changed = run('git', 'status', '--porcelain').toString().trim()
  if (changed !== '') throw new Error(`Commit these changes first, or remove them:\n${changed}`)
  if (readReleases().some(({ version }) => version === VERSION))
    throw new Error(`releases.json has ${VERSION} already: raise the version in package.json.`)
  const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8')
  if (!isDryRun && isUnreleased(VERSION, changelog))
    throw new Error(`CHANGELOG.md calls ${VERSION} unreleased: write the day there.`)
  return notesOf(VERSION, changelog)
}

/** Writes the files of the release into a folder, and prints their checksums. */
function pack(folder: string, notes: string): void {
  mkdirSync(folder, { recursive: true })
  const files = {
    [`${NAME}.tar.gz`]: run('git', 'archive', '--format=tar.gz', `--prefix=${NAME}/`, 'HEAD'),
    [`${NAME}.cdx.json`]: run(
      'npm',
      'sbom',
      '--sbom-format',
      'cyclonedx',
      '--omit',
      'dev',
      '--package-lock-only',
    ),
    'notes.md': Buffer.from(notes),
  }
  const sums = Object.entries(files).map(([name, content]) => {
    writeFileSync(join(folder, name), content)
    return `${createHash('sha256').update(content).digest('hex')}  ${name}\n`
  })
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''))
  process.stdout.write(sums.join(''))
}

function release({ isDryRun, isTested }: { isDryRun: boolean; isTested: boolean }): void {
  const notes = check(isDryRun)
  if (isDryRun) {
    const folder = mkdtempSync(join(tmpdir(), 'release-'))
    try {
      pack(folder, notes)
    } finally {
      rmSync(folder, { recursive: true })
    }
    console.log(`${VERSION} can be released. Nothing was kept, and the suite was not run.`)
    return
  }
  if (!isTested) execFileSync('npm', ['test'], { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] })
  pack(join(ROOT, 'dist', VERSION), notes)
  const commit = run('git', 'rev-parse', 'HEAD').toString().trim()
  const newest = listMigrations().at(-1)?.name ?? ''
  recordRelease({ version: VERSION, date: new Date().toISOString().slice(0, 10), commit, newest })
  console.log(`dist/${VERSION} has the files. Now commit releases.json, and: git tag v${VERSION} ${commit}`)
}

function options(): { isDryRun: boolean; isTested: boolean } | undefined {
  try {
    const { values } = parseArgs({
      options: {
        'dry-run': { type: 'boolean', default: false },
        tested: { type: 'boolean', default: false },
      },
    })
    return { isDryRun: values['dry-run'], isTested: values.tested }
  } catch (error) {
    console.error(`${(error as Error).message}\nUsage: npm run release [-- --dry-run | --tested]`)
    return undefined
  }
}

const chosen = options()
if (!chosen) process.exitCode = 2
else
  try {
    release(chosen)
  } catch (error) {
    console.error((error as Error).message)
    process.exitCode = 1
  }
