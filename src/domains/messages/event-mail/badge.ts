import { toBuffer, toString } from 'qrcode'
import type { Attachment } from '../../../kernel/email-attachments.ts'

/** PNG options for QR codes: greyscale with the `up` filter, which compresses QR codes well and avoids trying all filters. */
const QR_PNG_OPTIONS = { deflateLevel: 9, colorType: 0, filterType: 2 }

/** The badge QR code as an inline image. Its content is the badge id. */
export async function createBadgeAttachment(badgeId: string): Promise<Attachment> {
  const content = await toBuffer(badgeId, {
    type: 'png',
    errorCorrectionLevel: 'M',
    margin: 2,
    scale: 8,
    rendererOpts: { ...QR_PNG_OPTIONS },
  })
  return { name: 'badge.png', mime: 'image/png', content, contentId: 'badge' }
}

/** The badge QR code as a scalable image, for pages and print. */
export async function createBadgeSvg(badgeId: string): Promise<Attachment> {
  const content = await toString(badgeId, { type: 'svg', errorCorrectionLevel: 'M', margin: 2 })
  return { name: 'badge.svg', mime: 'image/svg+xml', content: Buffer.from(content) }
}
