// Parts of an Office Open XML workbook other than its rows.

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'

/** Role of a row, which selects the format of its cells. */
export type RowKind = 'header' | 'row' | 'sum'

/** Font, fill and border of each role, as indexes into the lists of `stylesXml`. */
const ROW_FORMATS: Record<RowKind, string> = {
  row: 'fontId="0" fillId="0" borderId="0"',
  header: 'fontId="1" fillId="2" borderId="1" applyFont="1" applyFill="1" applyBorder="1"',
  sum: 'fontId="1" fillId="0" borderId="2" applyFont="1" applyBorder="1"',
}

/** Collects the cell formats of a workbook while its rows are written. */
export function cellStyles() {
  const formats = ['General']
  const styles = ['<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>']
  const indexes = new Map<string, number>()
  /** Returns the index of a format, which is added at its first use. */
  const indexOf = (kind: RowKind, numFmt: string, isRight = false): number => {
    const key = `${kind} ${isRight ? 'right' : 'left'} ${numFmt}`
    const existing = indexes.get(key)
    if (existing !== undefined) return existing
    if (!formats.includes(numFmt)) formats.push(numFmt)
    const id = numFmt === 'General' ? 0 : 163 + formats.indexOf(numFmt)
    // Separates text from the number in the previous column.
    const side = isRight ? 'horizontal="right"' : 'horizontal="left" indent="1"'
    styles.push(
      `<xf numFmtId="${id}" ${ROW_FORMATS[kind]} applyNumberFormat="1" xfId="0" applyAlignment="1"><alignment ${side}/></xf>`,
    )
    indexes.set(key, styles.length - 1)
    return styles.length - 1
  }
  const xml = () => {
    const numFmts = formats
      .slice(1)
      .map((code, index) => `<numFmt numFmtId="${164 + index}" formatCode="${code}"/>`)
    const border = (side: string) =>
      `<border><left/><right/>${side === 'top' ? LINE_TOP : '<top/>'}${side === 'bottom' ? LINE_BOTTOM : '<bottom/>'}<diagonal/></border>`
    return `${HEAD}<styleSheet xmlns="${MAIN}">${
      numFmts.length > 0 ? `<numFmts count="${numFmts.length}">${numFmts.join('')}</numFmts>` : ''
    }<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill><fill><patternFill patternType="solid"><fgColor rgb="FFEFEDE6"/></patternFill></fill></fills><borders count="3">${border('')}${border('bottom')}${border('top')}</borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="${styles.length}">${styles.join('')}</cellXfs></styleSheet>`
  }
  return { indexOf, xml }
}

const LINE_TOP = '<top style="thin"><color rgb="FF8A8578"/></top>'
const LINE_BOTTOM = '<bottom style="thin"><color rgb="FF8A8578"/></bottom>'

/**
 * Returns the list of sheets, each with its filter, and with a header that is printed on each page.
 * @param ends last filtered cell of each sheet: `$P$120`
 */
export function workbookXml(name: string, ends: readonly string[]): string {
  const names = ends.map((_, index) => (index === 0 ? name : `${name} (${index + 1})`))
  const sheets = names.map(
    (one, index) => `<sheet name="${one}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
  )
  const defined = ends.flatMap((end, index) => [
    `<definedName name="_xlnm._FilterDatabase" localSheetId="${index}" hidden="1">'${names[index]}'!$A$1:${end}</definedName>`,
    `<definedName name="_xlnm.Print_Titles" localSheetId="${index}">'${names[index]}'!$1:$1</definedName>`,
  ])
  return `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${sheets.join('')}</sheets><definedNames>${defined.join('')}</definedNames></workbook>`
}

/** Returns the paths of the parts that list the others, with their text, for a number of sheets. */
export function listingParts(sheets: number): Record<string, string> {
  const paths = Array.from({ length: sheets }, (_, index) => `worksheets/sheet${index + 1}.xml`)
  const related = [
    ...paths.map((path) => ['worksheet', path] as const),
    ['styles', 'styles.xml'] as const,
  ].map(
    ([type, path], index) => `<Relationship Id="rId${index + 1}" Type="${OFFICE}/${type}" Target="${path}"/>`,
  )
  const type = (path: string, kind: string) =>
    `<Override PartName="/xl/${path}" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${kind}+xml"/>`
  return {
    'xl/_rels/workbook.xml.rels': `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${related.join('')}</Relationships>`,
    '_rels/.rels': `${HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    '[Content_Types].xml': `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${type('workbook.xml', 'sheet.main')}${type('styles.xml', 'styles')}${paths.map((path) => type(path, 'worksheet')).join('')}</Types>`,
  }
}

/** Returns a worksheet up to its first row: its columns, and a header that stays in view. */
export function sheetStart(widths: readonly number[]): string {
  const cols = widths.map(
    (width, index) => `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`,
  )
  return `${HEAD}<worksheet xmlns="${MAIN}"><sheetPr><pageSetUpPr fitToPage="1"/></sheetPr><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/><cols>${cols.join('')}</cols><sheetData>`
}

/**
 * Returns a worksheet from its last row on: its filter, and a landscape page as wide as the columns.
 * @param end last filtered cell
 */
export function sheetEnd(end: string): string {
  return `</sheetData><autoFilter ref="A1:${end.replaceAll('$', '')}"/><pageMargins left="0.4" right="0.4" top="0.5" bottom="0.5" header="0.3" footer="0.3"/><pageSetup paperSize="9" orientation="landscape" fitToWidth="1" fitToHeight="0"/></worksheet>`
}
