import '#lib/server/application.ts'
import '#lib/server/health/thread.ts'
import '#lib/billing/invoice-files/worker.ts'
import { loadApi } from '#lib/server/api.ts'

// Loads the modules of a web process and its threads, so that Node stores them in its compile cache
// (NODE_COMPILE_CACHE) when this script ends: each start is then as fast as the second one, and needs no memory for
// stripping the types.
await loadApi()
process.exit(0)
