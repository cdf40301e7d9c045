import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../../../../test/support/world.ts'

let world: World
let event: EventHandle
let olga: OrganizerHandle

beforeAll(async () => {
  world = await newWorld()
  event = await world.event({ code: 'show', status: 'draft' })
  olga = await world.organizer({ at: event })
  await olga.call('configure_event', {
    eventCode: 'show',
    sections: {
      details: { contactEmail: 'team@example.org' },
      tags: [{ code: 'member', name: 'Member' }],
      customFields: [{ code: 'diet', name: 'Diet', responseType: 'text' }],
      products: [{ code: 'gala', name: 'Gala dinner', category: 'meal', prices: [{ amount: '90.00', tags: ['member'] }] }],
      flows: [
        {
          slug: 'attendee',
          name: 'Registration',
          visibleForTags: { type: 'any', required: ['member'] },
          pages: [
            {
              code: 'one',
              widgets: [
                { id: 'more', type: 'products', products: ['gala'], showWhen: { all: [{ binding: '@custom.diet', op: 'isSet' }] } },
              ],
            },
          ],
        },
      ],
      emails: [{ code: 'hello', name: 'Hello', trigger: 'none', subject: 'Diet {{custom.diet}}', blocks: [] }],
      automation: { reminders: [{ code: 'soon', kind: 'preEvent', email: 'hello', offsetDays: -7 }] },
      theme: { radius: 2 },
    },
  })
})
afterAll(() => world.end())

interface Item {
  section: string
  code: string
  name: string
  summary: string
  retired: boolean
  dependsOn: { section: string; code: string }[]
  usedBy: { config: number; records: number }
  changedSincePublish: boolean
}
const list = (more: object = {}): Promise<{ items: Item[]; sections: Record<string, number>; total: number; nextCursor: string | null }> =>
  olga.call('list_event_config_items', { eventCode: 'show', ...more })
const item = async (code: string) => (await list()).items.find((one) => one.code === code)!

describe('list_event_config_items', () => {
  it('lists every configuration item with the items it depends on: by code, tag rule, condition and merge token', async () => {
    const { items, sections, total } = await list()
    expect(items.map(({ section, code }) => `${section} ${code}`)).toEqual([
      'details settings',
      'tags member',
      'customFields diet',
      'products gala',
      'flows attendee',
      'emails hello',
      'theme settings',
      'automation reminders/soon',
    ])
    expect(total).toBe(8)
    expect(Object.values(sections).reduce((sum, one) => sum + one, 0)).toBe(total)
    expect((await item('attendee')).dependsOn).toEqual([
      { section: 'tags', code: 'member' },
      { section: 'customFields', code: 'diet' },
      { section: 'products', code: 'gala' },
    ])
    expect((await item('hello')).dependsOn).toEqual([{ section: 'customFields', code: 'diet' }])
    expect(await item('gala')).toMatchObject({
      name: 'Gala dinner',
      summary: 'Gala dinner · meal · 90.00 EUR',
      retired: false,
      usedBy: { config: 1, records: 0 },
    })
    expect((await item('member')).usedBy.config).toBe(2)
  })

  it('filters configuration items by section and words, with counts that add up to the total', async () => {
    expect(await list({ section: 'tags' })).toMatchObject({ total: 1, sections: { tags: 1 } })
    expect(await list({ search: 'GALA din' })).toMatchObject({ total: 1, sections: { products: 1 } })
    expect((await olga.refused('list_event_config_items', { eventCode: 'show', section: 'product' })).fields?.[0]).toMatchObject({
      path: 'section',
      message: expect.stringContaining('did you mean products?; there are details, tags,'),
    })
    expect((await olga.refused('list_event_config_items', { eventCode: 'show', version: '3' })).code).toBe('not_found')
  })

  it('counts the records that use each configuration item, and marks items changed since the last publish', async () => {
    expect((await list()).items.every(({ changedSincePublish }) => changedSincePublish)).toBe(true)
    await world.database.pool.query(
      `insert into participants (tenant_id, event_id, id, flow_slug, manual_tags, custom_field_responses)
       select $1, $2, lpad(to_hex(i), 24, '0'), 'attendee', '{member}', '{"diet":"x"}' from generate_series(1, 3) i`,
      [event.tenantId, event.eventId],
    )
    for (const code of ['attendee', 'member', 'diet']) expect((await item(code)).usedBy.records).toBe(3)
    // The flow is too short to be published, so it is retired.
    await olga.call('configure_event', { eventCode: 'show', sections: { flows: [{ slug: 'attendee', retired: true }] } })
    expect(await item('attendee')).toMatchObject({ retired: true })
    await olga.call('publish_event', { eventCode: 'show' })
    expect((await list()).items.some(({ changedSincePublish }) => changedSincePublish)).toBe(false)
    await olga.call('configure_event', { eventCode: 'show', sections: { products: [{ code: 'gala', capacity: 5 }], theme: { radius: 4 } } })
    const changed = (await list()).items.filter(({ changedSincePublish }) => changedSincePublish)
    expect(changed.map(({ section }) => section)).toEqual(['products', 'theme'])
    expect((await list({ version: 'live' })).items.some(({ changedSincePublish }) => changedSincePublish)).toBe(false)
  })

  it('lists configuration items in pages, and rejects a page cursor after the draft has changed', async () => {
    const first = await list({ limit: 3 })
    const second = await list({ limit: 100, cursor: first.nextCursor })
    expect([...first.items, ...second.items]).toHaveLength(first.total)
    await olga.call('configure_event', { eventCode: 'show', sections: { tags: [{ code: 'vip', name: 'VIP' }] } })
    expect(
      (await olga.refused('list_event_config_items', { eventCode: 'show', limit: 3, cursor: first.nextCursor })).fields?.[0]?.path,
    ).toBe('cursor')
  })
})
