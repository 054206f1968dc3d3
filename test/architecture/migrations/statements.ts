import { type AlterTableStmt, type Constraint, loadModule, type Node, parseSync } from 'libpg-query'
import { alterationFaults } from './alterations.ts'
import type { Place } from './history.ts'

await loadModule()

/** A statement with its kind in PostgreSQL's own grammar, from PostgreSQL's parser. */
export type Statement = { kind: string; body: Body }
type Body = { [name: string]: unknown; relation?: { relname?: string } }

const HARMLESS = new Set([
  'AlterPolicyStmt',
  'CommentStmt',
  'CreateEnumStmt',
  'CreateFunctionStmt',
  'CreatePolicyStmt',
  'CreateSchemaStmt',
  'CreateSeqStmt',
  'CreateStatsStmt',
  'CreateStmt',
  'CreateTrigStmt',
])

/** Returns the statements between two breakpoints, or of a whole migration. */
export function statementsIn(text: string): Statement[] {
  return (parseSync(text).stmts ?? []).map(({ stmt }) => {
    const [kind, body] = Object.entries(stmt as object)[0] as [string, Body]
    return { kind, body }
  })
}

/** Returns the faults of a statement that would block the service or the release before this one. */
export function statementFaults(statement: Statement, place: Place): string[] {
  const { kind, body } = statement
  const used = usedTables(body).filter((name) => !place.own.has(name) && name !== 'backfills')
  const faults = [...rowFaults(statement, used), ...kindFaults(statement, place)]
  if (place.inSteps === isStep(statement) || faults.length > 0) return faults
  const where = place.inSteps ? 'be repeated without a transaction' : 'be in a transaction'
  return [`${kind} can't ${where}`]
}

function kindFaults({ kind, body }: Statement, place: Place): string[] {
  switch (kind) {
    case 'AlterTableStmt':
      return alterationFaults(body as AlterTableStmt, place)
    case 'IndexStmt':
      return body.concurrent || place.own.has(body.relation?.relname ?? '')
        ? []
        : ['an index of a table that is in use is built CONCURRENTLY']
    case 'RenameStmt':
      return /INDEX|CONSTRAINT|POLICY|TRIGGER/.test(String(body.renameType))
        ? []
        : ['RENAME takes the name away that the last release uses']
    case 'DropStmt':
      return dropFaults(body, place)
    case 'GrantStmt':
      return body.is_grant || place.contracts ? [] : ['REVOKE takes away what the last release may']
    case 'VariableSetStmt':
      return /timeout/.test(String(body.name)) ? ['the limits of a migration are not lifted'] : []
    default:
      return HARMLESS.has(kind) || ROWS.test(kind)
        ? []
        : [`${kind} is not among what is known to be harmless`]
  }
}

/** Statements that are checked by the tables whose rows they touch. */
const ROWS = /^(Update|Delete|Merge|Truncate|Lock|Insert|CreateTableAs|Select|Vacuum)Stmt$/

/** Returns whether a statement may run without a transaction, and again from the beginning after an interruption. */
function isStep({ kind, body }: Statement): boolean {
  if (kind === 'IndexStmt') return body.concurrent === true
  if (kind === 'DropStmt') return body.concurrent === true && body.missing_ok === true
  if (kind === 'VacuumStmt') return true
  return (
    kind === 'AlterTableStmt' &&
    JSON.stringify(body.cmds)
      .match(/"AT_\w+"/g)
      ?.join() === '"AT_ValidateConstraint"'
  )
}

/**
 * Returns faults of statements over the rows of tables in use: they lock these rows, and row-level security hides
 * customers' rows from the owner.
 */
function rowFaults({ kind, body }: Statement, used: string[]): string[] {
  if (kind === 'CreateFunctionStmt' || kind === 'CreatePolicyStmt') return []
  const text = JSON.stringify({ [kind]: body })
  const changed = /"(UpdateStmt|DeleteStmt|MergeStmt|TruncateStmt|LockStmt)"/.exec(text)?.[1]
  if (changed && used.length > 0)
    return [`${changed} of ${used.join(', ')}: rows that are there are changed by a backfill`]
  if (kind === 'InsertStmt' || kind === 'CreateTableAsStmt' || kind === 'SelectStmt') {
    const read = used.filter((name) => name !== body.relation?.relname)
    return read.length === 0 ? [] : [`${kind} reads all of ${read.join(', ')}: that is for a backfill`]
  }
  return []
}

function usedTables(body: Body): string[] {
  return [...JSON.stringify(body).matchAll(/"relname":"([^"]+)"/g)].map(([, name = '']) => name)
}

function dropFaults({ objects, removeType, concurrent }: Body, place: Place): string[] {
  const names = (objects as Node[]).map((node) => /.*"sval":"([^"]+)"/.exec(JSON.stringify(node))?.[1] ?? '')
  if (removeType === 'OBJECT_INDEX' && !concurrent) return ['an index is dropped CONCURRENTLY']
  if (removeType !== 'OBJECT_TABLE') return []
  return names.filter((name) => place.isRead(name)).map((name) => `the last release still reads ${name}`)
}

/** Returns the tables that the statements create. */
export function madeBy(statements: readonly Statement[]): Set<string> {
  return new Set(
    statements.flatMap(({ kind, body }) => (kind === 'CreateStmt' ? (body.relation?.relname ?? []) : [])),
  )
}

/** Returns the columns that a CHECK declares not null, and the validated constraints, each as `table.name`. */
export function proofsIn(statements: readonly Statement[]): {
  checks: Map<string, string>
  validated: string[]
} {
  const checks = new Map<string, string>()
  const validated: string[] = []
  for (const { kind, body } of statements) {
    if (kind !== 'AlterTableStmt') continue
    const table = body.relation?.relname
    for (const { AlterTableCmd: command } of body.cmds as {
      AlterTableCmd: { subtype: string; name?: string; def?: unknown }
    }[]) {
      if (command.subtype === 'AT_ValidateConstraint') validated.push(`${table}.${command.name}`)
      if (command.subtype !== 'AT_AddConstraint') continue
      const { conname, raw_expr } = (command.def as { Constraint: Constraint }).Constraint
      const column = /^{"NullTest":{"arg":{"ColumnRef":.*"sval":"([^"]+)".*"nulltesttype":"IS_NOT_NULL"/.exec(
        JSON.stringify(raw_expr ?? null),
      )?.[1]
      if (column) checks.set(`${table}.${conname}`, `${table}.${column}`)
    }
  }
  return { checks, validated }
}
