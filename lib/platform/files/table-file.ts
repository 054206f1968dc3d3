import 'server-only'
import { attachment } from './attachment.ts'
import { CSV, csv, type Dialect } from './csv.ts'
import type { Table } from './table.ts'
import { XLSX, xlsx } from './xlsx.ts'

/** A table as the answer of an export: a CSV file of this name, which needs no extension. */
export function csvReply<Row>(name: string, table: Table<Row>, dialect: Dialect) {
  return { body: csv(table, dialect), headers: attachment(`${name}.csv`, CSV) }
}

/** The same as a workbook. */
export function xlsxReply<Row>(name: string, sheet: string, table: Table<Row>) {
  return { body: xlsx(sheet, table), headers: attachment(`${name}.xlsx`, XLSX) }
}
