import 'server-only'
import type { PaymentView } from '#components/billing/invoices/payment-card.tsx'
import { MAX_EPC_VERSION } from '#lib/billing/payment-instructions/epc.ts'
import type { CreditTransfer, PaymentInstructions } from '#lib/billing/payment-instructions/schemas.ts'
import { ibanText } from '#lib/platform/values/bank-codes.ts'
import { moneyText, plainAmount } from '#lib/platform/values/money.ts'
import { qrCodeOf } from '#lib/platform/values/qr-code.ts'

/** Formats payment instructions, and draws their QR code. */
export function toPaymentView(instructions: PaymentInstructions | CreditTransfer): PaymentView {
  const { payee, amount, currency, reference, iban, bic, epcQrCode } = instructions
  return {
    payee,
    amountText: moneyText(amount, currency),
    amount: plainAmount(amount, currency),
    reference,
    bank: 'bank' in instructions ? instructions.bank : undefined,
    ibanText: iban === undefined ? undefined : ibanText(iban),
    iban,
    bic,
    account: 'account' in instructions ? instructions.account : undefined,
    qr: epcQrCode === undefined ? undefined : qrCodeOf(epcQrCode, MAX_EPC_VERSION),
    paymentUrl: 'paymentUrl' in instructions ? instructions.paymentUrl : undefined,
  }
}
