import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { startEmbedded } from '#lib/platform/db/embedded.ts'
import { migrate } from '#lib/platform/db/migrate.ts'
import { INTRODUCTION, ROLES } from './row-level-security/introduction.ts'
import {
  GRANTS,
  type Grant,
  OTHERS,
  type Other,
  POLICIES,
  type Policy,
  TABLES,
  type Table,
} from './row-level-security/queries.ts'

// Writes docs/develop/row-level-security.md from a migrated database: npm run row-level-security

/** Path of the committed, generated page. */
export const DOC_PATH = fileURLToPath(new URL('../docs/develop/row-level-security.md', import.meta.url))

/**
 * Returns the page for a migrated database: the same text for each database with the same policies and grants,
 * independent of the owner's name.
 * @param owner a connection as the owner of the tables
 */
export async function describeRights(owner: pg.Client): Promise<string> {
  const queryRows = async <Row>(text: string) => (await owner.query(text)).rows as Row[]
  const tables = await queryRows<Table>(TABLES)
  const policies = await queryRows<Policy>(POLICIES)
  const grants = await queryRows<Grant>(GRANTS)
  // All months' partitions are alike; the page shows one.
  const sections = new Set(
    tables.map((table) =>
      sectionOf(
        table,
        policies.filter(({ oid }) => oid === table.oid),
        grants.filter(({ oid }) => oid === table.oid),
      ),
    ),
  )
  const roles = rowsOf(
    ['Role', 'What it does'],
    Object.entries(ROLES).map(([role, text]) => [code(role), text]),
  )
  const text = [
    INTRODUCTION,
    `## Roles\n\n${roles}`,
    '## Tables',
    ...sections,
    ...otherSections(await queryRows(OTHERS)),
  ]
  return `${text.join('\n\n')}\n`
}

function sectionOf({ schema, name, is_on, is_forced }: Table, policies: Policy[], grants: Grant[]): string {
  const title = name.replace(/_\d{4}_\d{2}$/, '_<year>_<month>')
  const state = is_on ? `on${is_forced ? ' and forced' : ', not forced'}` : '**off**'
  const parts = [
    `### ${code(schema === 'public' ? title : `${schema}.${title}`)}`,
    `Row-level security is ${state}.`,
  ]
  const conditions = policies.map((policy) => [
    `${code(policy.name)}${policy.permissive ? '' : ' (restrictive)'}`,
    policy.command,
    policy.roles.sort().map(code).join(', '),
    policy.using ? code(policy.using) : '',
    policy.check ? code(policy.check) : '',
  ])
  if (policies.length > 0)
    parts.push(rowsOf(['Policy', 'Command', 'Roles', 'USING', 'WITH CHECK'], conditions))
  else if (is_on) parts.push('Without a policy, it shows no row.')
  const rights = roles(grants).map((role) => [
    code(role),
    rightsOf(grants.filter((grant) => grant.role === role)),
  ])
  parts.push(rights.length > 0 ? rowsOf(['Role', 'Grants'], rights) : 'No role but the owner has a grant.')
  return parts.join('\n\n')
}

/** Returns the privileges on the whole table, then those on columns. */
function rightsOf(grants: Grant[]): string {
  const privileges = [...new Set(grants.map(({ privilege }) => privilege))].sort()
  const whole = privileges.filter((each) =>
    grants.some(({ privilege, column }) => privilege === each && !column),
  )
  const parts = privileges.flatMap((each) => {
    const columns = grants.flatMap(({ privilege, column }) => (privilege === each && column ? [column] : []))
    return columns.length > 0 ? [`${each} (${columns.join(', ')})`] : []
  })
  return [...whole, ...parts].join(', ')
}

function otherSections(others: Other[]): string[] {
  return ['Schemas', 'Sequences', 'Functions'].map((kind) => {
    const matches = others.filter((other) => other.kind === kind)
    const names = [...new Set(matches.map(({ name }) => name))].sort()
    const rows = names.map((name) => {
      const each = matches.filter((other) => other.name === name)
      const rights = roles(each).map((role) => {
        const privileges = each.filter((other) => other.role === role).map(({ privilege }) => privilege)
        return `${code(role)} ${privileges.sort().join(', ')}`
      })
      return [code(name) + each[0]?.note, rights.join('; ') || 'only its owner']
    })
    const note = kind === 'Functions' ? '\n\nTrigger functions are omitted: no role calls them directly.' : ''
    return `## ${kind}${note}\n\n${rowsOf([kind.slice(0, -1), 'Who may use it'], rows)}`
  })
}

function roles(grants: readonly { role: string | null }[]): string[] {
  return [...new Set(grants.flatMap(({ role }) => role ?? []))].sort()
}

function rowsOf(headerRow: string[], rows: string[][]): string {
  return [headerRow, headerRow.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}

/** Escapes code for a table's cell, which `|` ends even inside of code. */
function code(text: string): string {
  return `\`${text.replace(/\s+/g, ' ').replaceAll('|', '\\|')}\``
}

if (import.meta.main) {
  const folder = await mkdtemp(join(tmpdir(), 'row-level-security-'))
  const embedded = await startEmbedded(folder)
  const owner = new pg.Client({ connectionString: embedded.url })
  try {
    await migrate(embedded.url)
    await owner.connect()
    await writeFile(DOC_PATH, await describeRights(owner))
  } finally {
    await owner.end()
    await embedded.release()
    await rm(folder, { recursive: true, force: true })
  }
}
