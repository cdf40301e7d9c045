import { describe, expect, it } from 'vitest'
import { buildWorkbook } from '../../../domains/sheets/tests/workbook-file.ts'
import { useDraftScenario } from '../../../../test/support/draft-scenario.ts'
import { createUploadFixtures } from '../../../../test/support/uploads.ts'

const scenario = useDraftScenario({ timezone: 'Europe/Paris' })

const load = (text: string, more: object = {}) => scenario.call('import_products', { text, ...more })
const refused = (text: string, more: object = {}) => scenario.refused('import_products', { text, ...more })
const products = async (): Promise<any[]> => {
  const { valueJson } = await scenario.call('config_explore', { path: '/products', depth: 0 })
  return valueJson === undefined ? [] : (JSON.parse(valueJson) as any[])
}
const configure = (sections: object) => scenario.call('configure_event', { sections })
const tagged = () =>
  configure({
    tags: [
      { code: 'member', name: 'Member' },
      { code: 'vip', name: 'VIP guest' },
    ],
    taxes: [{ code: 'vat-fr', name: 'TVA', rate: '20' }],
  })

const FREE = [{ amount: '0.00' }]

const PASS = `Code,Name,Category,Price,Valid from,Valid until,Price tags,Capacity
pass,Full pass,admission,600,,2027-03-31,,500
pass,,,750,2027-04-01,,,
pass,Full pass,admission,450,,,member,500
`

describe('import_products', () => {
  it('creates one product with three prices from three rows, and changes nothing the second time', async () => {
    await tagged()
    const first = await load(PASS)
    expect(first).toMatchObject({ created: 1, updated: 0, unchanged: 0, retired: 0, errors: [], draftRevision: 3 })
    expect(await products()).toMatchObject([
      {
        code: 'pass',
        name: 'Full pass',
        category: 'admission',
        capacity: 500,
        prices: [
          { amount: '600.00', until: '2027-03-31' },
          { amount: '750.00', from: '2027-04-01' },
          { amount: '450.00', tags: ['member'] },
        ],
      },
    ])
    expect(await load(PASS)).toMatchObject({ created: 0, updated: 0, unchanged: 1, draftRevision: 3 })
  })

  it('returns the product field to which each column of the file was mapped', async () => {
    await tagged()
    const { detectedMapping } = await load(PASS)
    expect(detectedMapping.map(({ field }: any) => field)).toEqual([
      'code',
      'name',
      'category',
      'price',
      'priceFrom',
      'priceUntil',
      'priceTags',
      'capacity',
    ])
    expect(detectedMapping[0]).toMatchObject({ column: 'Code', confidence: 'sure' })
  })

  it('imports a German product list from a workbook, with date cells and tags by name', async () => {
    await tagged()
    const texts = ['Artikelnummer', 'Bezeichnung', 'Preis', 'Gültig bis', 'Zielgruppe', 'Steuer', 'Warteliste', 'Plätze', 'Erstattung bis']
    const cells = (row: number, values: readonly string[]) =>
      `<row r="${row}">${values.map((value, index) => `<c r="${'ABCDEFGHI'[index]}${row}" ${value}</c>`).join('')}</row>`
    const text = (value: string) => `t="inlineStr"><is><t>${value}</t></is>`
    const day = (serial: number) => `s="1"><v>${serial}</v>`
    const row = [
      text('GALA'),
      text('Galadinner'),
      '><v>89.5</v>',
      day(46_477),
      text('VIP guest, member'),
      text('TVA'),
      text('ja'),
      '><v>80</v>',
      day(46_477),
    ]
    const content = buildWorkbook({ sheets: { Preise: cells(1, texts.map(text)) + cells(2, row) }, formats: ['dd.mm.yyyy'] })
    const { id } = await createUploadFixtures(scenario.world, scenario.event).file(
      content,
      { name: 'preise.xlsx' },
      { clientId: scenario.event.clientId },
    )
    expect(await scenario.call('import_products', { fileId: id })).toMatchObject({ created: 1, errors: [] })
    expect(await products()).toMatchObject([
      {
        code: 'gala',
        name: 'Galadinner',
        category: 'other',
        capacity: 80,
        taxCode: 'vat-fr',
        waitlist: true,
        prices: [{ amount: '89.50', until: '2027-03-31', tags: ['vip', 'member'] }],
        refundUntil: '2027-03-31T22:00:00.000Z',
      },
    ])
  })

  it.each([
    ['German', 'Code;Bezeichnung;Preis;Frühbucher;Frühbucher bis\npass;Pass;750,00;600,00;31.03.2027\ntour;Tour;20,00;;\n'],
    [
      'German with "gültig bis" after the early price',
      'Code;Preis Frühbucher;Gültig bis;Preis\npass;600,00;31.03.2027;750,00\ntour;;;20,00\n',
    ],
    ['English', 'code,price,Early-bird price,Early bird until\npass,750,600,2027-03-31\ntour,20,,\n'],
    ['English with other words', 'SKU,Regular price,Early bird,Early bird ends\npass,750,600,2027-03-31\ntour,20,,\n'],
  ])('reads the early-bird price and its last day from %s columns', async (_, text) => {
    expect(await load(text)).toMatchObject({ created: 2, errors: [], unknownColumns: [] })
    const [pass, tour] = await products()
    expect(pass.prices).toEqual([
      { amount: '600.00', until: '2027-03-31' },
      { amount: '750.00', from: '2027-04-01' },
    ])
    expect(tour.prices).toEqual([{ amount: '20.00' }])
    expect(await load(text)).toMatchObject({ unchanged: 2 })
  })

  it('keeps the dates of the regular price when an early-bird price is imported', async () => {
    const header = 'code,price,from,until,early bird price,early bird until\n'
    expect(
      await load(`${header}a,9,2027-02-01,2027-08-31,5,2027-03-31\nb,9,2027-06-01,,5,2027-03-31\nc,9,2027-02-01,2027-08-31,,\n`),
    ).toMatchObject({
      created: 3,
      errors: [],
    })
    expect((await products()).map(({ prices }) => prices)).toEqual([
      [
        { amount: '5.00', from: '2027-02-01', until: '2027-03-31' },
        { amount: '9.00', from: '2027-04-01', until: '2027-08-31' },
      ],
      [
        { amount: '5.00', until: '2027-03-31' },
        { amount: '9.00', from: '2027-06-01' },
      ],
      [{ amount: '9.00', from: '2027-02-01', until: '2027-08-31' }],
    ])
  })

  it('reports an early-bird price without a last day, and a last day without a price', async () => {
    expect((await load('code,price,Frühbucher\npass,750,600\n')).errors).toMatchObject([
      { row: 2, column: 'Frühbucher', value: '600', message: expect.stringContaining('needs its last day') },
    ])
    expect((await load('code,price,Frühbucher bis\npass,750,31.03.2027\n')).errors).toMatchObject([
      { row: 2, column: 'Frühbucher bis', value: '31.03.2027', message: expect.stringContaining('no early-bird price') },
    ])
    expect((await load('code,price,Frühbucher,Frühbucher bis\npass,750,bald,31.03.2027\n')).errors).toMatchObject([
      { row: 2, column: 'Frühbucher', value: 'bald', message: expect.stringContaining('not an amount') },
    ])
    expect(await products()).toEqual([])
  })

  it('names the columns of a file that were not used, except those that the caller ignores', async () => {
    const text = 'code,price,Sitzplan,Konto\npass,5,rot,8400\n'
    expect(await load(text)).toMatchObject({ created: 1, unknownColumns: ['Sitzplan', 'Konto'] })
    expect(await load(text, { mapping: [{ column: 'Konto', field: 'ignore' }] })).toMatchObject({ unknownColumns: ['Sitzplan'] })
    expect(await load('code,price\npass,5\n')).toMatchObject({ unknownColumns: [] })
  })

  it('merges the imported values into existing products, and removes nothing', async () => {
    await tagged()
    await configure({
      products: [
        { code: 'pass', name: 'Old', category: 'admission', capacity: 10, addsTags: ['vip'], prices: [{ amount: '1.00' }] },
        { code: 'tour', name: 'Tour', category: 'tour', prices: FREE },
      ],
    })
    expect(await load('code,price,capacity\npass,20.5,\nnew,0,5\n')).toMatchObject({ created: 1, updated: 1, unchanged: 0, retired: 0 })
    const [pass, tour, fresh] = await products()
    expect(pass).toMatchObject({ name: 'Old', capacity: 10, addsTags: ['vip'], prices: [{ amount: '20.50' }] })
    expect(tour.retired).toBeUndefined()
    expect(fresh).toMatchObject({ code: 'new', name: 'new', prices: [{ amount: '0.00' }], capacity: 5 })
  })

  it('retires products that are missing from the list, and reactivates retired products that it contains', async () => {
    await configure({
      products: [
        { code: 'a', name: 'A', category: 'other', prices: FREE },
        { code: 'b', name: 'B', category: 'other', prices: FREE },
        { code: 'c', name: 'C', category: 'other', prices: FREE, retired: true },
      ],
    })
    expect(await load('code,name\nb,B\n', { retireMissing: true })).toMatchObject({ retired: 1, unchanged: 1 })
    expect((await products()).map(({ code, retired = false }) => [code, retired])).toEqual([
      ['a', true],
      ['b', false],
      ['c', true],
    ])
    expect(await load('code,name\na,A\nb,B\n', { retireMissing: true })).toMatchObject({ retired: 0, updated: 1, unchanged: 1 })
  })

  it('groups the errors of a long product list by kind, and shows the errors of a short list in full', async () => {
    const listOf = (count: number) =>
      `code,price,capacity\n${Array.from({ length: count }, (_, n) => `extra-${n},${n % 2 ? '5,many' : '-5,'}\n`).join('')}`
    const long = await load(listOf(60))
    expect(long.errorKinds.map(({ column, count, rows }: any) => [column, count, rows.length, rows[0]])).toEqual([
      ['price', 30, 20, 2],
      ['capacity', 30, 20, 3],
    ])
    expect([long.errors.length, long.truncated, long.created]).toEqual([6, true, 0])
    expect(long.note).toMatch(/^Shows 6 of 60 errors/)
    const short = await load(listOf(25))
    expect([short.errors.length, short.errorKinds.length, short.truncated]).toEqual([25, 2, undefined])
    expect(await load(listOf(1))).toMatchObject({ errors: [{ row: 2 }], errorKinds: [{ count: 1, rows: [2] }] })
  })

  it('saves nothing if a product row is invalid, and reports row, column and value of each error', async () => {
    await tagged()
    const wrong = `code,name,price,from,tags,tax,capacity,requires
ok,Fine,10,,,,,
pass,Pass,-5,,,,,
pass,Pass,10,2027-01-01,member,,,
pass,Passport,20,2027-01-01,member,,,
gala,Gala,5,,absent,vat-de,x,
Bad Code,X,ten,soon,,,,nothing
`
    const { errors, ...counts } = await load(wrong)
    expect(counts).toMatchObject({ created: 0, updated: 0, unchanged: 0, draftRevision: 2 })
    expect(errors.map(({ row, column, value }: any) => [row, column, value])).toEqual([
      [3, 'price', '-5'],
      [5, 'name', 'Passport'],
      [5, 'price', '20'],
      [6, 'capacity', 'x'],
      [6, 'tax', 'vat-de'],
      [6, 'tags', 'absent'],
      [7, 'code', 'Bad Code'],
    ])
    expect(errors[0].message).toContain('must not be negative')
    expect(await products()).toEqual([])
  })

  it('rejects products that require each other in a circle, including a circle through existing products', async () => {
    await configure({
      products: [
        { code: 'a', name: 'A', category: 'other', prices: FREE, requires: ['b'] },
        { code: 'b', name: 'B', category: 'other', prices: FREE },
      ],
    })
    expect((await load('code,requires\nb,a\n')).errors).toMatchObject([
      { row: 2, column: 'requires', value: 'a', message: 'this product requires itself through other products' },
    ])
    expect((await load('code,requires,price\nb,c,\nc,,5\n')).errors).toEqual([])
  })

  it('rejects an imported capacity below the units sold', async () => {
    await configure({ products: [{ code: 'pass', name: 'Pass', category: 'admission', capacity: 100, prices: FREE }] })
    await scenario.world.database.pool.query(
      `insert into inventory (tenant_id, event_id, key, capacity, sold) values ($1, $2, 'product:pass', 100, 41)`,
      [scenario.event.tenantId, scenario.event.eventId],
    )
    expect((await load('code,capacity\npass,40\n')).errors).toMatchObject([
      { row: 2, column: 'capacity', value: '40', message: 'is below the 41 already sold' },
    ])
    expect(await load('code,capacity\npass,41\n')).toMatchObject({ updated: 1, errors: [] })
  })

  it('asks for the decimal separator of prices if it is ambiguous', async () => {
    const text = 'code;price\npass;1,234\n'
    expect(await refused(text)).toMatchObject({ code: 'invalid_arguments', message: expect.stringContaining('pass decimalSeparator') })
    expect((await load(text, { decimalSeparator: ',' })).errors).toMatchObject([
      { column: 'price', message: 'has more decimals than EUR has (2)' },
    ])
    expect(await load(text, { decimalSeparator: '.' })).toMatchObject({ created: 1 })
    expect((await products())[0].prices).toMatchObject([{ amount: '1234.00' }])
    expect(await load('code;price\npass;1,234\ngala;12,50\n')).toMatchObject({ errors: [{ column: 'price' }] })
    expect(await refused('code,price,from\npass,5,03/04/2027\n')).toMatchObject({ message: expect.stringContaining('YYYY-MM-DD') })
    expect(await load('code,price,from\npass,5,03/04/2027\ngala,6,25/12/2027\n')).toMatchObject({ errors: [] })
    expect((await products())[0].prices).toMatchObject([{ from: '2027-04-03' }])
  })

  it('maps columns to product fields as the caller requests', async () => {
    const text = 'ref,what,cost,note\np1,Pass,5,x\n'
    expect(
      await refused(text, {
        mapping: [
          { column: 'nowhere', field: 'code' },
          { column: 'what', field: 'naem' },
        ],
      }),
    ).toMatchObject({
      fields: [{ path: 'mapping/0/column' }, { path: 'mapping/1/field', message: expect.stringContaining('name') }],
    })
    const mapping = [
      { column: 'ref', field: 'code' },
      { column: 'What', field: 'name' },
      { column: 'note', field: 'ignore' },
    ]
    expect(await load(text, { mapping })).toMatchObject({
      created: 1,
      detectedMapping: [{ field: 'code', confidence: 'told' }, { field: 'name' }, { field: 'price' }, { column: 'note' }],
    })
    expect((await products())[0]).toMatchObject({ code: 'p1', name: 'Pass' })
    expect(await refused('what,cost\nPass,5\n')).toMatchObject({ message: expect.stringContaining('"field":"code"') })
  })

  it('leaves existing products unchanged in an import with mode create', async () => {
    await load('code,price\npass,5\n')
    expect((await load('code,price\npass,6\ngala,7\n', { mode: 'create' })).errors).toMatchObject([
      { row: 2, column: 'code', value: 'pass' },
    ])
    expect(await products()).toHaveLength(1)
  })

  it('saves no imported products in a dry run, and rejects an outdated revision', async () => {
    expect(await load('code,price\npass,5\n', { dryRun: true })).toMatchObject({ created: 1, dryRun: true })
    expect(await products()).toEqual([])
    expect(await refused('code,price\npass,5\n', { ifRevision: 7 })).toMatchObject({ code: 'conflict' })
  })

  it("accepts import files only of the event's own client or the shared library", async () => {
    const other = await scenario.world.event()
    const files = createUploadFixtures(scenario.world, other)
    const { id } = await files.file(Buffer.from('code,price\npass,5\n'), { name: 'x.csv' }, { clientId: other.clientId })
    expect(await scenario.refused('import_products', { fileId: id })).toMatchObject({ code: 'not_found' })
    expect(await scenario.refused('import_products', {})).toMatchObject({ message: expect.stringContaining('fileId or text') })
  })
})
