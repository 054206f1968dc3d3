import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { chromium as playwright } from '@playwright/test'
import { acquireLock } from '../scripts/lock.mjs'

/** Options that Playwright's `launch` needs to start the browser. */
export type Chromium = {
  executablePath: string
  args: string[]
  /** Complete environment of the browser, where it differs from ours. */
  env?: NodeJS.ProcessEnv
}

const LIKE_ANY_MACHINE = ['--font-render-hinting=none', '--force-color-profile=srgb']
const SYSTEM_NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const MAC_APPS = ['Google Chrome', 'Chromium'].map(
  (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
)

/**
 * Finds a Chromium for the tests: CHROMIUM_PATH, else the system's, else the one that comes with npm
 * (Linux x64; needs no system package), else Playwright's own, downloaded when it is missing.
 * @throws Error when CHROMIUM_PATH doesn't lead to a browser, or none can be had
 */
export async function chromium(): Promise<Chromium> {
  const args = LIKE_ANY_MACHINE
  const named = process.env.CHROMIUM_PATH
  if (named) {
    if (!runs(named)) throw new Error(`CHROMIUM_PATH is ${named}, which does not run.`)
    return { executablePath: named, args }
  }
  const system = systemChromium()
  if (system) return { executablePath: system, args }
  if (process.platform === 'linux' && process.arch === 'x64') return { ...(await npmChromium()), args }
  return { executablePath: downloadedChromium(), args }
}

function systemChromium(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  const onPath = folders.flatMap((folder) => SYSTEM_NAMES.map((name) => join(folder, name)))
  // Started once: some distributions install a script that only prints where to get the browser.
  return [...onPath, ...MAC_APPS].find((file) => existsSync(file) && runs(file))
}

async function npmChromium(): Promise<Omit<Chromium, 'args'>> {
  const bin = join(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')), '..', 'bin')
  const home = join(bin, '..', '..', '..', '.cache', 'chromium')
  if (!existsSync(home)) {
    const release = acquireLock('chromium')
    try {
      if (!existsSync(home)) await unpack(bin, home)
    } finally {
      release()
    }
  }
  const launchOptions = { executablePath: join(home, 'chromium'), env: environment(home) }
  if (!runs(launchOptions.executablePath, launchOptions.env))
    throw new Error(`${launchOptions.executablePath} does not run; set CHROMIUM_PATH.`)
  return launchOptions
}

/** Unpacks the browser next to `home` and moves it there in one step. */
async function unpack(bin: string, home: string): Promise<void> {
  const { inflate } = await import('@sparticuz/chromium')
  mkdirSync(dirname(home), { recursive: true })
  const part = mkdtempSync(`${home}-`)
  // inflate writes to the system's temporary folder, from this variable.
  const before = process.env.TMPDIR
  process.env.TMPDIR = part
  try {
    for (const file of ['chromium.br', 'fonts.tar.br', 'swiftshader.tar.br']) await inflate(join(bin, file))
    // Amazon's copy of the few libraries that a bare container lacks (libnss3); not used where the system has them.
    if (!runs(join(part, 'chromium'))) await inflate(join(bin, 'al2023.tar.br'))
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  }
  writeFileSync(
    join(part, 'fonts', 'fonts.conf'),
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<include ignore_missing="yes">/etc/fonts/fonts.conf</include>
<dir prefix="relative">fonts</dir><cachedir>${home}/fonts-cache</cachedir></fontconfig>\n`,
  )
  rmSync(home, { recursive: true, force: true })
  renameSync(part, home)
}

function environment(home: string): NodeJS.ProcessEnv {
  const libraries = join(home, 'al2023', 'lib')
  const path = [existsSync(libraries) ? libraries : '', process.env.LD_LIBRARY_PATH].filter(Boolean).join(':')
  return {
    ...process.env,
    FONTCONFIG_FILE: join(home, 'fonts', 'fonts.conf'),
    ...(path ? { LD_LIBRARY_PATH: path } : {}),
  }
}

function downloadedChromium(): string {
  const file = playwright.executablePath()
  if (!existsSync(file)) {
    const cli = join(dirname(createRequire(import.meta.url).resolve('@playwright/test')), 'cli.js')
    spawnSync(process.execPath, [cli, 'install', '--no-shell', 'chromium'], { stdio: ['ignore', 2, 2] })
  }
  if (!existsSync(file)) throw new Error('No Chromium: install one, or set CHROMIUM_PATH to one.')
  return file
}

/** Returns whether the browser starts. The first one that does is not tried again by this process and its workers. */
function runs(file: string, env: NodeJS.ProcessEnv = process.env): boolean {
  if (process.env.E2E_CHROMIUM === file) return true
  const isRunning = spawnSync(file, ['--version'], { env, stdio: 'ignore', timeout: 20_000 }).status === 0
  if (isRunning) process.env.E2E_CHROMIUM = file
  return isRunning
}

if (import.meta.main) console.log(`Chromium for the tests: ${(await chromium()).executablePath}`)
