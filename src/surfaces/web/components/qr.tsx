import { create } from 'qrcode'

/** The quiet zone around the code, in modules. Readers need it, on a dark page too. */
const QUIET_ZONE_MODULES = 4

/** A QR code as inline SVG, so that its content appears in no URL and no cache. */
export const QrCode = ({ text, ecc = 'M', label }: { text: string; ecc?: 'L' | 'M' | 'Q' | 'H'; label: string }) => {
  const { modules } = create(text, { errorCorrectionLevel: ecc })
  const size = modules.size + 2 * QUIET_ZONE_MODULES
  const path = Array.from(modules.data, (dark, at) =>
    dark ? `M${(at % modules.size) + QUIET_ZONE_MODULES} ${Math.floor(at / modules.size) + QUIET_ZONE_MODULES}h1v1h-1z` : '',
  ).join('')
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} width="220" height="220" role="img" aria-label={label} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
