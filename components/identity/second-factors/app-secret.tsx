import { CopyButton } from '#components/ui/copy-button.tsx'

/** Secret for an authenticator app: as a QR code, and as text for members who can't scan it. */
export type AppSecretView = { secret: string; uri: string; qr: { size: number; path: string } }

/** Secret with its QR code, which is black on white in the dark theme too, as cameras expect. */
export function AppSecret({ secret, uri, qr }: AppSecretView) {
  return (
    <div className="grid gap-3">
      <svg
        role="img"
        aria-label="QR code for your authenticator app"
        viewBox={`0 0 ${qr.size} ${qr.size}`}
        shapeRendering="crispEdges"
        className="mx-auto w-full max-w-55 rounded-control"
      >
        <rect width={qr.size} height={qr.size} fill="#fff" />
        <path d={qr.path} fill="#000" />
      </svg>
      <p className="text-sm">
        Scan it with an authenticator app, or{' '}
        <a href={uri} className="text-accent underline">
          open the app on this device
        </a>
        , or type in this secret:
      </p>
      <p className="rounded-control bg-sunken px-3 py-2 font-mono text-sm wrap-anywhere">{secret}</p>
      <div className="-mt-1.5 -ml-3">
        <CopyButton text={() => secret.replaceAll(' ', '')}>Copy the secret</CopyButton>
      </div>
    </div>
  )
}
