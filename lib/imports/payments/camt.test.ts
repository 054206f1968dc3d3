import { describe, expect, test } from 'vitest'
import { readCamt } from './camt.ts'
import { readPaymentsCsv } from './csv.ts'
import { problemsOf } from './transaction.ts'

// Statements and notifications in the dialects of three banks, written from the public schemas, and files that attack.

async function* chunks(text: string, size = 97): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
}
const read = (text: string) => readCamt(chunks(text))
const reasonOf = (text: string) =>
  read(text).then(
    () => 'read',
    (error: Error) => error.message,
  )

/** Version 2: the status is text, the amount of a part is in its details, and names have no `Pty`. */
const DIALECT_A = `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02">
 <BkToCstmrStmt><GrpHdr><MsgId>A</MsgId></GrpHdr><Stmt><Id>1</Id><Acct><Id><IBAN>DE89370400440532013000</IBAN></Id></Acct>
  <Ntry><Amt Ccy="EUR">119.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-11-03</Dt></BookgDt>
   <ValDt><Dt>2026-11-02</Dt></ValDt><AcctSvcrRef>A-1</AcctSvcrRef>
   <NtryDtls><TxDtls><Refs><EndToEndId>NOTPROVIDED</EndToEndId></Refs>
    <RltdPties><Dbtr><Nm>Müller &amp; Söhne</Nm></Dbtr></RltdPties>
    <RmtInf><Ustrd>Rechnung INV-2026-</Ustrd><Ustrd>001 danke</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>
  <Ntry><Amt Ccy="EUR">30.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-11-04</Dt></BookgDt>
   <AcctSvcrRef>A-2</AcctSvcrRef><NtryDtls><Btch><NbOfTxs>2</NbOfTxs></Btch>
    <TxDtls><Refs><EndToEndId>INV-2</EndToEndId></Refs><AmtDtls><TxAmt><Amt Ccy="EUR">10.00</Amt></TxAmt></AmtDtls></TxDtls>
    <TxDtls><Refs><EndToEndId>INV-3</EndToEndId></Refs><AmtDtls><TxAmt><Amt Ccy="EUR">20.00</Amt></TxAmt></AmtDtls></TxDtls>
   </NtryDtls></Ntry>
  <Ntry><Amt Ccy="EUR">9.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-11-04</Dt></BookgDt></Ntry>
  <Ntry><Amt Ccy="EUR">119.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><RvslInd>true</RvslInd><Sts>BOOK</Sts><AcctSvcrRef>A-1R</AcctSvcrRef></Ntry>
  <Ntry><Amt Ccy="EUR">1.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>PDNG</Sts></Ntry>
 </Stmt></BkToCstmrStmt></Document>`

/** Version 8: the status and parties are nested, parts have amounts, and each element has a prefix. */
const DIALECT_B = `<c:Document xmlns:c="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><c:BkToCstmrStmt><c:Stmt>
 <c:Acct><c:Id><c:IBAN>CH9300762011623852957</c:IBAN></c:Id></c:Acct>
 <c:Ntry><c:NtryRef>N1</c:NtryRef><c:Amt Ccy="CHF">50</c:Amt><c:CdtDbtInd>CRDT</c:CdtDbtInd><c:Sts><c:Cd>BOOK</c:Cd></c:Sts>
  <c:BookgDt><c:DtTm>2026-11-05T08:00:00+01:00</c:DtTm></c:BookgDt>
  <c:NtryDtls><c:TxDtls><c:Refs><c:UETR>eb6305c9-1f7f-49de-aed0-16487c27b42d</c:UETR></c:Refs><c:Amt Ccy="CHF">50</c:Amt>
   <c:CdtDbtInd>CRDT</c:CdtDbtInd><c:RltdPties><c:Dbtr><c:Pty><c:Nm>Keller AG</c:Nm></c:Pty></c:Dbtr></c:RltdPties>
   <c:RmtInf><c:Strd><c:RfrdDocInf><c:Nb>INV-7</c:Nb></c:RfrdDocInf><c:CdtrRefInf><c:Ref>RF18INV7</c:Ref></c:CdtrRefInf></c:Strd></c:RmtInf>
  </c:TxDtls></c:NtryDtls></c:Ntry></c:Stmt></c:BkToCstmrStmt></c:Document>`

/** A notification, without references of the bank. */
const DIALECT_C = `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.054.001.04"><BkToCstmrDbtCdtNtfctn><Ntfctn>
 <Acct><Id><Othr><Id>123</Id></Othr></Id></Acct>
 ${'<Ntry><Amt Ccy="JPY">5000</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><ValDt><Dt>2026-11-06</Dt></ValDt><NtryDtls><TxDtls><RmtInf><Ustrd><![CDATA[INV-9]]></Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>'.repeat(2)}
</Ntfctn></BkToCstmrDbtCdtNtfctn></Document>`

describe('a statement', () => {
  test('of the first bank: parts of an entry, debits, and texts that the bank has broken', async () => {
    const { transactions, leftOut } = await read(DIALECT_A)
    expect(transactions).toMatchObject([
      {
        ...{ reference: 'A-1', paidOn: '2026-11-02', amount: '119.00', currency: 'EUR' },
        ...{ payer: 'Müller & Söhne', endToEndId: undefined, remittance: 'Rechnung INV-2026- 001 danke' },
      },
      { reference: 'A-2/1', amount: '10.00', endToEndId: 'INV-2', paidOn: '2026-11-04' },
      { reference: 'A-2/2', amount: '20.00', endToEndId: 'INV-3' },
    ])
    expect(leftOut.map(({ reason }) => reason)).toEqual([
      'is a debit',
      'returns a credit: reverse its payment',
      'is not booked yet',
    ])
  })

  test('of the second bank: prefixes, nested names, and numbers in fields for them', async () => {
    expect((await read(DIALECT_B)).transactions).toMatchObject([
      {
        ...{
          reference: 'eb6305c9-1f7f-49de-aed0-16487c27b42d',
          paidOn: '2026-11-05',
          amount: '50',
          currency: 'CHF',
        },
        ...{ payer: 'Keller AG', documentNumbers: ['INV-7', 'RF18INV7'] },
      },
    ])
  })

  test('of the third bank: a notification without references gets one that is made of its content', async () => {
    const { transactions } = await read(DIALECT_C)
    expect(transactions).toHaveLength(2)
    expect(transactions[0]?.reference).toMatch(/^derived:[0-9a-f]{24}$/)
    expect(transactions[0]).toMatchObject({ remittance: 'INV-9', amount: '5000', currency: 'JPY' })
    expect((await read(DIALECT_C)).transactions).toEqual(transactions)
  })
})

describe('a payment is not taken for another one', () => {
  const part = (end: string) =>
    `<TxDtls><Refs><AcctSvcrRef>A-2</AcctSvcrRef><EndToEndId>${end}</EndToEndId></Refs><Amt Ccy="EUR">15.00</Amt></TxDtls>`

  test('if the bank repeats the reference of an entry in its transactions', async () => {
    const file = DIALECT_A.replace(
      /<TxDtls><Refs><EndToEndId>INV-2.*\n.*<\/TxDtls>/,
      part('INV-2') + part('INV-3'),
    )
    const { transactions } = await read(file)
    expect(transactions.slice(1).map(({ reference }) => reference)).toEqual(['A-2/1', 'A-2/2'])
  })

  test('if it numbers the entries of each statement from the start', async () => {
    const numbered = (day: string) =>
      DIALECT_C.replaceAll('<Ntry>', '<Ntry><NtryRef>1</NtryRef>').replaceAll('2026-11-06', day)
    const first = await read(numbered('2026-11-06'))
    const second = await read(numbered('2026-11-07'))
    expect(first.transactions[0]?.reference).not.toBe(second.transactions[0]?.reference)
  })
})

test('a payment is of the day on which it was booked, if its value date is later', async () => {
  const { transactions } = await read(DIALECT_A.replace('2026-11-02</Dt></ValDt>', '2026-11-30</Dt></ValDt>'))
  expect(transactions[0]?.paidOn).toBe('2026-11-03')
})

describe('the totals that a bank states are compared with its file', () => {
  const summary = (credits: string, more = '') =>
    DIALECT_A.replace(
      '  <Ntry>',
      `${more}<TxsSummry><TtlNtries><NbOfNtries>4</NbOfNtries></TtlNtries><TtlCdtNtries>${credits}</TtlCdtNtries></TxsSummry><Ntry>`,
    )
  const RIGHT = '<NbOfNtries>2</NbOfNtries><Sum>149</Sum>'
  const batch = (text: string) => DIALECT_A.replace('<NbOfTxs>2</NbOfTxs>', text)
  const lost = /<TxDtls><Refs><EndToEndId>INV-3.*<\/TxDtls>/

  test.each([
    ['the right sums, without entries that are not booked yet', summary(RIGHT), 'read'],
    [
      'another sum of credits',
      summary(RIGHT.replace('149', '148')),
      'states 2 credits of 148, and has 3 of 150',
    ],
    ['another number of credits', summary(RIGHT.replace('2', '5')), 'states 5 credits of 149'],
    [
      'more entries than it has',
      summary(RIGHT).replaceAll(/<Ntry><Amt Ccy="EUR">(9|1\.).*/g, ''),
      'states 4 entries of some amount, and has 3 of 268',
    ],
    [
      'sums of several pages',
      summary(
        RIGHT.replace('149', '900'),
        '<StmtPgntn><PgNb>1</PgNb><LastPgInd>false</LastPgInd></StmtPgntn>',
      ),
      'read',
    ],
    [
      'another number of transactions',
      batch('<NbOfTxs>3</NbOfTxs>'),
      'entry 2 states 3 transactions, and has 2',
    ],
    ['the sum of transactions', batch('<TtlAmt Ccy="EUR">30.00</TtlAmt>'), 'read'],
    ['another sum of transactions', batch('<CtrlSum>31</CtrlSum>'), 'states transactions of 31, and has 30'],
    ['a transaction that is lost', DIALECT_A.replace(lost, ''), 'is of 30, and its transactions are of 10'],
    ['a transaction that is larger', DIALECT_A.replace('>20.00', '>21.00'), 'its transactions are of 31'],
    [
      'charges, which the bank has taken off',
      DIALECT_A.replace('>20.00', '>21.00').replace('<AmtDtls>', '<Chrgs/><AmtDtls>'),
      'read',
    ],
  ])('%s', async (_, text, result) => {
    expect(await reasonOf(text)).toContain(result)
  })
})

test.each([
  ['is too long', 'INV-7'.repeat(30), 'one of its document numbers has 150 characters'],
  ['has a control character', 'INV\u0007-7', 'one of its document numbers has a control character'],
])('a document number that %s is refused', async (_, number, reason) => {
  const csv = (async function* () {
    yield `date,amount,currency,reference,invoice\n2026-11-01,5,EUR,T-1,${number}\n`
  })()
  const { transactions } = await readPaymentsCsv(csv)
  expect(transactions.flatMap(problemsOf).map((problem) => problem.reason)).toEqual([
    expect.stringContaining(reason),
  ])
})

describe('a file is refused, with its line,', () => {
  test.each([
    ...[0.2, 0.5, 0.8, 0.99].map((part) => [
      `that is cut off after ${part * 100} %`,
      DIALECT_A.slice(0, DIALECT_A.length * part),
      'line',
    ]),
    ['that is empty', '', 'ends before its end'],
    ['that is another document', '<html></html>', 'is not a camt.053 or camt.054 document'],
    ['of another kind', DIALECT_A.replace('camt.053.001.02', 'camt.052.001.02'), 'is not a camt.053'],
    ['with a tag that is not closed', DIALECT_A.replace('</Ntry>', ''), 'line'],
    [
      'with an entry without an amount',
      DIALECT_A.replace('<Amt Ccy="EUR">119.00</Amt>', ''),
      'has no amount',
    ],
    [
      'with entities of entities',
      `<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>${DIALECT_A.slice(39)}`,
      'has a document type',
    ],
    [
      'with an entity of a file',
      DIALECT_A.replace('<Document', '<!DOCTYPE d SYSTEM "file:///etc/passwd"><Document'),
      'has a document type',
    ],
    ['with an unknown entity', DIALECT_A.replace('danke', '&lol;'), 'is not well-formed XML'],
    [
      'that nests without end',
      DIALECT_A.replace('<GrpHdr>', `<GrpHdr>${'<a>'.repeat(100)}`),
      'more than 40 deep',
    ],
    ['with a huge text', DIALECT_A.replace('danke', 'x'.repeat(200_000)), 'more than 10000 characters'],
    ['with an undeclared prefix', DIALECT_A.replace('<Ntry>', '<x:Ntry>'), 'is not well-formed XML'],
  ])('%s', async (_, text, reason) => {
    expect(await reasonOf(text)).toContain(reason)
  })

  test('that never ends, before it fills the memory', async () => {
    async function* endless(): AsyncGenerator<string> {
      yield DIALECT_A.slice(0, DIALECT_A.indexOf('<Ntry>'))
      for (;;) yield `<!--${'x'.repeat(60_000)}-->`
    }
    await expect(readCamt(endless())).rejects.toThrow('is larger than 64 MiB')
  })
})
