import { fileURLToPath } from 'node:url'

/**
 * How Node runs a web process, so that it holds half of what it would by itself. Plain JavaScript, because
 * scripts/setup.mjs runs on any Node. docs/evidence/speed.md has what each line wins, and what it costs.
 */
export const WEB = {
  options: [
    // Of what is made and dropped again within a request V8 would otherwise keep room for 128 MB.
    '--max-semi-space-size=8',
    // It collects when the heap is half as large again as what was alive; otherwise it waits until it is up to four times.
    '--heap-growing-percent=50',
    // Jobs of the compiler Maglev held 43 MB at one time, which the C library then keeps. TurboFan still compiles what is called
    // often enough.
    '--no-maglev',
  ],
  // Additional options of a process above MEMORY_TARGET_MB, which sets them at run time (lib/server/heap-growth.ts).
  scarce: ['--heap-growing-percent=25'],
  env: {
    // Memory that the C library gave to one thread it does not give to another one: so there is one such store, not 32.
    MALLOC_ARENA_MAX: '1',
    // A block of 256 KiB or more returns to the system when it is freed. The C library would raise that to the largest freed
    // block, the 19 MiB of a password's hash, and keep twice as much free.
    MALLOC_MMAP_THRESHOLD_: '262144',
    MALLOC_TRIM_THRESHOLD_: '1048576',
    // Our TypeScript is made JavaScript and compiled once for a build: what does that takes time and memory at each start.
    NODE_COMPILE_CACHE: fileURLToPath(new URL('../.next/compiled', import.meta.url)),
  },
}
