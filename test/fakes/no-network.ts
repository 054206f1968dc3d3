import { vendorFakes } from './vendor-fakes.ts'

/** Settings without vendors and a mail server: the machine may have some configured, and no test may call them. */
export const NO_NETWORK: Record<string, string> = {
  ...Object.fromEntries(vendorFakes.flatMap(({ needs }) => needs.map((name) => [name, '']))),
  VENDOR_ACCOUNTS_FILE: '',
  SMTP_URL: '',
  MAIL_FROM: '',
  SIGN_ON_PRIVATE_HOSTS: '',
  SIGN_ON_DNS: '',
  WEBHOOK_PRIVATE_HOSTS: '',
}
