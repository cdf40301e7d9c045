import { cleanText } from '../../kernel/clean-text.ts'
import type { Signature } from './tables.ts'

const MAX_NAME = 120
const MAX_PICTURE_BYTES = 100_000
const MAX_SIDE = 1600
const PNG_HEAD = Buffer.from('89504e470d0a1a0a', 'hex')

/** Reads a signature from a form: a typed name, or a drawn picture. Null if it is missing or invalid. */
export function parseSignatureForm(form: Readonly<Record<string, string | undefined>>): Signature | null {
  if (form['how'] !== 'draw') {
    const typed = cleanText(form['name'] ?? '', MAX_NAME).trim()
    return typed.length < 2 ? null : { typed }
  }
  const [, data = ''] = /^data:image\/png;base64,([A-Za-z0-9+/]+={0,2})$/.exec(form['drawn'] ?? '') ?? []
  const picture = Buffer.from(data, 'base64')
  return isSmallPng(picture) ? { drawn: picture.toString('base64') } : null
}

function isSmallPng(picture: Buffer): boolean {
  if (picture.length < 33 || picture.length > MAX_PICTURE_BYTES || !picture.subarray(0, 8).equals(PNG_HEAD)) return false
  const [width, height] = [picture.readUInt32BE(16), picture.readUInt32BE(20)]
  return picture.toString('latin1', 12, 16) === 'IHDR' && width > 0 && height > 0 && width <= MAX_SIDE && height <= MAX_SIDE
}
