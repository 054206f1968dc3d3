import '#lib/server/application.ts'
import '#lib/billing/invoice-files/worker.ts'
import { loadApi } from '#lib/server/api.ts'

// Loads what a web process and its drawing thread load, so that Node keeps it compiled in its cache (NODE_COMPILE_CACHE) when this ends: each
// start is as quick as the second one then, and holds nothing of what made JavaScript of TypeScript.
await loadApi()
process.exit(0)
