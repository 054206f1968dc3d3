import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { VERSION } from '#lib/platform/runtime/version.ts'
import { isUnreleased, notesOf } from './notes.ts'
import { olderCommit, readReleases, recordRelease } from './releases.ts'

test('notes are the section of a version, with or without its date', () => {
  const changelog = '# Changelog\n\n## 1.1.0 (2026-12-01)\n\n- New.\n\n## [1.0.0]\n\n### Added\n\n- First.\n'
  expect(notesOf('1.1.0', changelog)).toBe('- New.\n')
  expect(notesOf('1.0.0', changelog)).toBe('### Added\n\n- First.\n')
  expect(isUnreleased('1.1.0', changelog)).toBe(false)
  expect(isUnreleased('1.1.0', changelog.replace('2026-12-01', 'unreleased'))).toBe(true)
  expect(() => notesOf('1.0', changelog)).toThrow('CHANGELOG.md has no section "## 1.0" with text.')
})

test('a release is recorded after the others', () => {
  const folder = mkdtempSync(join(tmpdir(), 'releases-'))
  const file = join(folder, 'releases.json')
  writeFileSync(file, '[]\n')
  const release = { version: '1.0.0', date: '2026-11-29', commit: 'HEAD', newest: '0084_used-confirmations' }
  recordRelease(release, file)
  recordRelease({ ...release, version: '1.1.0' }, file)
  expect(readReleases(file).map(({ version }) => version)).toEqual(['1.0.0', '1.1.0'])
  expect(olderCommit(undefined, readReleases(file))).toMatch(/^[0-9a-f]{7,}$/)
  rmSync(folder, { recursive: true })
})

test('without a release, a commit has to be named', () => {
  expect(() => olderCommit(undefined, [])).toThrow(
    'releases.json has no release yet: name a commit after `--`.',
  )
})

test('the notes, the archive and the migration of --tested are those of the tested commit', () => {
  const folder = mkdtempSync(join(tmpdir(), 'release-'))
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { cwd: folder, stdio: 'pipe' })
  const commit = (notes: string) => {
    writeFileSync(join(folder, 'CHANGELOG.md'), `# Changelog\n\n## ${VERSION} (2026-12-01)\n\n${notes}\n`)
    run('git', 'add', '--all')
    run('git', '-c', 'user.name=t', '-c', 'user.email=t@example.org', 'commit', '--quiet', '--message', notes)
    return run('git', 'rev-parse', 'HEAD').toString().trim()
  }
  for (const path of ['scripts/release.ts', 'scripts/release', 'lib/platform/runtime/version.ts'])
    cpSync(path, join(folder, path), { recursive: true })
  const { name, type, imports } = JSON.parse(readFileSync('package.json', 'utf8'))
  const lock = { name, version: VERSION, lockfileVersion: 3, packages: { '': { name, version: VERSION } } }
  const journal = 'lib/platform/db/migrations/meta/_journal.json'
  mkdirSync(join(folder, dirname(journal)), { recursive: true })
  const files = {
    'package.json': { name, version: VERSION, type, imports },
    'package-lock.json': lock,
    'releases.json': [],
    [journal]: { entries: [{ tag: '0001_first' }] },
  }
  for (const [path, content] of Object.entries(files))
    writeFileSync(join(folder, path), JSON.stringify(content))
  run('git', 'init', '--quiet')
  const tested = commit('- Tested.')
  commit('- Not tested.')
  run(process.execPath, '--conditions=react-server', 'scripts/release.ts', '--tested', tested)
  expect(readFileSync(join(folder, 'dist', VERSION, 'notes.md'), 'utf8')).toBe('- Tested.\n')
  const [release] = readReleases(join(folder, 'releases.json'))
  expect(release).toMatchObject({ version: VERSION, commit: tested, newest: '0001_first' })
  rmSync(folder, { recursive: true })
})

test.each([
  ['scripts/side-by-side.ts', 'no-such-commit'],
  ['scripts/test.ts', '--deep', 'no-such-commit'],
])('%s ends with one sentence where the older version is unknown', async (...args) => {
  const options = ['--conditions=react-server', '--disable-warning=ExperimentalWarning']
  const ended = await new Promise<{ code: unknown; err: string }>((resolve) =>
    execFile(process.execPath, [...options, ...args], (error, _out, err) =>
      resolve({ code: error?.code, err }),
    ),
  )
  expect(ended).toEqual({ code: 2, err: 'There is no commit no-such-commit here.\n' })
})

test('wrong usage of the release is 2', async () => {
  const args = [
    '--conditions=react-server',
    '--disable-warning=ExperimentalWarning',
    'scripts/release.ts',
    '--now',
  ]
  const code = await new Promise((resolve) =>
    execFile(process.execPath, args, (error) => resolve(error?.code)),
  )
  expect(code).toBe(2)
})
