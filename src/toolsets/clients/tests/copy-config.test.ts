import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newWorld, type OrganizerHandle, type ClientHandle, type World } from '../../../../test/support/world.ts'

let world: World
let acme: ClientHandle
let olga: OrganizerHandle
let target: string
let made = 0

beforeAll(async () => {
  world = await newWorld()
  acme = await world.client({ code: 'acme' })
  olga = await world.organizer({ at: acme })
  await world.event({ at: acme, code: 'source', status: 'draft', startsOn: '2027-05-11', timezone: 'Europe/Berlin' })
  await olga.call('configure_event', { eventCode: 'source', sections: source })
})
afterAll(() => world.end())
beforeEach(async () => {
  target = `target-${++made}`
  await world.event({ at: acme, code: target, status: 'draft', startsOn: '2027-05-18', timezone: 'America/New_York' })
})

const field = (code: string) => ({ code, name: code, responseType: 'text' })
const asked = (code: string) => ({ id: code, type: 'field', binding: `@custom.${code}` })
const source = {
  tags: [{ code: 'member', name: 'Member' }],
  taxes: [{ code: 'vat', name: 'VAT', rate: '19' }],
  customFields: ['diet', 'shirt', 'arrival', 'note'].map(field),
  products: [
    { code: 'pass', name: 'Pass', category: 'other', prices: [{ amount: '10.00', until: '2027-03-01' }] },
    { code: 'gala', name: 'Gala', category: 'meal', prices: [{ amount: '90.00' }] },
    { code: 'club', name: 'Club', category: 'other', prices: [{ amount: '5.00', tags: ['member'] }], taxCode: 'vat', requires: ['pass'] },
  ],
  flows: [
    {
      slug: 'attendee',
      name: 'Registration',
      opensAt: '2027-01-04T08:00:00Z',
      pages: [
        {
          code: 'one',
          widgets: [
            asked('diet'),
            asked('shirt'),
            asked('arrival'),
            { ...asked('note'), showWhen: { all: [{ binding: '@custom.diet', op: 'isSet' }] } },
          ],
        },
        { code: 'two', widgets: [{ id: 'sale', type: 'products', products: ['pass', 'gala'] }] },
      ],
    },
  ],
  emails: [{ code: 'hello', name: 'Hello', trigger: 'none', subject: 'Your diet: {{custom.diet}}', blocks: [] }],
  theme: { radius: 4 },
  onsite: { gates: [{ code: 'main', name: 'Main door', products: ['pass'] }], reentry: false },
}

const copy = (more: object) => olga.call('copy_event_config', { eventCode: target, fromEventCode: 'source', ...more })
const refused = (more: object) => olga.refused('copy_event_config', { eventCode: target, fromEventCode: 'source', ...more })
const read = async (path: string) => {
  const { valueJson } = await olga.call('config_explore', { eventCode: target, path, depth: 0 })
  return valueJson === undefined ? undefined : JSON.parse(valueJson)
}
const flow = { items: [{ section: 'flows', code: 'attendee' }] }
const product = (code: string) => ({ items: [{ section: 'products', code }] })

describe('copy_event_config', () => {
  it('copies a flow with its 4 questions and 2 products to an empty event: 7 items, as predicted by the dry run', async () => {
    const dry = await copy({ ...flow, dryRun: true })
    expect(dry.copied).toHaveLength(7)
    expect(await olga.call('config_explore', { eventCode: target })).toMatchObject({ draftRevision: 1 })
    const done = await copy({ ...flow, confirmToken: dry.confirmToken })
    expect(done.copied).toEqual(dry.copied)
    expect(done).toMatchObject({ replaced: [], skipped: [], renamed: [], warnings: [], draftRevision: 2 })
    expect(done.dependenciesAdded).toHaveLength(6)
    expect((await olga.call('validate_schema', { eventCode: target, path: '/flows' })).valid).toBe(true)
  })

  it('copies the items that a copied configuration item depends on, and rejects the call if it excludes them', async () => {
    expect((await copy(product('club'))).copied.toSorted()).toEqual(['/products/club', '/products/pass', '/tags/member', '/taxes/vat'])
    const missing = await refused({ items: [{ section: 'emails', code: 'hello' }], withDependencies: false })
    expect(missing).toMatchObject({
      code: 'precondition_failed',
      message: expect.stringContaining('1 required items do not exist at this event: /customFields/diet'),
    })
    expect((await copy({ items: [{ section: 'emails', code: 'hello' }] })).dependenciesAdded).toEqual(['/customFields/diet'])
  })

  it('shifts dates of copied items relative to the start of the event, at the same local time', async () => {
    await copy(flow)
    expect(await read('/products/pass/prices')).toEqual([{ amount: '10.00', until: '2027-03-08' }])
    // 9:00 in Berlin becomes 9:00 in New York, a week later.
    expect(await read('/flows/attendee/opensAt')).toBe('2027-01-11T14:00:00.000Z')
    await copy({ ...product('pass'), onConflict: 'replace', dateShift: 'keep' })
    expect(await read('/products/pass/prices')).toEqual([{ amount: '10.00', until: '2027-03-01' }])
  })

  it('skips existing configuration items unless onConflict is replace, and then returns the replaced values', async () => {
    const mine = { code: 'pass', name: 'My pass', category: 'other', prices: [{ amount: '99.00' }] }
    await olga.call('configure_event', { eventCode: target, sections: { products: [mine] } })
    expect(await copy(product('pass'))).toMatchObject({ copied: [], skipped: ['/products/pass'], draftRevision: 2 })
    expect((await copy(flow)).copied).toHaveLength(6)
    expect(await read('/products/pass/name')).toBe('My pass')
    const { replaced } = await copy({ ...product('pass'), onConflict: 'replace' })
    expect(replaced).toEqual([
      { path: '/products/pass', before: 'My pass · other · 99.00 EUR', after: 'Pass · other · 10.00 EUR', changes: 3 },
    ])
    expect((await copy({ ...product('pass'), onConflict: 'replace' })).skipped).toEqual(['/products/pass'])
  })

  it('renames copied items whose code is taken, and updates only the references inside the copies', async () => {
    const mine = [{ code: 'diet', name: 'My diet', responseType: 'number' }]
    await olga.call('configure_event', { eventCode: target, sections: { customFields: mine, badge: { fields: ['@custom.diet'] } } })
    const items = [...flow.items, { section: 'customFields', code: 'diet' }, { section: 'emails', code: 'hello' }]
    const { renamed } = await copy({ items, onConflict: 'rename' })
    expect(renamed).toEqual([{ from: '/customFields/diet', to: '/customFields/diet-2' }])
    expect(await read('/flows/attendee/pages/one/widgets/diet/binding')).toBe('@custom.diet-2')
    expect(await read('/flows/attendee/pages/one/widgets/note/showWhen')).toEqual({ all: [{ binding: '@custom.diet-2', op: 'isSet' }] })
    expect(await read('/emails/hello/subject')).toBe('Your diet: {{custom.diet-2}}')
    expect(await read('/badge/fields')).toEqual(['@custom.diet'])
    expect((await copy({ items: [{ section: 'flows', code: 'attendee' }], onConflict: 'rename' })).renamed).toEqual([
      { from: '/flows/attendee', to: '/flows/attendee-2' },
    ])
  })

  it('copies whole configuration sections, and the settings of a section without its lists', async () => {
    expect((await copy({ sections: ['theme', 'taxes'] })).copied).toEqual(['/taxes/vat', '/theme'])
    await olga.call('configure_event', { eventCode: target, sections: { onsite: { gates: [{ code: 'side', name: 'Side door' }] } } })
    expect((await copy({ items: [{ section: 'onsite', code: 'settings' }] })).copied).toEqual(['/onsite'])
    expect(await read('/onsite')).toEqual({ gates: [{ code: 'side', name: 'Side door' }], reentry: false })
    expect((await copy({ items: [{ section: 'onsite', code: 'gates/main' }] })).copied).toEqual(['/products/pass', '/onsite/gates/main'])
  })

  it('rejects replacing a question that has answers by a question of another type, and returns the number of answers', async () => {
    const sections = { customFields: [{ code: 'diet', name: 'Diet', responseType: 'number' }], details: { contactEmail: 'a@example.org' } }
    await olga.call('configure_event', { eventCode: target, sections })
    await olga.call('publish_event', { eventCode: target })
    await world.database.pool.query(
      `insert into participants (tenant_id, event_id, id, status, custom_field_responses, completed_at, confirmation_number)
       select tenant_id, id, lpad('1', 24, '0'), 'complete', '{"diet":3}', lanyard_now(), '1' from events where code = $1`,
      [target],
    )
    const answer = await refused({ items: [{ section: 'customFields', code: 'diet' }], onConflict: 'replace' })
    expect(answer).toMatchObject({ code: 'precondition_failed', message: expect.stringContaining('1 answer use diet as number') })
  })

  it('refuses to copy an event to itself, unknown items, an old revision, and both or neither of items and sections', async () => {
    expect((await refused({ ...flow, fromEventCode: target })).fields?.[0]).toMatchObject({ path: 'fromEventCode' })
    expect((await refused({})).code).toBe('invalid_arguments')
    expect((await refused({ ...flow, sections: ['tags'] })).code).toBe('invalid_arguments')
    expect(await refused(product('pas'))).toMatchObject({ code: 'not_found', message: 'No products pas at source — did you mean pass?' })
    expect((await refused({ sections: ['translations'] })).fields?.[0]?.path).toBe('sections/0')
    expect(await refused({ ...flow, ifRevision: 7 })).toMatchObject({ code: 'conflict' })
  })

  it('copies only from events that the organizer can access', async () => {
    const other = await world.client({ code: 'other' })
    await world.event({ at: other, code: 'foreign', status: 'draft' })
    const [foreign, unknown] = [await refused({ ...flow, fromEventCode: 'foreign' }), await refused({ ...flow, fromEventCode: 'nowhere' })]
    expect(foreign.code).toBe('not_found')
    expect(foreign.text.replace('foreign', '*')).toBe(unknown.text.replace('nowhere', '*'))
    await world.event({ at: other, code: 'source', status: 'draft' })
    const both = await world.organizer({ at: [acme, other] })
    await world.event({ at: other, code: 'elsewhere', status: 'draft' })
    // An event code is first looked up at the same client; an event of another client needs its client code.
    const args = { items: [{ section: 'details', code: 'settings' }], fromEventCode: 'source' }
    expect((await both.call('copy_event_config', { eventCode: target, ...args })).skipped).toEqual(['/details'])
    expect(
      (
        await both.call('copy_event_config', {
          eventCode: 'elsewhere',
          fromClientCode: 'acme',
          sections: ['taxes'],
          fromEventCode: 'source',
        })
      ).copied,
    ).toEqual(['/taxes/vat'])
    const third = await world.client({ code: 'third' })
    await world.event({ at: third, code: 'empty', status: 'draft' })
    const all = await world.organizer({ at: [acme, other, third] })
    expect(await all.refused('copy_event_config', { eventCode: 'empty', ...args })).toMatchObject({ code: 'ambiguous' })
  })
})
