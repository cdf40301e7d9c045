import { beforeEach, describe, expect, it } from 'vitest'
import { CONGRESS } from '../../../../test/support/congress.ts'
import { useDraftScenario } from '../../../../test/support/draft-scenario.ts'

const scenario = useDraftScenario()
beforeEach(() => scenario.set(Object.entries(CONGRESS).map(([section, value]) => ({ op: 'set', path: `/${section}`, value }))))

const at = () => ({ eventCode: scenario.event.eventCode })
const explore = (args: object = {}) => scenario.olga.call('config_explore', { ...at(), ...args })
const find = (args: object) => scenario.olga.call('config_find', { ...at(), ...args })
const paths = (rows: { path: string }[]) => rows.map(({ path }) => path)

describe('config_explore', () => {
  it('shows the whole configuration of an event by section, including unset sections', async () => {
    const { path, source, draftRevision, kind, children } = await explore()
    expect({ path, source, draftRevision, kind }).toEqual({ path: '', source: 'draft', draftRevision: 2, kind: 'object' })
    expect(children).toHaveLength(18)
    expect(children[0]).toEqual({
      path: '/details',
      key: 'details',
      kind: 'object',
      title: 'Details',
      summary: 'Congress 2027 · from 2027-05-11 · to 2027-05-13',
      isDefault: false,
    })
    expect(children.find(({ key }: { key: string }) => key === 'surveys')).toMatchObject({
      kind: 'list',
      count: 0,
      summary: 'empty',
      isDefault: true,
    })
  })

  it('shows all three prices of a product with their values', async () => {
    const { path, kind, children, valueJson } = await explore({ path: '/products/gala/prices', depth: 2 })
    expect({ path, kind }).toEqual({ path: '/products/gala/prices', kind: 'list' })
    const rows = children.filter((row: { kind: string }) => row.kind === 'object')
    expect(rows.map((row: { path: string; summary: string }) => [row.path, row.summary])).toEqual([
      ['/products/gala/prices/0', '90.00 EUR · until 2027-03-01'],
      ['/products/gala/prices/1', '120.00 EUR'],
      ['/products/gala/prices/2', '75.00 EUR · for member'],
    ])
    expect(paths(children).slice(0, 3)).toEqual([
      '/products/gala/prices/0',
      '/products/gala/prices/0/amount',
      '/products/gala/prices/0/until',
    ])
    expect(JSON.parse(valueJson)).toEqual(CONGRESS.products![1]!.prices)
  })

  it('accepts a list index in place of an item key, and returns the key', async () => {
    expect(await explore({ path: '/flows/0/pages/1/widgets/0', depth: 0 })).toEqual({
      path: '/flows/attendee/pages/extras/widgets/w4',
      source: 'draft',
      draftRevision: 2,
      kind: 'object',
      title: 'Products',
      valueJson: '{"id":"w4","type":"products","products":["gala"]}',
      children: [],
    })
  })

  it('rejects an unknown configuration path and suggests existing ones', async () => {
    const section = await scenario.olga.refused('config_explore', { ...at(), path: '/product/gala' })
    expect(section).toMatchObject({ code: 'not_found', message: 'No /product — did you mean /products?' })
    const item = await scenario.olga.refused('config_explore', { ...at(), path: '/products/galla/prices' })
    expect(item).toMatchObject({ message: 'No /products/galla — did you mean /products/gala?', fields: [{ allowed: ['/products/gala'] }] })
    expect((await scenario.olga.refused('config_explore', { ...at(), path: 'products' })).code).toBe('invalid_arguments')
  })

  it('counts what uses a tag: 1 flow, 2 products, 120 participants', async () => {
    await scenario.world.database.pool.query(
      `insert into participants (tenant_id, event_id, id, status, manual_tags, completed_at, confirmation_number)
       select $1, $2, lpad(to_hex(n), 24, 'b'), 'complete', '{member}', lanyard_now(), n from generate_series(1, 120) n`,
      [scenario.event.tenantId, scenario.event.eventId],
    )
    const { usage } = await explore({ path: '/tags/member', include: ['usage'] })
    expect(usage).toEqual({
      summary: '1 flow, 2 products, 120 participants',
      referencedBy: ['/products/adm/prices/1/tags/0', '/products/gala/prices/2/tags/0', '/flows/attendee/addsTags/0'],
      records: [{ kind: 'participants', count: 120 }],
    })
    expect((await explore({ path: '/tags/vip', include: ['usage'] })).usage.summary).toBe('not used')
  })

  it('counts and lists the issues of each part of the configuration on request', async () => {
    await scenario.set([{ op: 'set', path: '/flows', value: [{ ...CONGRESS.flows![0]!, addsTags: ['member', 'patron'] }] }])
    const { children, issues } = await explore({ path: '/flows/attendee', include: ['issues'] })
    expect(children.filter((row: { issues: number }) => row.issues > 0)).toMatchObject([{ path: '/flows/attendee/addsTags', issues: 1 }])
    expect(issues).toMatchObject([{ level: 'reference', code: 'missing', path: '/flows/attendee/addsTags/1' }])
  })

  it('describes which values a configuration path accepts and which items can be added to it', async () => {
    const { schema, children, valueJson } = await explore({ path: '/details/venue', include: ['schema'] })
    expect(Object.keys(schema.properties)).toContain('latitude')
    expect(valueJson).toBeUndefined()
    expect(paths(children)).toEqual(
      ['name', 'address', 'city', 'country', 'region', 'latitude', 'longitude'].map((key) => `/details/venue/${key}`),
    )
  })

  it('returns configuration paths that config_set accepts', async () => {
    const { children } = await explore({ path: '/products/gala' })
    const capacity = children.find(({ key }: { key: string }) => key === 'capacity')
    const waitlist = children.find(({ key }: { key: string }) => key === 'waitlist')
    expect([capacity.summary, waitlist.summary, waitlist.isDefault]).toEqual(['300', 'false', true])
    const operations = [
      { op: 'set', path: capacity.path, valueJson: '200' },
      { op: 'set', path: waitlist.path, valueJson: 'true' },
    ]
    expect((await scenario.olga.call('config_set', { ...at(), operations })).changed).toEqual([capacity.path, waitlist.path])
  })

  it('reads the draft of an unconfigured event, and rejects an unknown version', async () => {
    const blank = await scenario.world.event({ at: scenario.event, name: 'New fair' })
    expect((await scenario.olga.call('config_explore', { eventCode: blank.eventCode, path: '/details/name' })).valueJson).toBe('"New fair"')
    expect((await scenario.olga.refused('config_explore', { ...at(), source: 'live' })).code).toBe('not_found')
  })
})

describe('config_find', () => {
  it('finds the four uses of a data field: in a question, a condition, an email and on the badge', async () => {
    const { matches, total } = await find({ binding: '@custom.diet' })
    expect(total).toBe(4)
    expect(matches).toEqual([
      {
        path: '/flows/attendee/pages/about-you/widgets/w2/binding',
        title: 'Binding',
        excerpt: '@custom.diet',
        matched: 'reference',
        context: 'Attendees › About you › @custom.diet',
      },
      {
        path: '/flows/attendee/pages/about-you/widgets/w3/showWhen',
        title: 'Show when',
        excerpt: '@custom.diet equals vegan',
        matched: 'reference',
        context: 'Attendees › About you › Tell the waiter as well.',
      },
      {
        path: '/emails/confirmed/blocks/b1/html',
        title: 'Html',
        excerpt: 'We noted {{custom.diet}} for the dinner.',
        matched: 'reference',
        context: 'Confirmation › We noted {{custom.diet}} for the dinner.',
      },
      { path: '/badge/fields/1', title: 'Field', excerpt: '@custom.diet', matched: 'reference', context: 'Badge' },
    ])
  })

  it('returns configuration matches in pages, and rejects a page cursor after the draft has changed', async () => {
    const first = await find({ binding: '@custom.diet', limit: 3 })
    expect([first.matches.length, first.total]).toEqual([3, 4])
    const second = await find({ binding: '@custom.diet', limit: 3, cursor: first.nextCursor })
    expect([paths(second.matches), second.nextCursor]).toEqual([['/badge/fields/1'], null])
    await scenario.olga.call('config_set', { ...at(), operations: [{ op: 'set', path: '/details/capacity', valueJson: '500' }] })
    const { code, message } = await scenario.olga.refused('config_find', {
      ...at(),
      binding: '@custom.diet',
      limit: 3,
      cursor: first.nextCursor,
    })
    expect({ code, message }).toEqual({
      code: 'invalid_arguments',
      message: 'cursor: belongs to an earlier state of the draft, which is now at revision 3; omit it to start from the first page',
    })
  })

  it('rejects a search of the configuration without exactly one search argument, and a pattern that RE2 cannot compile', async () => {
    expect((await scenario.olga.refused('config_find', at())).message).toBe(
      'text: nothing to search for: give exactly one of text, regex, binding, references, type',
    )
    expect((await scenario.olga.refused('config_find', { ...at(), text: 'a', type: 'field' })).fields).toHaveLength(2)
    const { code, fields } = await scenario.olga.refused('config_find', { ...at(), regex: '(a' })
    expect({ code, path: fields?.[0]?.path }).toEqual({ code: 'invalid_arguments', path: 'regex' })
  })

  it('notes if the result of a configuration search by pattern was truncated', async () => {
    const products = Array.from({ length: 1500 }, (_, n) => ({
      code: `p-${n}`,
      name: `${'word '.repeat(39)}${n}`,
      category: 'other',
      prices: [{ amount: '1.00' }],
    }))
    await scenario.set([{ op: 'set', path: '/products', value: products }])
    const cut = await find({ regex: 'word \\d+$' })
    expect(cut).toMatchObject({
      truncated: true,
      note: expect.stringMatching(/^The pattern was tried on the first 250000 characters; \d+ paths/),
    })
    expect(cut.total).toBeLessThan(1500)
    expect(cut.nextCursor).not.toBeNull()
    const part = await find({ regex: 'word \\d+$', in: '/products/p-1499' })
    expect([part.total, part.note]).toEqual([1, undefined])
  })
})
