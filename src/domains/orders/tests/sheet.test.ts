import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { newSheet } from '../pdf/sheet.ts'
import { fontsFor } from '../pdf/typeface.ts'

/** The hash of a page that says this. */
async function written(text: string): Promise<string> {
  const sheet = await newSheet({
    title: 'Invoice',
    author: 'ACME',
    language: 'en',
    createdAt: new Date('2026-04-10T10:00:00Z'),
    fonts: await fontsFor(text),
    foot: () => '',
  })
  sheet.text(text)
  return createHash('sha256')
    .update(await sheet.end())
    .digest('hex')
}

describe('a sheet', () => {
  it('is the same whatever was written before it, also by signs that look alike', async () => {
    const [apostrophe, letter] = ['it\u2019s paid', 'it\u02BCs paid']
    const first = await written(apostrophe)
    expect(await written(letter)).not.toBe(first)
    expect(await written(apostrophe)).toBe(first)
  })
})
