import { describe, expect, it } from 'vitest'
import { useDraftScenario } from '../../../../test/support/draft-scenario.ts'

const scenario = useDraftScenario()

const configure = (sections: object, more: object = {}) =>
  scenario.olga.call('configure_event', { eventCode: scenario.event.eventCode, sections, ...more })
const refused = (sections: object, more: object = {}) =>
  scenario.olga.refused('configure_event', { eventCode: scenario.event.eventCode, sections, ...more })
const configAt = async (path: string) => {
  const { valueJson } = await scenario.olga.call('config_explore', { eventCode: scenario.event.eventCode, path, depth: 0 })
  return valueJson === undefined ? undefined : JSON.parse(valueJson)
}

const flow = {
  slug: 'attendee',
  name: 'Registration',
  pages: [
    {
      code: 'contact',
      title: 'You',
      widgets: [
        { id: 'name', type: 'name' },
        { id: 'email', type: 'field', binding: '@participant.email' },
      ],
    },
    { code: 'choices', title: 'Choices', widgets: [{ id: 'pass', type: 'products', products: ['pass', 'gala', 'tour'] }] },
    { code: 'done', title: 'Done', widgets: [{ id: 'end', type: 'confirmation', body: '<p>Thank you</p>' }] },
  ],
}
const product = (code: string, more: object = {}) => ({ code, name: code, category: 'other', prices: [{ amount: '10.00' }], ...more })
const everything = {
  // The flow comes before the items it references.
  flows: [flow],
  products: [
    product('pass', { prices: [{ amount: '10.00', tags: ['member'] }] }),
    product('gala', { requires: ['pass'] }),
    product('tour'),
  ],
  tags: [
    { code: 'member', name: 'Member' },
    { code: 'vip', name: 'VIP' },
  ],
}

describe('configure_event', () => {
  it('adds 2 tags, 3 products and a flow in any sequence, and adds nothing when repeated', async () => {
    const first = await configure(everything)
    expect(first.added.toSorted()).toEqual([
      '/flows/attendee',
      '/products/gala',
      '/products/pass',
      '/products/tour',
      '/tags/member',
      '/tags/vip',
    ])
    expect(first).toMatchObject({ updated: [], unchanged: [], draftRevision: 2, warnings: [], needsPublish: true })
    const second = await configure(everything)
    expect(second).toMatchObject({ added: [], updated: [], draftRevision: 2 })
    expect(second.unchanged.toSorted()).toEqual(first.added.toSorted())
  })

  it('changes only the given configuration values, at any depth, and removes nothing', async () => {
    await configure(everything)
    const edit = {
      products: [{ code: 'GALA', capacity: 200 }],
      flows: [
        {
          slug: 'attendee',
          pages: [
            {
              code: 'contact',
              widgets: [
                { id: 'email', required: true },
                { id: 'job', type: 'field', binding: '@participant.jobTitle' },
              ],
            },
          ],
        },
      ],
      details: { venue: { city: 'Lyon' } },
    }
    const { added, updated } = await configure(edit)
    expect({ added, updated }).toEqual({ added: [], updated: ['/products/gala', '/flows/attendee', '/details/venue'] })
    expect(await configAt('/products/gala')).toEqual({ ...product('gala', { requires: ['pass'] }), capacity: 200 })
    expect(await configAt('/flows/attendee/pages/contact/widgets')).toEqual([
      { id: 'name', type: 'name' },
      { id: 'email', type: 'field', binding: '@participant.email', required: true },
      { id: 'job', type: 'field', binding: '@participant.jobTitle' },
    ])
    await configure({ details: { venue: { country: 'fr' } } })
    expect(await configAt('/details/venue')).toEqual({ city: 'Lyon', country: 'FR' })
    await configure({
      flows: [{ slug: 'attendee', pages: [{ code: 'contact', widgets: [{ id: 'job', type: 'heading', text: 'Welcome' }] }] }],
    })
    expect(await configAt('/flows/attendee/pages/contact/widgets/job')).toEqual({ id: 'job', type: 'heading', text: 'Welcome' })
  })

  it('sanitizes rich texts, even in a widget whose type is omitted from the call', async () => {
    await configure(everything)
    const { warnings } = await configure({
      flows: [
        { slug: 'attendee', pages: [{ code: 'done', widgets: [{ id: 'end', body: '<p onclick="x()">Bye<script>x()</script></p>' }] }] },
      ],
    })
    expect(await configAt('/flows/attendee/pages/done/widgets/end/body')).toBe('<p>Bye</p>')
    expect(warnings).toEqual(['/flows/attendee/pages/done/widgets/end/body: tags or attributes that are not allowed were removed'])
  })

  it('saves nothing if one of the given items is invalid, and suggests the nearest valid name for an unknown one', async () => {
    const unknown = await refused({ ...everything, product: [], tags: [{ code: 'a', nam: 'A' }] })
    expect(unknown.fields?.map(({ path, message }) => `${path} ${message}`)).toEqual([
      '/tags/a/name is required',
      '/tags/a/nam Unknown key "nam" — did you mean name?',
      '/product Unknown key "product" — did you mean products?',
    ])
    const dangling = await refused({ products: [product('gala', { requires: ['pas'] }), product('pass')] })
    expect(dangling).toMatchObject({
      code: 'invalid_arguments',
      fields: [{ path: '/products/gala/requires/0', message: 'No product "pas" — did you mean pass?' }],
    })
    expect(
      (
        await refused({
          tags: [
            { code: 'a', name: 'A' },
            { code: 'a', name: 'B' },
          ],
        })
      ).message,
    ).toContain('already exists in this list')
    expect((await refused({ products: [product('p', { prices: [{ amount: '1.00', currency: 'USD' }] })] })).message).toContain(
      'amounts use the currency of the event; change it with update_event',
    )
    expect(await configure({})).toMatchObject({ draftRevision: 1, added: [] })
  })

  it('saves changes to a draft that already has unrelated issues', async () => {
    await scenario.olga.call('config_set', {
      eventCode: scenario.event.eventCode,
      operations: [{ op: 'insert', path: '/products/gala', valueJson: JSON.stringify(product('gala', { requires: ['gone'] })) }],
    })
    expect((await configure({ tags: [{ code: 'vip', name: 'VIP' }] })).added).toEqual(['/tags/vip'])
  })

  it('rejects changing the type of a question that has answers, and returns the number of answers', async () => {
    await configure({ customFields: [{ code: 'diet', name: 'Diet', responseType: 'text' }], details: { contactEmail: 'team@example.org' } })
    await scenario.olga.call('publish_event', { eventCode: scenario.event.eventCode })
    await scenario.world.database.pool.query(
      `insert into participants (tenant_id, event_id, id, status, custom_field_responses, completed_at, confirmation_number)
       select $1, $2, lpad(to_hex(i), 24, '0'), 'complete', '{"diet":"vegan"}', lanyard_now(), i from generate_series(1, 3) i`,
      [scenario.event.tenantId, scenario.event.eventId],
    )
    expect(await refused({ customFields: [{ code: 'diet', responseType: 'number' }] })).toMatchObject({
      code: 'precondition_failed',
      message: expect.stringContaining('3 answers use diet as text; number does not fit them'),
    })
    expect((await configure({ customFields: [{ code: 'diet', responseType: 'longText' }] })).updated).toEqual(['/customFields/diet'])
  })

  it('saves no configuration in a dry run, and rejects an outdated revision', async () => {
    const dry = await configure(everything, { dryRun: true })
    expect(dry).toMatchObject({ dryRun: true, draftRevision: 2 })
    expect(await configure(everything, { ifRevision: 1 })).toMatchObject({ draftRevision: 2 })
    expect(await refused({ tags: [] }, { ifRevision: 1 })).toMatchObject({ code: 'conflict' })
  })

  it('saves all items when ten concurrent calls add configuration items', async () => {
    await Promise.all(Array.from({ length: 10 }, (_, i) => configure({ tags: [{ code: `t${i}`, name: `T${i}` }] })))
    expect(await configAt('/tags')).toHaveLength(10)
  })
})
