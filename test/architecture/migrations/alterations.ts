import type { AlterTableCmd, AlterTableStmt, ColumnDef, Constraint, Node } from 'libpg-query'
import type { Place } from './history.ts'

/** Alterations that change only the catalog, in a moment. */
const AT_ONCE = new Set([
  'AT_ColumnDefault',
  'AT_DropNotNull',
  'AT_DropConstraint',
  'AT_SetStatistics',
  'AT_SetOptions',
  'AT_ResetOptions',
  'AT_SetRelOptions',
  'AT_ResetRelOptions',
  'AT_EnableRowSecurity',
  'AT_ForceRowSecurity',
])

/** Returns the faults of an ALTER TABLE of a table in use. */
export function alterationFaults({ relation, cmds = [] }: AlterTableStmt, place: Place): string[] {
  const table = relation?.relname ?? ''
  if (place.own.has(table)) return []
  return cmds.flatMap(
    (node) => faultOf(table, (node as { AlterTableCmd: AlterTableCmd }).AlterTableCmd, place) ?? [],
  )
}

function faultOf(
  table: string,
  { subtype, name = '', def }: AlterTableCmd,
  place: Place,
): string | undefined {
  if (AT_ONCE.has(String(subtype))) return undefined
  switch (String(subtype)) {
    case 'AT_AddColumn':
      return columnFault((def as { ColumnDef: ColumnDef }).ColumnDef)
    case 'AT_AddConstraint':
      return constraintFault((def as { Constraint: Constraint }).Constraint)
    case 'AT_ValidateConstraint':
      return place.inSteps ? undefined : 'VALIDATE CONSTRAINT belongs into a migration without a transaction'
    case 'AT_SetNotNull':
      return place.proven.has(`${table}.${name}`)
        ? undefined
        : 'SET NOT NULL needs a CHECK (… IS NOT NULL) that an earlier migration has validated'
    case 'AT_DropColumn':
      return place.isRead(table, name) ? `the last release still reads ${table}.${name}` : undefined
    case 'AT_AlterColumnType':
      return 'ALTER TYPE writes the table anew: add a column and fill it by a backfill'
    case 'AT_NoForceRowSecurity':
      return 'reading past row-level security is for a backfill, which goes customer by customer'
    default:
      return `${subtype} is not among what is known to be harmless`
  }
}

function columnFault({ typeName, constraints = [] }: ColumnDef): string | undefined {
  const type = typeName?.names?.map((node) => ('String' in node ? node.String.sval : '')).at(-1) ?? ''
  const kinds = new Map(
    constraints.map((node) => [kindOf(node), (node as { Constraint: Constraint }).Constraint]),
  )
  const standard = kinds.get('CONSTR_DEFAULT')
  if (/serial/.test(type) || kinds.has('CONSTR_IDENTITY') || kinds.has('CONSTR_GENERATED'))
    return 'ADD COLUMN with a value of its own for each row writes the table anew'
  if (standard && !isConstant(standard.raw_expr))
    return 'ADD COLUMN with a DEFAULT that is no constant may write the table anew'
  if (kinds.has('CONSTR_NOTNULL') && !standard) return 'ADD COLUMN NOT NULL needs a DEFAULT'
  if (kinds.has('CONSTR_CHECK')) return 'ADD COLUMN with a CHECK reads all rows: add it NOT VALID, by itself'
  if (kinds.has('CONSTR_UNIQUE') || kinds.has('CONSTR_PRIMARY'))
    return 'ADD COLUMN with a key builds an index under a lock: build it CONCURRENTLY'
  if (kinds.has('CONSTR_FOREIGN') && standard)
    return 'ADD COLUMN with a DEFAULT and a foreign key reads all rows: add the key NOT VALID, by itself'
  return undefined
}

function kindOf(node: Node): string {
  return (node as { Constraint: { contype: string } }).Constraint.contype
}

/** A literal, optionally with a type cast, or the moment of the migration. */
function isConstant(node: Node | undefined): boolean {
  if (!node) return false
  if ('A_Const' in node) return true
  if ('TypeCast' in node) return isConstant(node.TypeCast.arg)
  return JSON.stringify(node).startsWith('{"FuncCall":{"funcname":[{"String":{"sval":"now"}}]')
}

function constraintFault({ contype, skip_validation, indexname }: Constraint): string | undefined {
  switch (String(contype)) {
    case 'CONSTR_CHECK':
    case 'CONSTR_FOREIGN':
      return skip_validation ? undefined : 'a constraint that is not NOT VALID reads all rows under a lock'
    case 'CONSTR_UNIQUE':
    case 'CONSTR_PRIMARY':
      return indexname
        ? undefined
        : 'a key builds an index under a lock: build it CONCURRENTLY, then USING INDEX'
    default:
      return `${contype} is not among what is known to be harmless`
  }
}
