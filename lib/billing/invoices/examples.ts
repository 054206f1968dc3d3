import type { Example } from '#lib/platform/api/openapi/example.ts'
import { creditNote, drafts, pastDue } from './document/examples.ts'
import { posted } from './document/posted-example.ts'

export const listInvoices: readonly Example[] = [
  {
    name: 'one-platform',
    summary: 'Invoices of a platform since September 2025',
    query: { filter: 'platform:cloud-platform', minCreationTime: 1756684800 },
    answer: {
      status: 200,
      body: {
        invoices: [
          {
            id: 'IN-2025-1017',
            number: 'IN-2025-1017',
            issuer: 'Reseller',
            documentState: 'issued',
            billingProfileId: 'default',
            invoiceDate: 1761868800000,
            platform: 'cloud-platform',
            dueDate: 1764460800000,
            status: 'PAID',
            totalAmount: 1400,
            balanceAmount: 0,
            currency: 'USD',
            url: 'https://console.example.com/billing/v1/invoices/IN-2025-1017/file',
          },
          {
            id: 'IN-2025-0917',
            number: 'IN-2025-0917',
            issuer: 'Reseller',
            documentState: 'issued',
            billingProfileId: 'default',
            invoiceDate: 1759190400000,
            platform: 'cloud-platform',
            dueDate: 1761782400000,
            status: 'PAST DUE',
            totalAmount: 1250,
            balanceAmount: 1250,
            currency: 'USD',
            url: 'https://console.example.com/billing/v1/invoices/IN-2025-0917/file',
          },
        ],
        rowCount: 2,
      },
    },
  },
  drafts,
]

export const exportInvoices: readonly Example[] = [
  {
    name: 'lines',
    summary: 'The line items of what is past due',
    query: { filter: 'status:PAST DUE', lines: true },
    answer: {
      status: 200,
      body: 'id,invoiceDate,dueDate,platform,status,currency,totalAmount,balanceAmount,billingProfileId,issuer,line,lineType,lineDescription,lineDetails,lineQty,linePrice,lineCurrency,lineAmount,number,documentState,corrects,billingAccount,periodStart,periodLastDay,typeCode,netAmount,taxAmount,purchaseOrder,buyerReference,costCenter,paymentTerms,sellerCountry,buyerCountry,lineNetAmount,lineTaxCategory,lineTaxRate,lineTaxAmount,linePeriodStart,linePeriodLastDay,lineBillingAccount,lineSubAccount,lineUnit,linePurchaseOrder,lineCostCenter,lineDetailId,lineChargeCategory,linePaymentCurrency,linePaymentAmount\r\nIN-2025-0917,2025-09-30,2025-10-30,cloud-platform,PAST DUE,USD,1250.00,1250.00,default,Reseller,1,cloud-platform,Compute,europe-west4,1,1100,USD,1100.00,IN-2025-0917,issued,,,,,,,,,,,,,,,,,,,,,,,,,,,,\r\nIN-2025-0917,2025-09-30,2025-10-30,cloud-platform,PAST DUE,USD,1250.00,1250.00,default,Reseller,2,cloud-platform,Storage,,3000,0.05,USD,150.00,IN-2025-0917,issued,,,,,,,,,,,,,,,,,,,,,,,,,,,,\r\n',
    },
  },
]

export const exportInvoicesXlsx: readonly Example[] = [
  {
    name: 'lines',
    summary: 'The line items of what is past due',
    query: { filter: 'status:PAST DUE', lines: true },
    answer: { status: 200 },
  },
]

export const readInvoice: readonly Example[] = [pastDue, creditNote, posted]

export const summarizeInvoices: readonly Example[] = [
  {
    name: 'one-platform',
    summary: 'What a platform comes to',
    query: { filter: 'platform:cloud-platform' },
    answer: {
      status: 200,
      body: {
        count: 2,
        today: 1795305600000,
        currencies: [
          {
            currency: 'USD',
            count: 2,
            totalAmount: 2650,
            balanceAmount: 1250,
            outstanding: { count: 1, amount: 1250 },
            credit: { count: 0, amount: 0 },
            pastDue: { count: 1, amount: 1250, oldestDueDate: 1761782400000 },
            dueIn30Days: { count: 0, amount: 0 },
            months: [
              {
                month: 1756684800000,
                count: 1,
                totalAmount: 1250,
                platforms: [{ platform: 'cloud-platform', count: 1, totalAmount: 1250 }],
              },
              {
                month: 1759276800000,
                count: 1,
                totalAmount: 1400,
                platforms: [{ platform: 'cloud-platform', count: 1, totalAmount: 1400 }],
              },
            ],
          },
        ],
      },
    },
  },
]
