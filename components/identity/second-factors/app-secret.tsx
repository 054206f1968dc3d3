import { CopyButton } from '#components/ui/copy-button.tsx'
import { QrCode } from '#components/ui/qr-code.tsx'

/** Secret for an authenticator app: as a QR code, and as text for members who can't scan it. */
export type AppSecretView = { secret: string; uri: string; qr: { size: number; path: string } }

/** Secret with its QR code. */
export function AppSecret({ secret, uri, qr }: AppSecretView) {
  return (
    <div className="grid gap-3">
      <QrCode {...qr} label="QR code for your authenticator app" className="mx-auto w-full max-w-55" />
      <p className="text-sm">
        Scan the code with an authenticator app,{' '}
        <a href={uri} className="text-accent underline">
          open the app on this device
        </a>
        , or enter this secret:
      </p>
      <p className="rounded-control bg-sunken px-3 py-2 font-mono text-sm wrap-anywhere">{secret}</p>
      <div className="-mt-1.5 -ml-3">
        <CopyButton text={() => secret.replaceAll(' ', '')}>Copy the secret</CopyButton>
      </div>
    </div>
  )
}
