import { chmodSync, lstatSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Makes the data directory, and lets no other account enter it (mode 0700). Where the embedded database in it runs as
 * another account, that one may pass through (0711). Leaves directories that are not ours, or shared (sticky), as they
 * are.
 */
export function openDataDir(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const { uid, mode } = statSync(dataDir)
  if (uid !== process.getuid?.() || mode & 0o1000) return
  const cluster = lstatSync(join(dataDir, 'postgres'), { throwIfNoEntry: false })
  const target = cluster?.isDirectory() && cluster.uid !== uid ? 0o711 : 0o700
  if ((mode & 0o777) !== target) chmodSync(dataDir, target)
}
