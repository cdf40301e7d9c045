import { describe, expect, it } from 'vitest'
import { LANGUAGES } from '../../../../kernel/language/translator.ts'
import { listTranslatableTexts } from '../../../configuration/texts.ts'
import { validateDocumentStructure } from '../../../configuration/structure.ts'
import { buildTemplate, TEMPLATES } from '../templates.ts'
import { TEMPLATE_TEXTS } from '../texts.ts'

const details = { name: '2027', startsOn: '2027-05-12', endsOn: '2027-05-14' }
const textsOf = (template: (typeof TEMPLATES)[number], locale: string): string[] => {
  const checked = validateDocumentStructure({ details, ...buildTemplate(template, { free: '0.00', locale }) })
  return checked.ok ? listTranslatableTexts(checked.value).map(({ text }) => text) : [JSON.stringify(checked.issues)]
}
const fieldsIn = (text: string) => [...text.matchAll(/\{\{[\w.]+\}\}|<\/?\w+>/g)].map(([field]) => field).sort()

describe('TEMPLATE_TEXTS', () => {
  it('has event template texts in every interface language', () => expect(Object.keys(TEMPLATE_TEXTS)).toEqual(LANGUAGES))

  it.each(LANGUAGES)('has the same merge fields and markup in the %s template texts as in the English ones', (language) => {
    for (const [key, text] of Object.entries(TEMPLATE_TEXTS[language]!))
      expect([key, fieldsIn(text)]).toEqual([key, fieldsIn(TEMPLATE_TEXTS['en']![key as 'booth'])])
  })
})

describe('buildTemplate', () => {
  it.each(TEMPLATES.flatMap((template) => LANGUAGES.slice(1).map((language) => [template, language] as const)))(
    'leaves no English text in the template %s in %s',
    (template, language) => {
      const english = new Set(textsOf(template, 'en'))
      // "Confirmation" is the same word in both languages.
      english.delete('Confirmation')
      expect(textsOf(template, language).filter((text) => english.has(text) && /\p{L}/u.test(text))).toEqual([])
    },
  )
})
