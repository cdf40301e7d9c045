import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CONGRESS } from '../../../../test/support/congress.ts'
import { exploreConfig, type ExploreRequest } from '../explore.ts'
import { applyOperationsSynchronously } from '../../../../test/support/synchronous-configuration.ts'
import { getLocationAtPointer } from '../pointers.ts'
import type { Configuration } from '../read.ts'
import { type ConfigDocument, EventConfig } from '../schema/event-config.ts'
import { toStoredDocument } from '../stored.ts'
import { documents } from './documents.ts'
import { soakRounds } from '../../../../test/support/soak.ts'

const configurationOf = (document: ConfigDocument) =>
  ({ document, facts: { draftRevision: 2, currency: 'EUR' } }) as unknown as Configuration
const explore = (document: ConfigDocument, request: Partial<ExploreRequest> = {}) =>
  exploreConfig(
    configurationOf(document),
    { path: '', depth: 1, source: 'draft', include: ['values'], ...request },
    { issues: null, records: [] },
  )
const paths = (rows: readonly { path: string }[]) => rows.map(({ path }) => path)

const many = (count: number): ConfigDocument => ({
  ...CONGRESS,
  products: Array.from({ length: count }, (_, i) => ({
    code: `product-${i}`,
    name: `Product ${i}`,
    category: 'other',
    prices: [{ amount: '10.00', until: '2027-01-01' }, { amount: '20.00' }],
  })),
})

describe('exploreConfig', () => {
  it('lists configuration paths down to the requested depth in schema order', () => {
    const { children } = explore(CONGRESS, { path: '/customFields', depth: 2 })
    expect(paths(children)).toEqual([
      '/customFields/diet',
      '/customFields/diet/name',
      '/customFields/diet/responseType',
      '/customFields/diet/choices',
      '/customFields/badge-name',
      '/customFields/badge-name/name',
      '/customFields/badge-name/responseType',
    ])
    expect(explore(CONGRESS, { path: '/customFields', depth: 3 }).children).toHaveLength(9)
  })

  it('summarizes each configuration item in one line', () => {
    const lines = (path: string) => explore(CONGRESS, { path }).children.map(({ summary }) => summary)
    expect(lines('/products')).toEqual([
      'Admission · admission · 300.00 to 450.00 EUR',
      'Gala dinner · meal · 75.00 to 120.00 EUR · capacity 300',
    ])
    expect(lines('/flows')).toEqual(['Attendees · 2 pages · 5 widgets'])
    expect(lines('/flows/attendee/pages/about-you/widgets')).toEqual([
      'w1 · name',
      '@custom.diet · field · required',
      'Tell the waiter as well. · notice',
    ])
    expect(lines('/emails')).toEqual(['Confirmation · registration.completed · 1 block'])
    expect(lines('/customFields')).toEqual(['Dietary needs · choice · 2 choices', 'Name on the badge · text'])
    expect(lines('/translations')).toEqual(['2 texts'])
  })

  it('shows the default of each setting and whether the default is in effect', () => {
    const row = (key: string) => explore(CONGRESS, { path: '/theme' }).children.find((child) => child.key === key)
    expect(row('radius')).toEqual({
      path: '/theme/radius',
      key: 'radius',
      kind: 'value',
      title: 'Radius',
      summary: '8',
      defaultJson: '8',
      isDefault: true,
    })
    const { isDefault, defaultJson } = explore({ ...CONGRESS, theme: { radius: 4 } }, { path: '/theme' }).children.find(
      ({ key }) => key === 'radius',
    )!
    expect({ isDefault, defaultJson }).toEqual({ isDefault: false, defaultJson: '8' })
  })

  it('lists configuration paths to a lower depth if the result is too long, and counts the omitted paths', () => {
    const shallow = explore(many(60), { path: '/products', depth: 1 })
    expect([shallow.children.length, shallow.cutPaths]).toEqual([60, undefined])
    const deep = explore(many(60), { path: '/products', depth: 4 })
    // Each product has eight rows: name, category, prices, two price rows and their three settings.
    expect([deep.children.length, deep.cutPaths, deep.truncated]).toEqual([60, 60 * 8, true])
    expect(deep.note).toContain('Shown to depth 1 of 4; 480 paths below are not')
    expect(explore(many(3), { path: '/products', depth: 4 }).children).toHaveLength(3 * 9)
  })

  it('truncates the listed paths if one level is too long, and keeps the result well below 80 KB', () => {
    const { children, cutPaths, note, ...rest } = explore(many(2000), {
      path: '/products',
      depth: 2,
      include: ['values', 'issues', 'usage'],
    })
    expect(children.length).toBeGreaterThan(100)
    expect(children.every(({ path }, index) => path === `/products/product-${index}`)).toBe(true)
    expect(cutPaths).toBe(2000 * 4 - children.length)
    expect(note).toContain('config_find')
    expect(JSON.stringify({ children, cutPaths, note, ...rest }).length).toBeLessThan(50_000)
  })

  it('returns a long configuration value in full only if the caller requests depth 0', () => {
    const document = many(100)
    const beside = explore(document, { path: '/products' })
    expect(beside.valueJson).toBeUndefined()
    expect(beside.note).toMatch(/use depth 0 to get it/)
    expect(JSON.parse(explore(document, { path: '/products', depth: 0 }).valueJson!)).toEqual(document.products)
    const endless = { ...CONGRESS, policies: [{ code: 'terms', title: 'Terms', body: 'x'.repeat(90_000) }] }
    expect(explore(endless, { path: '/policies/terms/body' })).toMatchObject({
      truncated: true,
      note: expect.stringContaining('90006 bytes'),
    })
  })

  it('measures an explored configuration in bytes as sent, with multi-byte characters and doubly escaped quotes', () => {
    const sizeOf = (body: string) => {
      const document = { ...CONGRESS, policies: [{ code: 'terms', title: 'Terms', body }] }
      const answer = explore(document, { path: '/policies/terms/body', depth: 0 })
      return { bytes: Buffer.byteLength(JSON.stringify(answer)), whole: answer.valueJson !== undefined, note: answer.note }
    }
    expect(sizeOf('x'.repeat(45_000))).toMatchObject({ whole: true })
    for (const long of ['規'.repeat(45_000), '"'.repeat(45_000)]) {
      const { bytes, whole, note } = sizeOf(long)
      expect({ whole, note }).toEqual({ whole: false, note: expect.stringContaining('bytes, too many to show') })
      expect(bytes).toBeLessThan(80_000)
    }
    const named = (count: number): ConfigDocument => ({
      ...CONGRESS,
      products: Array.from({ length: count }, (_, i) => ({ code: `product-${i}`, name: '規'.repeat(200), category: 'other' })),
    })
    const rows = explore(named(500), { path: '/products' })
    expect(Buffer.byteLength(JSON.stringify(rows.children))).toBeLessThan(24_500)
    expect(rows.children.length + rows.cutPaths!).toBe(500)
  })

  it('limits an explored configuration with all optional parts to 80 KB, and lists the omitted parts', () => {
    const long = 'x'.repeat(600)
    const document = {
      ...many(300),
      flows: Array.from({ length: 40 }, (_, n) => ({
        slug: `${'flow-with-a-long-name-'.repeat(2)}${n}`,
        name: 'Flow',
        pages: [
          { code: 'p', title: 'P', widgets: ['a', 'b', 'c'].map((id) => ({ id, type: 'products', products: ['product-1', 'product-2'] })) },
        ],
      })),
    } as unknown as ConfigDocument
    const issues = Array.from({ length: 60 }, (_, n) => ({
      level: 'warning' as const,
      code: 'long',
      path: `/products/product-${n}`,
      message: `規${long}`,
      hint: long,
    }))
    const answer = exploreConfig(
      configurationOf(document),
      { path: '/products', depth: 4, source: 'draft', include: ['values', 'schema', 'issues', 'usage'] },
      { issues, records: [] },
    )
    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(80_000)
    expect(answer.issues!.length).toBeGreaterThan(0)
    expect(answer.issues!.length + answer.usage!.referencedBy.length).toBeLessThan(150)
    expect(answer.note).toContain('60 issues: validate_schema lists them all.')
  })

  const schemaAt = (path: string): any => explore(CONGRESS, { path, include: ['schema'] }).schema!

  it('shortens the JSON Schema of a large section to at most 4,000 characters', () => {
    for (const path of ['', '/flows', '/emails', '/products/gala']) expect(JSON.stringify(schemaAt(path)).length).toBeLessThan(4001)
    expect(schemaAt('/products/gala').properties.prices.items.properties.tags.items.description).toBe('code of tags')
  })

  it('omits null types and defaults from the JSON Schema of a configuration section', () => {
    for (const path of ['', '/details', '/products', '/flows/attendee/pages/extras/widgets', '/emails/confirmed/blocks', '/housing']) {
      expect(JSON.stringify(schemaAt(path))).not.toMatch(/"null"|"default":(?!\{)|"additionalProperties":false/)
    }
    expect(schemaAt('/products/gala')).toMatchObject({
      required: ['code', 'name', 'category'],
      properties: { capacity: { type: 'integer' } },
    })
    expect(schemaAt('/flows/attendee/pages/extras').properties.showWhen.description).toBe(
      'Shown only when the answers match; {binding, op, value} or {all: [...]} or {any: [...]}',
    )
  })

  it('lists every widget type with its properties, and properties of all types only once', () => {
    const { items } = schemaAt('/flows/attendee/pages/extras/widgets')
    expect(Object.keys(items.properties)).toEqual(['id', 'showWhen', 'visibleForTags', 'width'])
    expect(items.required).toEqual(['id', 'type'])
    expect(items.oneOf.length).toBe(33)
    const pages = schemaAt('/flows/attendee').properties.pages.items
    expect(pages.properties.widgets.items.required).toEqual(['id', 'type'])
    const field = items.oneOf.find((one: any) => one.properties.type.const === 'field')
    expect(field.required).toEqual(['binding'])
    expect(Object.keys(field.properties)).toContain('placeholder')
  })

  it('returns only configuration paths at which the same value can be read and set again', () => {
    fc.assert(
      fc.property(documents(), fc.boolean(), (drawn, withSchema) => {
        const document = toStoredDocument(EventConfig.parse(drawn))
        const values = valuesIn(document)
        const include = withSchema ? (['schema'] as const) : []
        const seen = ['', ...Object.keys(document).map((section) => `/${section}`)].flatMap(
          (path) => explore(document, { path, depth: 4, include }).children,
        )
        expect(seen.length).toBeGreaterThan(18)
        for (const { path, isDefault } of seen) {
          const location = getLocationAtPointer(document, path)
          expect(location.path).toBe(path)
          expect(location.value).toEqual(values.get(path))
          if (isDefault) expect(location.value).toBeUndefined()
          const set = applyOperationsSynchronously(document, [
            { op: 'set', path, valueJson: JSON.stringify(location.value ?? location.node.default ?? null) },
          ])
          if (location.value !== undefined) expect(toStoredDocument(set.document)).toEqual(document)
        }
      }),
      { numRuns: soakRounds(30) },
    )
  })
})

/** Lists every value of a document by its pointer, found without the schema. */
function valuesIn(document: unknown): Map<string, unknown> {
  const values = new Map<string, unknown>()
  const visit = (value: any, path: string): void => {
    values.set(path, value)
    if (value === null || typeof value !== 'object') return
    for (const [name, part] of Object.entries<any>(value)) {
      const segment: string = Array.isArray(value) ? (part?.code ?? part?.slug ?? part?.id ?? name) : name
      visit(part, `${path}/${segment.replaceAll('~', '~0').replaceAll('/', '~1')}`)
    }
  }
  visit(document, '')
  return values
}
