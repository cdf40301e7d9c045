import { describe, expect, it } from 'vitest'
import { type FontSubset, hasMissingCharacters, loadFontsForText } from '../font-parts.ts'
import { splitIntoFontRuns } from '../font-runs.ts'
import { wrapTextIntoLines } from '../line-breaks.ts'
import { measureTextInFonts, drawTextAsOutlines } from '../outlines.ts'
import { SCRIPT_NAMES } from './script-names.ts'

const listGlyphs = (font: FontSubset, text: string) =>
  font.opened.layout(text).glyphs.map((glyph) => (glyph as unknown as { id: number }).id)

const printed = async (text: string, paragraph = text) =>
  splitIntoFontRuns(text, await loadFontsForText(text), paragraph).map((run) => run.text)

describe('loadFontsForText', () => {
  it('loads only the page font for Latin text', async () => {
    expect((await loadFontsForText('Ada Lovelace, 10.00\n')).map(({ name }) => name)).toEqual(['inter-latin'])
  })

  it.each(Object.entries(SCRIPT_NAMES))('loads fonts with every character of a name in %s', async (_, name) => {
    const fonts = await loadFontsForText(name)
    expect(hasMissingCharacters(name, fonts)).toBe(false)
    for (const { font, text } of splitIntoFontRuns(name, fonts)) {
      // Glyph 0 is the box for missing characters.
      expect(listGlyphs(font, text)).not.toContain(0)
    }
    expect(hasMissingCharacters(name, await loadFontsForText('Ada'))).toBe(true)
  })

  it('prints characters that Chinese and Japanese share in their Japanese form next to kana, otherwise in their Chinese form', async () => {
    const listFamilies = async (text: string) => (await loadFontsForText(text)).map(({ name }) => name.replace(/-\d+$/, ''))
    expect(new Set(await listFamilies('直子さん'))).toEqual(new Set(['inter-latin', 'noto-sans-jp']))
    expect(new Set(await listFamilies('直径'))).toEqual(new Set(['inter-latin', 'noto-sans-sc']))
  })

  it.each(['🎉', '❤️', '👩🏽‍💻', '🇪🇺', '☕', '😀'])('loads a font with a glyph for the emoji %s', async (emoji) => {
    const text = `Party ${emoji} 2027`
    const fonts = await loadFontsForText(text)
    expect(hasMissingCharacters(text, fonts)).toBe(false)
    const runs = splitIntoFontRuns(text, fonts)
    for (const { font, text: own } of runs) expect(listGlyphs(font, own)).not.toContain(0)
    // Digits are those of the page font.
    expect(runs.at(-1)).toMatchObject({ text: expect.stringContaining('2027'), font: { name: 'inter-latin' } })
  })

  it('prints an emoji that consists of several characters as one glyph', async () => {
    const { font, text } = splitIntoFontRuns('👩🏽‍💻', await loadFontsForText('👩🏽‍💻')).at(-1)!
    expect(font.name).toMatch(/^noto-emoji/)
    expect(listGlyphs(font, text)).toHaveLength(1)
  })

  it('prints unknown characters as question marks, and leaves out direction marks', async () => {
    expect(await printed('a𓀀b\u200e')).toEqual(['a?b'])
  })
})

describe('splitIntoFontRuns', () => {
  it('orders words of right-to-left scripts from the right, and keeps numbers and Latin words readable', async () => {
    expect(await printed('שלום עולם')).toEqual(['עולם', ' ', 'שלום'])
    expect(await printed('דוד 450.00 Visa')).toEqual(['Visa', ' ', '450.00', ' ', 'דוד'])
    expect(await printed('Name: שלום עולם!')).toEqual(['Name:', ' ', 'עולם', ' ', 'שלום', '!'])
  })

  it('mirrors brackets and reverses punctuation between right-to-left words', async () => {
    expect(await printed('דוד (לוי)')).toEqual(['(', 'לוי', ')', ' ', 'דוד'])
    expect(await printed('דוד <- לוי')).toEqual(['לוי', ' ', '->', ' ', 'דוד'])
  })

  it('takes the writing direction of a line from its paragraph', async () => {
    expect(await printed('לוי, Ada', 'Ada and דוד לוי, Ada')).toEqual(['לוי', ',', ' ', 'Ada'])
    expect(await printed('לוי, Ada')).toEqual(['Ada', ' ', ',', 'לוי'])
  })

  it('prints Arabic letters in their joined forms', async () => {
    const font = (await loadFontsForText('محمد')).at(-1)!
    const [joined, ...alone] = ['محمد', ...'محمد'].map((text) => listGlyphs(font, text))
    expect(joined).toHaveLength(4)
    // The last letter is printed first, and no letter has the form that it has alone.
    expect(joined!.toReversed().map((glyph, index) => glyph === alone[index]![0])).toEqual([false, false, false, false])
  })
})

describe('wrapTextIntoLines', () => {
  const byLength = (text: string) => [...text].length

  it('breaks lines between words that are written without spaces, and keeps punctuation with the word before it', () => {
    expect(wrapTextIntoLines('王小明北京大学教授，国际会议主席。', 6, byLength).every((line) => !/^[，。]/.test(line))).toBe(true)
    expect(wrapTextIntoLines('สมชายใจดี', 6, byLength)).toEqual(['สมชาย', 'ใจดี'])
    expect(wrapTextIntoLines('東京（日本）', 4, byLength)).toEqual(['東京', '（日本）'])
    expect(wrapTextIntoLines('(...) 東京', 20, byLength)).toEqual(['(...) 東京'])
  })

  it('does not separate a letter from its marks inside a long word', () => {
    expect(wrapTextIntoLines('e\u0301e\u0301e\u0301e\u0301', 5, byLength)).toEqual(['e\u0301e\u0301', 'e\u0301e\u0301'])
  })
})

describe('drawTextAsOutlines', () => {
  it('draws bold text wider than regular text, as wide as measured', async () => {
    const fonts = await loadFontsForText('تل أبيب 東京')
    const [regular, bold] = [drawTextAsOutlines('تل أبيب 東京', fonts, 400), drawTextAsOutlines('تل أبيب 東京', fonts, 600)]
    expect(bold.width).toBeGreaterThan(regular.width)
    expect(regular.width).toBeCloseTo(measureTextInFonts('تل أبيب 東京', fonts, 400), 9)
    expect(regular.paths).toMatch(/^(<path transform="translate\([\d. -]+\) scale\([\d. e-]+\)" d="[^"<>]+"\/>)+$/)
  })
})
