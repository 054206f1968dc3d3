import { createHash } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PROJECT = fileURLToPath(new URL('..', import.meta.url))

/**
 * Acquires the lock `name` of this project folder, and waits while another process holds it. A lock whose owner
 * has ended is taken over. Runs on any Node from 18, as the install step does.
 * @param {string} name
 * @param {{ seconds?: number, waiting?: () => void }} [options] longest wait (900 s), and a function that is called once
 *   if the lock is held
 * @returns {() => void} releases the lock
 * @throws {Error} if the wait is too long
 */
export function acquireLock(name, { seconds = 900, waiting } = {}) {
  const digest = createHash('sha256').update(PROJECT).digest('hex').slice(0, 12)
  const path = join(tmpdir(), `licenses-invoices-${digest}-${name}.lock`)
  const end = Date.now() + seconds * 1000
  for (let hasReported = false; !tryAcquire(path); hasReported = true) {
    if (Date.now() > end)
      throw new Error(`Another run (process ${ownerOf(path)}) holds ${path} for too long.`)
    if (!hasReported) waiting?.()
    sleep(200)
  }
  const release = () => {
    process.off('exit', release)
    rmSync(path, { force: true })
  }
  process.once('exit', release)
  return release
}

/** @param {string} path */
function tryAcquire(path) {
  // Linked into place with its content, so that no process reads a lock without an owner.
  const temporaryPath = `${path}.${process.pid}`
  writeFileSync(temporaryPath, String(process.pid))
  try {
    linkSync(temporaryPath, path)
    return true
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error
    const owner = ownerOf(path)
    if (!owner || isAlive(owner)) return false
    rmSync(path, { force: true })
    return tryAcquire(path)
  } finally {
    rmSync(temporaryPath, { force: true })
  }
}

/** @param {string} path */
function ownerOf(path) {
  try {
    return Number(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: the process is alive, and belongs to another user.
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM'
  }
}

/** @param {number} milliseconds */
function sleep(milliseconds) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}
