import { z } from 'zod'

const transfer = {
  payee: z.string().meta({ description: 'Whom to pay: the issuer, as stored when the invoice arrived.' }),
  amount: z.number().meta({ description: 'The open balance: what can be paid.' }),
  currency: z.string().meta({ description: 'Three-letter code, ISO 4217.' }),
  reference: z.string().meta({
    description: 'What to give as the reference of the payment: the number of the invoice.',
  }),
}
const bic = z.string().optional().meta({ description: 'BIC of the bank. Absent where it is not known.' })
const epcQrCode = z.string().meta({
  description:
    'Content of an EPC QR code (EPC069-12) for a SEPA credit transfer, to be encoded with error correction level M.',
})

/** Addition: how an open invoice is paid. */
export const PaymentInstructions = z
  .object({
    ...transfer,
    bank: z.string().optional().meta({ description: 'The bank. Absent where it is not known.' }),
    iban: z.string().optional().meta({ description: 'The account. Absent where it has no IBAN.' }),
    bic,
    account: z.string().optional().meta({
      description: 'Account and routing number at a bank without IBAN.',
    }),
    epcQrCode: epcQrCode.optional(),
    paymentUrl: z
      .url()
      .optional()
      .meta({ description: 'Where the issuer takes payments of this invoice online; https only.' }),
  })
  .meta({ id: 'PaymentInstructions', description: 'How an open invoice is paid.' })

/** Addition: one SEPA credit transfer for the open invoices of an account. */
export const CreditTransfer = z
  .object({
    billingProfileId: z.string().meta({ description: 'Which billing profile owes it.' }),
    ...transfer,
    reference: z.string().meta({
      description: 'What to give as the reference of the payment: as many numbers of invoices as fit.',
    }),
    iban: z.string().meta({ description: 'The account.' }),
    bic,
    epcQrCode,
    count: z.int().min(1).meta({ description: 'How many invoices it pays.' }),
  })
  .meta({ id: 'CreditTransfer', description: 'One payment for several open invoices.' })

export type PaymentInstructions = z.output<typeof PaymentInstructions>
export type CreditTransfer = z.output<typeof CreditTransfer>
