import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createPdfSheet } from '../pdf/sheet.ts'
import { loadFontsForText } from '../../fonts/font-parts.ts'

/** Returns the hash of a PDF page with this text. */
async function written(text: string): Promise<string> {
  const sheet = await createPdfSheet({
    title: 'Invoice',
    author: 'ACME',
    language: 'en',
    createdAt: new Date('2026-04-10T10:00:00Z'),
    fonts: await loadFontsForText(text),
    foot: () => '',
  })
  sheet.text(text)
  return createHash('sha256')
    .update(await sheet.end())
    .digest('hex')
}

describe('createPdfSheet', () => {
  it('renders a PDF to the same bytes again after a PDF with lookalike characters was rendered', async () => {
    const [apostrophe, letter] = ['it\u2019s paid', 'it\u02BCs paid']
    const first = await written(apostrophe)
    expect(await written(letter)).not.toBe(first)
    expect(await written(apostrophe)).toBe(first)
  })
})
