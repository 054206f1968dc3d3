// Adds to package-lock.json the optional packages of other platforms that an incomplete registry
// mirror made `npm install` leave out; without them `npm ci` refuses the file on every platform.
// Run it after each `npm install`. Without --write it only reports, and exits 1 if something lacks.
import { readFileSync, writeFileSync } from 'node:fs'

const path = new URL('../package-lock.json', import.meta.url)
const lock = JSON.parse(readFileSync(path, 'utf8'))
const packages = lock.packages
const missing = []

/** Whether npm, looking from the package at `from`, own folder first and then up, finds `name`. */
function isLocked(from, name) {
  const folders = from.split('/node_modules/')
  return (
    folders.some((_, depth) => packages[[...folders.slice(0, depth + 1), name].join('/node_modules/')]) ||
    Boolean(packages[`node_modules/${name}`])
  )
}

const PLATFORMS = ['darwin', 'linux', 'win32', 'android', 'freebsd', 'openbsd', 'netbsd', 'aix', 'sunos']
const CPUS = ['x64', 'arm64', 'arm', 'ia32', 'ppc64', 's390x', 'riscv64', 'loong64', 'wasm32', 'mips64el']

/** Reads os, cpu and libc out of a platform package's name, as its own package.json would say. */
function platformOf(name) {
  const nameParts = name
    .toLowerCase()
    .replace('windows', 'win32')
    .replace(/armv7|armhf/g, 'arm')
    .split(/[-/.]/)
  const partIn = (list) => nameParts.filter((part) => list.includes(part))
  const libc = nameParts.some((w) => w === 'musl' || w === 'musleabihf')
    ? ['musl']
    : nameParts.some((w) => w === 'gnu' || w === 'gnueabihf')
      ? ['glibc']
      : undefined
  return { os: partIn(PLATFORMS), cpu: partIn(CPUS), libc }
}

for (const [from, entry] of Object.entries(packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (isLocked(from, name)) continue
    const { os, cpu, libc } = platformOf(name)
    missing.push(`${name}@${version}`)
    packages[`node_modules/${name}`] = {
      version: version.replace(/^[^\d]*/, ''),
      ...(cpu.length ? { cpu } : {}),
      ...(libc ? { libc } : {}),
      ...(os.length ? { os } : {}),
      optional: true,
    }
  }
}

if (missing.length === 0) console.log('package-lock.json names every optional package.')
else if (process.argv.includes('--write')) {
  lock.packages = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`)
  console.log(`Added ${missing.length}: ${missing.join(', ')}`)
} else {
  console.log(`Missing from package-lock.json: ${missing.join(', ')}`)
  process.exit(1)
}
