import { create } from 'qrcode'

/** Light modules around the code: readers need them, in a dark page too. */
const QUIET = 4

/** A QR code as a picture in the page itself, so that what it says is in no address and no cache. */
export const QrCode = ({ text, label }: { text: string; label: string }) => {
  const { modules } = create(text, { errorCorrectionLevel: 'M' })
  const size = modules.size + 2 * QUIET
  const path = Array.from(modules.data, (dark, at) =>
    dark ? `M${(at % modules.size) + QUIET} ${Math.floor(at / modules.size) + QUIET}h1v1h-1z` : '',
  ).join('')
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} width="220" height="220" role="img" aria-label={label} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
