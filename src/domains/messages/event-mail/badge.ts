import { toBuffer } from 'qrcode'
import type { Attachment } from '../../../kernel/mail-attachments.ts'

/** The code that doors and scanners read, as a picture inside the mail. Its first part is the badge's id, which is all it says today. */
export async function badgeAttachment(badgeId: string): Promise<Attachment> {
  const content = await toBuffer(badgeId, { type: 'png', errorCorrectionLevel: 'M', margin: 2, scale: 8 })
  return { name: 'badge.png', mime: 'image/png', content, contentId: 'badge' }
}
