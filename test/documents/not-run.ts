/** Block or command that the test of all documented commands does not run, by how it begins, with the reason. */
export type NotRun = readonly [start: string, reason: string]

const TRIED = 'needs programs and accounts of a PostgreSQL server; docs/evidence/databases.md has the trials'
const OUTPUT = 'the output of a command'
const SHAPE = 'the shape of a file or text'
const DIAGRAM = 'a diagram'
const MEASUREMENT = 'a measurement of minutes to hours, by a separate program'
const RECORD = 'a record of a session'

/** All of them. Each entry has to match a block or a command. */
export const NOT_RUN: Record<string, readonly NotRun[]> = {
  'README.md': [['npm test', 'the suite, which this test is a part of']],
  'CONTRIBUTING.md': [
    ['--> statement-breakpoint', 'a part of a migration; lib/platform/db/scope tests such a table'],
    ['npm i @redocly/cli', 'tools of others, in a folder outside the project'],
    ['FILE_SEED=<n> npm run unit', 'all unit tests once more'],
    ['DEEP=1 npm run e2e -- a11y-panels', 'a part of the deep suite'],
    ['npm run fuzz', 'hours; the suite runs it in shorter lengths'],
    ['npm run side-by-side -- <ref>', 'a part of the deep suite'],
    ['npm run budgets', MEASUREMENT],
  ],
  'docs/develop/architecture.md': [
    ['app         ->', DIAGRAM],
    ['platform < vendors', DIAGRAM],
  ],
  'docs/develop/vendors.md': [['PATCH ─►', DIAGRAM]],
  'docs/evidence/assistants.md': [
    ['> mcp-inspector', RECORD],
    ['listTools', RECORD],
  ],
  'docs/evidence/floods.md': [['npm run build', MEASUREMENT]],
  'docs/evidence/speed.md': [
    ['npm run build', MEASUREMENT],
    ['npm run budgets', MEASUREMENT],
  ],
  'docs/operate/database.md': [
    ['cat deploy/single/archive.conf', TRIED],
    ['cp -a /backups/base', TRIED],
    ['pg_basebackup --host', TRIED],
  ],
  'docs/operate/imports.md': [
    ['2 files', OUTPUT],
    ['Refused, and nothing was stored', OUTPUT],
  ],
  'docs/operate/install.md': [
    ['createuser console', 'needs a PostgreSQL server; the suite starts consoles on one'],
    [
      'cp .env.example deploy/settings.env',
      'needs a container engine; docs/evidence/container.md has the steps',
    ],
    ['# HAProxy', 'a configuration; deploy/pair has the one that was tried'],
    ['# Kubernetes', SHAPE],
  ],
  'docs/operate/repair.md': [['Google could not', OUTPUT]],
  'docs/operate/resale.md': [
    ['account,customer,billingProfile', SHAPE],
    ['customer,platform,sku', SHAPE],
  ],
  'docs/operate/vendors.md': [
    ['{', SHAPE],
    ['vendor accounts:', OUTPUT],
  ],
  'docs/use/keys.md': [['lic_[0-9A-Za-z]{36}', 'a regular expression']],
  'docs/webhooks.md': [
    ['import { createServer }', 'lib/notifications/webhooks/deliver.test.ts runs it'],
    ['POST /hooks', SHAPE],
  ],
  'deploy/citus/README.md': [
    ['-- postgresql.conf', 'needs three machines with Citus'],
    ['SELECT citus_set_coordinator_host', 'needs three machines with Citus'],
    ['npm run -s admin -- database migrate', 'needs three machines with Citus'],
  ],
  'deploy/pair/README.md': [
    ['env $(grep', 'needs etcd, Patroni and HAProxy; npm run failover starts them'],
    ['psql "host=', 'needs etcd, Patroni and HAProxy; npm run failover starts them'],
  ],
  'deploy/pgbouncer/README.md': [['DATABASE_URL=', SHAPE]],
}

/** Returns why a block or a command of a document is not run. */
export function reasonNotToRun(file: string, text: string): string | undefined {
  return NOT_RUN[file]?.find(([start]) => text.startsWith(start))?.[1]
}
