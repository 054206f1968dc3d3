import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { VERSION } from '#lib/platform/runtime/version.ts'
import { isUnreleased, notesOf } from './release/notes.ts'
import { readReleases, recordRelease } from './release/releases.ts'

// Checks, packs and records the release of package.json's version.
// npm run release [-- --dry-run | --tested <commit>]
// It writes the source archive, an SBOM (CycloneDX), the notes and checksums into dist/<version>, and the release into
// releases.json, which is committed afterwards. It runs the suite before, on the commit that is checked out, unless
// --tested names an earlier commit on which it passed: then that one is released. --dry-run neither runs the suite nor
// keeps or records anything.

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const JOURNAL = 'lib/platform/db/migrations/meta/_journal.json'
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

/**
 * Returns the commit to release.
 * @throws Error if it is not on this branch, or is of another version
 */
function releasedCommit(tested: string | undefined): string {
  const commit = run('git', 'rev-parse', '--verify', `${tested ?? 'HEAD'}^{commit}`)
    .toString()
    .trim()
  run('git', 'merge-base', '--is-ancestor', commit, 'HEAD')
  const { version } = JSON.parse(fileAt(commit, 'package.json').toString())
  if (version !== VERSION) throw new Error(`${tested} is ${version}, and not ${VERSION}.`)
  return commit
}

function fileAt(commit: string, path: string): Buffer {
  return run('git', 'show', `${commit}:${path}`)
}

/** @throws Error with the step that has to be done first */
function check(): void {
  const changed = run('git', 'status', '--porcelain').toString().trim()
  if (changed !== '') throw new Error(`Commit these changes first, or remove them:\n${changed}`)
  if (readReleases().some(({ version }) => version === VERSION))
    throw new Error(`releases.json has ${VERSION} already: raise the version in package.json.`)
}

/** Returns the SBOM of a commit's packages. */
function sbomOf(commit: string): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'sbom-'))
  try {
    for (const name of ['package.json', 'package-lock.json'])
      writeFileSync(join(folder, name), fileAt(commit, name))
    const options = ['--sbom-format', 'cyclonedx', '--omit', 'dev', '--package-lock-only']
    return run('npm', '--prefix', folder, 'sbom', ...options)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Writes the files of the release into a folder, and prints their checksums. */
function pack(commit: string, folder: string, notes: string): void {
  mkdirSync(folder, { recursive: true })
  const files = {
    [`${NAME}.tar.gz`]: run('git', 'archive', '--format=tar.gz', `--prefix=${NAME}/`, commit),
    [`${NAME}.cdx.json`]: sbomOf(commit),
    'notes.md': Buffer.from(notes),
  }
  const sums = Object.entries(files).map(([name, content]) => {
    writeFileSync(join(folder, name), content)
    return `${createHash('sha256').update(content).digest('hex')}  ${name}\n`
  })
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''))
  process.stdout.write(sums.join(''))
}

function release({ isDryRun, tested }: { isDryRun: boolean; tested: string | undefined }): void {
  check()
  const commit = releasedCommit(tested)
  const changelog = fileAt(commit, 'CHANGELOG.md').toString()
  if (!isDryRun && isUnreleased(VERSION, changelog))
    throw new Error(`CHANGELOG.md calls ${VERSION} unreleased in ${commit}: write the day there.`)
  const notes = notesOf(VERSION, changelog)
  if (isDryRun) {
    const folder = mkdtempSync(join(tmpdir(), 'release-'))
    try {
      pack(commit, folder, notes)
    } finally {
      rmSync(folder, { recursive: true })
    }
    console.log(`${VERSION} can be released. Nothing was kept, and the suite was not run.`)
    return
  }
  if (tested === undefined)
    execFileSync('npm', ['test'], { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] })
  pack(commit, join(ROOT, 'dist', VERSION), notes)
  const { entries } = JSON.parse(fileAt(commit, JOURNAL).toString())
  const newest: string = entries.at(-1).tag
  recordRelease({ version: VERSION, date: new Date().toISOString().slice(0, 10), commit, newest })
  console.log(`dist/${VERSION} has the files. Now commit releases.json, and: git tag v${VERSION} ${commit}`)
}

function options(): { isDryRun: boolean; tested: string | undefined } | undefined {
  try {
    const { values } = parseArgs({
      options: {
        'dry-run': { type: 'boolean', default: false },
        tested: { type: 'string' },
      },
    })
    return { isDryRun: values['dry-run'], tested: values.tested }
  } catch (error) {
    console.error(`${(error as Error).message}\nUsage: npm run release [-- --dry-run | --tested <commit>]`)
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
