import { toBuffer, toString } from 'qrcode'
import type { Attachment } from '../../../kernel/email-attachments.ts'
import type { BadgeQrCode } from '../../configuration/badge-code.ts'

/** PNG options for QR codes: greyscale with the `up` filter, which compresses QR codes well and avoids trying all filters. */
const QR_PNG_OPTIONS = { deflateLevel: 9, colorType: 0, filterType: 2 }

/** Renders the badge QR code as an inline image of an email. */
export async function createBadgeAttachment({ text, ecc }: BadgeQrCode): Promise<Attachment> {
  const content = await toBuffer(text, {
    type: 'png',
    errorCorrectionLevel: ecc,
    margin: 2,
    scale: 8,
    rendererOpts: { ...QR_PNG_OPTIONS },
  })
  return { name: 'badge.png', mime: 'image/png', content, contentId: 'badge' }
}

/** Renders the badge QR code as a scalable image, for pages and print. */
export async function createBadgeSvg({ text, ecc }: BadgeQrCode): Promise<Attachment> {
  const content = await toString(text, { type: 'svg', errorCorrectionLevel: ecc, margin: 2 })
  return { name: 'badge.svg', mime: 'image/svg+xml', content: Buffer.from(content) }
}
