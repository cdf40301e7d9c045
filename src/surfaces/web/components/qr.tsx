import { qrModules } from '../qr.ts'

/** Light modules around the code: readers need them, in a dark page too. */
const QUIET = 4

/** A QR code as a picture in the page itself, so that what it says is in no address and no cache. */
export const QrCode = ({ text, label }: { text: string; label: string }) => {
  const modules = qrModules(text)
  const size = modules.length + 2 * QUIET
  const path = modules.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x + QUIET} ${y + QUIET}h1v1h-1z`] : []))).join('')
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} width="220" height="220" role="img" aria-label={label} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
