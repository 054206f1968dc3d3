import { type Database, database } from './client.ts'

/**
 * Returns a function that returns the memory of the open database, made by `make` at the first call: what a process
 * remembers of one database is never taken for another's.
 */
export function perDatabase<Memory extends object>(make: () => Memory): () => Memory {
  const memories = new WeakMap<Database, Memory>()
  return () => {
    const opened = database()
    const memory = memories.get(opened) ?? make()
    memories.set(opened, memory)
    return memory
  }
}
