import {
  closeDistributed,
  copyDistributed,
  dropDistributed,
  makeDistributed,
} from '#lib/platform/db/test-servers/test-citus.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'

// Distributed databases of a run on CITUS_URL: `make NAME` creates a template, `copy FROM NAME` prints the address of a
// copy, and `drop NAME` drops one on each machine.

const citus = process.env.CITUS_URL ?? ''
const [what, name = '', copy = ''] = process.argv.slice(2)
if (what === 'make') {
  await makeDistributed(citus, name)
  await closeDistributed(citus, name)
} else if (what === 'copy') {
  console.log(await copyDistributed(citus, name, copy))
  // An app creates the tables of its queue there: they stay on the coordinator (deploy/citus/README.md).
  const OFF = 'SET citus.enable_ddl_propagation TO off'
  await run(citus, OFF, `ALTER ROLE console_jobs IN DATABASE ${copy} ${OFF}`)
} else await dropDistributed(citus, name)
