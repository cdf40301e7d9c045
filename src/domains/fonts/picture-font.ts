import { createRequire } from 'node:module'
import { makeLazy } from '../../kernel/lazy.ts'
import { isIgnorableCharacter } from './characters.ts'
import { readFontWidths } from './truetype-widths.ts'

const { resolve } = createRequire(import.meta.url)

/** Font files for texts in pictures, so that pictures are the same on every machine. */
export const PICTURE_FONT_FILES = {
  regular: resolve('@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf'),
  semiBold: resolve('@expo-google-fonts/inter/600SemiBold/Inter_600SemiBold.ttf'),
}

export const pictureFontGlyphWidths = {
  regular: makeLazy(() => readFontWidths(PICTURE_FONT_FILES.regular)),
  semiBold: makeLazy(() => readFontWidths(PICTURE_FONT_FILES.semiBold)),
}

const NON_ASCII = /\P{ASCII}/v

/** Whether a text has characters that the font of pictures does not have. */
export function needsFallbackFonts(text: string): boolean {
  if (!NON_ASCII.test(text)) return false
  const { widthOf } = pictureFontGlyphWidths.regular()
  for (const character of text)
    if (character > '\x7f' && widthOf(character.codePointAt(0)!) === undefined && !isIgnorableCharacter(character)) return true
  return false
}
