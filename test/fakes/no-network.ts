import { vendorFakes } from './vendor-fakes.ts'

/** Whose machine this is may have vendors and a mail server set up: with these settings no test reaches them. */
export const NO_NETWORK: Record<string, string> = {
  ...Object.fromEntries(vendorFakes.flatMap(({ needs }) => needs.map((name) => [name, '']))),
  VENDOR_ACCOUNTS_FILE: '',
  SMTP_URL: '',
  MAIL_FROM: '',
  SIGN_ON_PRIVATE_HOSTS: '',
  SIGN_ON_DNS: '',
}
