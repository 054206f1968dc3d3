/** QR code, black on white in the dark theme too, as cameras expect; `size` includes the quiet zone. */
export function QrCode({
  size,
  path,
  label,
  className,
}: {
  size: number
  path: string
  label: string
  className: string
}) {
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className={`rounded-control ${className}`}
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
