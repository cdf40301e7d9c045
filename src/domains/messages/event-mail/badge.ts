import { toBuffer } from 'qrcode'
import type { Attachment } from '../../../kernel/mail-attachments.ts'

/** Grey, and each line told by how it differs from the one above: of squares that is short, and need not be found out line by line. */
const SQUARES = { deflateLevel: 9, colorType: 0, filterType: 2 }

/** The code that doors and scanners read, as a picture inside the mail. Its first part is the badge's id, which is all it says today. */
export async function badgeAttachment(badgeId: string): Promise<Attachment> {
  const content = await toBuffer(badgeId, { type: 'png', errorCorrectionLevel: 'M', margin: 2, scale: 8, rendererOpts: { ...SQUARES } })
  return { name: 'badge.png', mime: 'image/png', content, contentId: 'badge' }
}
