import { toCanonicalJson } from '../../src/kernel/canonical.ts'
import { type ConfigDocument, MAX_DOCUMENT_BYTES } from '../../src/domains/configuration/schema/event-config.ts'
import { toStoredDocument } from '../../src/domains/configuration/stored.ts'
import { hashSourceText, listTranslatableTexts } from '../../src/domains/configuration/texts.ts'

const FLOWS = 30
const WIDGETS = 2000
const PAGES_PER_FLOW = 8
const FIELDS = 500
const PRODUCTS = 1000
export const LARGE_DOCUMENT_LOCALES = ['de', 'es', 'fr', 'it', 'ja', 'nl', 'pl', 'pt-BR'] as const

type Widget = NonNullable<NonNullable<ConfigDocument['flows']>[number]['pages'][number]['widgets']>[number]

const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))
const WORDS =
  'the program opens with a keynote in the main hall and everybody who registered early has a seat reserved near the stage'.split(' ')
const sentence = (seed: number, words: number) => times(words, (i) => WORDS[(seed * 7 + i * 3 + (seed >> 3)) % WORDS.length]!).join(' ')

const field = (i: number) => ({
  code: `field-${i}`,
  name: `Question ${i}: ${sentence(i, 6)}?`,
  help: sentence(i, 8),
  ...(i % 5 === 0
    ? { responseType: 'choice' as const, choices: times(6, (c) => ({ code: `choice-${c}`, name: `Choice ${c} ${sentence(i + c, 2)}` })) }
    : { responseType: 'text' as const, max: 200 }),
})

const product = (i: number) => ({
  code: `product-${i}`,
  name: `Product ${i} ${sentence(i, 3)}`,
  description: `<p>${sentence(i, 14)}</p>`,
  category: (['admission', 'meal', 'tour', 'merchandise'] as const)[i % 4]!,
  prices: [
    { amount: `${100 + (i % 50)}.00`, until: '2027-01-31' },
    { amount: `${150 + (i % 50)}.00`, from: '2027-02-01' },
    { amount: `${90 + (i % 50)}.00`, tags: [`tag-${i % 40}`] },
  ],
  capacity: 10 + (i % 400),
  taxCode: 'vat',
  ...(i % 10 === 9 ? { requires: [`product-${i - 1}`] } : {}),
})

function widget(i: number): Widget {
  const id = `w-${i}`
  const kind = i % 8
  if (kind === 0) return { id, type: 'heading', text: `Part ${i}: ${sentence(i, 4)}` }
  if (kind === 1) return { id, type: 'text', body: `<p>${sentence(i, 20)}</p>` }
  if (kind === 2) return { id, type: 'products', products: times(6, (p) => `product-${(i * 5 + p) % PRODUCTS}`), layout: 'cards' }
  if (kind === 3) return { id, type: 'notice', body: `<p>${sentence(i, 10)}</p>`, tone: 'warning' }
  const asked = { id, type: 'field' as const, binding: `@custom.field-${i % FIELDS}`, label: `${sentence(i, 5)}?`, required: i % 2 === 0 }
  if (kind !== 7) return asked
  const showWhen = { all: [{ binding: `@custom.field-${(i - 2) % FIELDS}`, op: 'isSet' as const }] }
  return { ...asked, showWhen, visibleForTags: { type: 'any', required: [`tag-${i % 40}`] } }
}

function flows(): NonNullable<ConfigDocument['flows']> {
  const pages = FLOWS * PAGES_PER_FLOW
  const start = (p: number) => Math.floor((p * WIDGETS) / pages)
  return times(FLOWS, (f) => ({
    slug: `flow-${f}`,
    name: `Flow ${f} ${sentence(f, 2)}`,
    opensAt: '2027-02-01T08:00:00.000Z',
    closesAt: '2027-05-01T08:00:00.000Z',
    addsTags: [`tag-${f}`],
    pages: times(PAGES_PER_FLOW, (at) => {
      const p = f * PAGES_PER_FLOW + at
      return { code: `page-${at}`, title: `Page ${at} of ${f}`, widgets: times(start(p + 1) - start(p), (w) => widget(start(p) + w)) }
    }),
  }))
}

/**
 * A configuration of the maximum size: 30 flows, 2,000 widgets, 500 fields, 1,000 products, and translations up to just under the limit.
 */
export function buildLargeDocument(): ConfigDocument {
  const document: ConfigDocument = {
    details: {
      name: 'World Congress',
      startsOn: '2027-05-11',
      endsOn: '2027-05-15',
      contactEmail: 'team@example.org',
      description: `<p>${sentence(1, 200)}</p>`,
    },
    tags: times(40, (i) => ({ code: `tag-${i}`, name: `Tag ${i}` })),
    customFields: times(FIELDS, field),
    products: times(PRODUCTS, product),
    taxes: [{ code: 'vat', name: 'VAT', rate: '19' }],
    flows: flows(),
  }
  return toStoredDocument({ ...document, translations: translationsOf(document) })
}

function translationsOf(document: ConfigDocument): NonNullable<ConfigDocument['translations']> {
  const units = listTranslatableTexts(document)
  const translations: NonNullable<ConfigDocument['translations']> = {}
  let room = MAX_DOCUMENT_BYTES - Buffer.byteLength(toCanonicalJson(toStoredDocument(document))) - 1000
  for (const locale of LARGE_DOCUMENT_LOCALES) {
    for (const { path, text } of units) {
      const entry = { text: `${locale} ${text}`, sourceHash: hashSourceText(text), state: 'machine' as const }
      room -= Buffer.byteLength(JSON.stringify({ [path]: entry }))
      if (room < 0) return translations
      ;(translations[locale] ??= {})[path] = entry
    }
  }
  return translations
}

/**
 * A later version of the document: changed prices and texts, moved pages, new and removed items, a renamed tag. Shares no objects with
 * the first.
 */
export function buildNextVersion(document: ConfigDocument): ConfigDocument {
  const next = structuredClone(document)
  for (const [i, one] of next.products!.entries()) {
    if (i % 20 === 0) one.prices![0]!.amount = '99.00'
    if (i % 50 === 1) one.name = `${one.name} (new)`
  }
  next.products!.splice(300, 10)
  next.products!.push(...times(10, (i) => ({ ...product(i), code: `new-${i}`, name: `New product ${i}` })))
  next.products!.unshift(next.products!.pop()!)
  for (const [i, flow] of next.flows!.entries()) {
    flow.pages.unshift(flow.pages.pop()!)
    const { widgets } = flow.pages[1]!
    widgets!.push(widgets!.shift()!)
    if (i % 3 === 0) flow.name = `Way ${i}`
  }
  for (const [i, one] of next.customFields!.entries()) if (i % 25 === 0) one.help = `${one.help} Please.`
  next.customFields!.reverse()
  next.tags![0]!.code = 'tag-first'
  for (const [i, entry] of Object.values(next.translations!['de']!).entries()) if (i % 40 === 0) entry.state = 'reviewed'
  return toStoredDocument(next)
}
