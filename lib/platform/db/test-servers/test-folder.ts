import { accessSync, constants, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** In-memory folder of Linux: a cloned test database costs a sixth of one on a disk. */
const MEMORY = '/dev/shm'
/** Minimum free space, in bytes. The unit tests' server and folders take some 600 MB at their peak. */
const MIN_FREE = 2 ** 30

/**
 * Returns the folder for the data of test servers: the one in memory where it has at least 1 GiB free, otherwise the
 * system's temporary folder, which tests of durability use always.
 */
export function testFolder(): string {
  try {
    accessSync(MEMORY, constants.W_OK)
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize >= MIN_FREE ? MEMORY : tmpdir()
  } catch {
    return tmpdir()
  }
}

/** Returns the folder of this run that is on a disk, for tests of durability. */
export function diskFolder(): string {
  return process.env.DISK_FOLDER ?? tmpdir()
}
