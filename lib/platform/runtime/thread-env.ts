import 'server-only'
import { dirname } from 'node:path'

/** Returns the environment of a worker thread: no secrets, and the compile cache that the build filled. */
export function threadEnv(): Record<string, string> {
  const { getCompileCacheDir } = process.getBuiltinModule('node:module')
  const cache = getCompileCacheDir()
  // Node adds a folder of its version to NODE_COMPILE_CACHE: with that folder in it, the cache would be another one.
  return cache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cache) }
}
