import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type EventPlace, newWorld, type OrganizerHandle, type World } from '../../../../test/support/world.ts'

let world: World
let event: EventPlace
let olga: OrganizerHandle

beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.end())

beforeEach(async () => {
  event = await world.event({ status: 'draft' })
  olga = await world.organizer({ at: event })
})

type Operation = { op: string; path: string; value?: unknown; [key: string]: unknown }

const operationsOf = (operations: readonly Operation[]) =>
  operations.map(({ value, ...rest }) => (value === undefined ? rest : { ...rest, valueJson: JSON.stringify(value) }))

const set = (operations: readonly Operation[], more: object = {}) =>
  olga.call('config_set', { eventCode: event.eventCode, operations: operationsOf(operations), ...more })
const setRefused = (operations: readonly Operation[], more: object = {}) =>
  olga.refused('config_set', { eventCode: event.eventCode, operations: operationsOf(operations), ...more })
const publish = (more: object = {}) => olga.call('publish_event', { eventCode: event.eventCode, ...more })

const contact = { op: 'set', path: '/details/contactEmail', value: 'team@example.org' }
const tag = (code: string) => ({ op: 'insert', path: `/tags/${code}`, value: { name: code } })

const revision = async () => (await olga.call('validate_schema', { eventCode: event.eventCode })).checkedRevision
const valueAt = async (path: string) => {
  const { rows } = await world.database.pool.query<{ document: any }>(
    `select document from config_drafts where tenant_id = $1 and event_id = $2`,
    [event.tenantId, event.eventId],
  )
  return path
    .split('/')
    .slice(1)
    .reduce((part: any, name) => part?.[name], rows[0]?.document)
}

const product = (code: string, more: object = {}) => ({
  op: 'insert',
  path: `/products/${code}`,
  value: { name: code, category: 'admission', prices: [{ amount: '450.00' }], ...more },
})
const flow = (slug: string, pages: unknown[], more: object = {}) => ({
  op: 'insert',
  path: `/flows/${slug}`,
  value: { name: slug, pages, ...more },
})
const people = (rows: { flow?: string; tags?: string[]; answers?: object }[]) =>
  Promise.all(
    rows.map(({ flow: slug = null, tags = [], answers = {} }, index) =>
      world.database.pool.query(
        `insert into participants (tenant_id, event_id, id, status, flow_slug, manual_tags, custom_field_responses)
         values ($1, $2, $3, 'complete', $4, $5, $6)`,
        [event.tenantId, event.eventId, index.toString(16).padStart(24, 'a'), slug, tags, JSON.stringify(answers)],
      ),
    ),
  )

describe('config_set', () => {
  it('saves what is right and lists what is still missing', async () => {
    const { draftRevision, changed, issues } = await set([tag('vip')])
    expect({ draftRevision, changed }).toEqual({ draftRevision: 2, changed: ['/tags/vip'] })
    expect(issues).toEqual([{ level: 'reference', code: 'required', path: '/details/contactEmail', message: 'is needed to publish' }])
  })

  it('changes nothing when one operation of the list fails', async () => {
    const { code, fields } = await setRefused([tag('a'), tag('b'), { op: 'set', path: '/details/startsOn', value: 'soon' }])
    expect(code).toBe('invalid_arguments')
    expect(fields).toEqual([{ path: '/details/startsOn', message: 'a day is written YYYY-MM-DD' }])
    expect(await revision()).toBe(1)
  })

  it('loses no edit of twenty at once', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, n) => set([tag(`tag-${n}`)])))
    expect(await revision()).toBe(21)
    expect((await valueAt('/tags')).map(({ code }: { code: string }) => code).toSorted()).toEqual(
      Array.from({ length: 20 }, (_, n) => `tag-${n}`).toSorted(),
    )
    const { rows } = await world.database.pool.query(`select draft_revision from config_changes where event_id = $1 order by 1`, [
      event.eventId,
    ])
    expect(rows.map((row) => row.draft_revision)).toEqual(Array.from({ length: 20 }, (_, n) => n + 2))
  })

  it('renames a tag together with everything that names it', async () => {
    await set([
      contact,
      tag('vip'),
      flow('attendee', [{ code: 'start', showWhen: { all: [{ binding: '@participant.tags', op: 'contains', value: 'vip' }] } }], {
        addsTags: ['vip'],
      }),
      product('adm', { prices: [{ amount: '450.00' }, { amount: '300.00', tags: ['vip'] }] }),
      product('gala', { prices: [{ amount: '90.00', tags: ['vip'] }] }),
    ])
    const { renamedReferences, introduced, issues } = await set([{ op: 'rename', path: '/tags/vip', to: 'patron' }])
    expect({ renamedReferences, introduced, issues }).toEqual({ renamedReferences: 4, introduced: [], issues: [] })
    expect(await valueAt('/products/0/prices/1/tags')).toEqual(['patron'])
    expect(await valueAt('/flows/0/pages/0/showWhen/all/0/value')).toBe('patron')
  })

  it('takes translations, bindings and tokens along with a renamed field', async () => {
    await set([
      {
        op: 'insert',
        path: '/customFields/diet',
        value: { name: 'Diet', responseType: 'choice', choices: [{ code: 'vegan', name: 'Vegan' }] },
      },
      flow('attendee', [{ code: 'start', widgets: [{ id: 'w1', type: 'field', binding: '@custom.diet', choices: ['vegan'] }] }]),
      { op: 'insert', path: '/emails/hello', value: { name: 'Hello', trigger: 'none', subject: 'You eat {{custom.diet|anything}}' } },
      {
        op: 'set',
        path: '/translations/de/~1customFields~1diet~1name',
        value: { text: 'Kost', sourceHash: '0123456789abcdef', state: 'reviewed' },
      },
    ])
    const { renamedReferences } = await set([{ op: 'rename', path: '/customFields/diet', to: 'food' }])
    expect(renamedReferences).toBe(3)
    expect(await valueAt('/flows/0/pages/0/widgets/0/binding')).toBe('@custom.food')
    expect(await valueAt('/emails/0/subject')).toBe('You eat {{custom.food|anything}}')
    expect(Object.keys(await valueAt('/translations/de'))).toEqual(['/customFields/food/name'])
  })

  it('refuses to rename what answers use', async () => {
    await set([{ op: 'insert', path: '/customFields/diet', value: { name: 'Diet', responseType: 'text' } }])
    await people(Array.from({ length: 3 }, () => ({ answers: { diet: 'vegan' } })))
    const { code, message } = await setRefused([{ op: 'rename', path: '/customFields/diet', to: 'food' }])
    expect({ code, message }).toEqual({ code: 'precondition_failed', message: '3 answers use diet; retire it and add a new field' })
  })

  it('leaves revision and audit alone when nothing really changes', async () => {
    await set([tag('vip')])
    const audited = () => world.database.pool.query(`select count(*)::int as n from audit_entries where event_id = $1`, [event.eventId])
    const before = (await audited()).rows[0]
    const { draftRevision, changed } = await set([
      { op: 'set', path: '/tags/vip/name', value: 'vip' },
      { op: 'set', path: '/products', value: [] },
      { op: 'set', path: '/theme/radius', value: 8 },
    ])
    expect({ draftRevision, changed }).toEqual({ draftRevision: 2, changed: [] })
    expect((await audited()).rows[0]).toEqual(before)
  })

  it('inserts, moves and removes items by key', async () => {
    await set([
      flow(
        'attendee',
        ['a', 'b', 'c', 'd', 'e'].map((code) => ({ code })),
      ),
    ])
    expect((await set([{ op: 'move', path: '/flows/attendee/pages/e', before: 'a' }])).changed).toEqual(['/flows/attendee/pages/e'])
    await set([
      { op: 'insert', path: '/flows/attendee/pages/x', after: 'b', value: {} },
      { op: 'remove', path: '/flows/attendee/pages/c' },
      { op: 'insert', path: '/flows/attendee/pages', at: 0, value: { code: 'first' } },
    ])
    expect((await valueAt('/flows/0/pages')).map(({ code }: { code: string }) => code)).toEqual(['first', 'e', 'a', 'b', 'x', 'd'])
  })

  it('moves a widget to another page and its translation with it', async () => {
    await set([
      flow('attendee', [{ code: 'a', widgets: [{ id: 'w1', type: 'heading', text: 'Hello' }] }, { code: 'b' }]),
      {
        op: 'set',
        path: '/translations/de/~1flows~1attendee~1pages~1a~1widgets~1w1~1text',
        value: { text: 'Hallo', sourceHash: '0123456789abcdef', state: 'machine' },
      },
    ])
    await set([{ op: 'move', path: '/flows/attendee/pages/a/widgets/w1', to: '/flows/attendee/pages/b/widgets' }])
    expect(Object.keys(await valueAt('/translations/de'))).toEqual(['/flows/attendee/pages/b/widgets/w1/text'])
    const { fields } = await setRefused([{ op: 'move', path: '/flows/attendee/pages/b/widgets/w1', to: '/tags' }])
    expect(fields?.[0]?.message).toBe('/tags takes other items than /flows/attendee/pages/b/widgets')
  })

  it.each([
    [
      'an unknown key',
      { op: 'set', path: '/tags/vip', value: { name: 'VIP', nmae: 'VIP' } },
      { path: '/tags/vip/nmae', message: 'Unknown key "nmae" — did you mean name?' },
    ],
    [
      'a wrong type',
      { op: 'set', path: '/details/capacity', value: 'many' },
      { path: '/details/capacity', message: 'must be a number, not text' },
    ],
    [
      'a wrong choice',
      { op: 'set', path: '/badge/size', value: 'a5' },
      { path: '/badge/size', message: 'must be one of a6, 4x3, 4x6, cr80, custom' },
    ],
    [
      'a code that exists',
      { op: 'insert', path: '/tags/vip', value: { name: 'x' } },
      { path: 'operations/0/path', message: '/tags/vip exists already' },
    ],
    [
      'too many decimals',
      product('p', { prices: [{ amount: '1.005' }] }),
      { path: '/products/p/prices/0/amount', message: 'has more decimals than EUR has (2)' },
    ],
    [
      'an item by set',
      { op: 'set', path: '/tags/new', value: { name: 'x' } },
      { path: 'operations/0/path', message: '/tags has no item "new": add it with op insert' },
    ],
    [
      'a pattern that RE2 cannot read',
      { op: 'insert', path: '/customFields/f', value: { name: 'F', responseType: 'text', pattern: '(?=a)' } },
      { path: '/customFields/f/pattern', message: 'is no pattern that RE2 can read' },
    ],
    [
      'an end before the start',
      { op: 'set', path: '/details/endsOn', value: '2020-01-01' },
      { path: '/details/endsOn', message: 'must be after startsOn' },
    ],
    [
      'hidden characters',
      { op: 'set', path: '/details/name', value: 'A\u202eB' },
      { path: '/details/name', message: 'has characters that cannot be seen' },
    ],
    [
      'a widget id used twice in a flow',
      flow('f', [
        { code: 'a', widgets: [{ id: 'w', type: 'divider' }] },
        { code: 'b', widgets: [{ id: 'w', type: 'divider' }] },
      ]),
      { path: '/flows/f/pages/b/widgets/w/id', message: '"w" is the id of another widget of this flow' },
    ],
  ])('refuses %s in words', async (_what, operation, field) => {
    await set([tag('vip')])
    const { code, fields } = await setRefused([operation])
    expect({ code, field: fields?.[0] }).toEqual({ code: 'invalid_arguments', field })
  })

  it('says where an unknown path stops', async () => {
    const { message, fix } = await setRefused([{ op: 'set', path: '/product/gala', value: {} }], { clientCode: event.clientCode })
    expect(message).toBe('No /product — did you mean /products?')
    expect(fix).toEqual({ tool: 'config_explore', arguments: { eventCode: event.eventCode, clientCode: event.clientCode, path: '' } })
  })

  it('cleans rich text and says so', async () => {
    const { issues } = await set([
      {
        op: 'set',
        path: '/details/description',
        value: '<p>Hi<script>alert(1)</script> <a href="javascript:x()" onclick="y()">you</a></p>',
      },
    ])
    expect(await valueAt('/details/description')).toBe('<p>Hi <a>you</a></p>')
    expect(issues.map(({ code }: { code: string }) => code)).toContain('htmlStripped')
  })

  it('needs a confirmed dry run to remove much', async () => {
    await set(Array.from({ length: 25 }, (_, n) => tag(`t${n}`)))
    const remove = Array.from({ length: 25 }, (_, n) => ({ op: 'remove', path: `/tags/t${n}` }))
    expect((await setRefused(remove)).code).toBe('precondition_failed')
    const { confirmToken, effects } = await set(remove, { dryRun: true })
    expect(effects.deletes).toBe(25)
    expect((await set(remove, { confirmToken })).changed).toHaveLength(25)
  })

  it('stays readable when very much is wrong', async () => {
    const tours = Array.from({ length: 700 }, (_, n) => ({
      code: `t${n}`,
      name: 'Tour',
      category: 'tour',
      prices: [{ amount: '1.00' }],
      requires: [`no-such-${n}`],
    }))
    const { issues, truncated, note } = await set([{ op: 'set', path: '/products', value: tours }])
    expect(truncated).toBe(true)
    expect(note).toMatch(/^Shows \d+ of 70\d introduced, 0 of 701 issues: validate_schema/)
    expect(issues).toEqual([])
    const checked = await olga.answer('validate_schema', { eventCode: event.eventCode })
    expect(checked.structuredContent.counts.reference).toBe(701)
    expect(Buffer.byteLength(checked.content[0]!.text!)).toBeLessThan(80 * 1024)
  })

  it('refuses an edit made from an older state, and any of an archived event', async () => {
    await set([tag('a')])
    expect((await setRefused([tag('b')], { ifRevision: 1 })).code).toBe('conflict')
    await world.database.pool.query(`update events set status = 'archived' where id = $1`, [event.eventId])
    expect((await setRefused([tag('b')])).code).toBe('precondition_failed')
  })
})

describe('validate_schema', () => {
  it('checks a candidate as if it stood there and saves nothing', async () => {
    await set([contact])
    const checked = await olga.call('validate_schema', {
      eventCode: event.eventCode,
      path: '/products/p1',
      candidateJson: JSON.stringify({ name: 'P', category: 'tour', prices: [{ amount: '1.00' }], requires: ['x'] }),
    })
    expect(checked.valid).toBe(false)
    expect(checked.issues).toEqual([
      { level: 'reference', code: 'missing', path: '/products/p1/requires/0', message: 'No product "x"', value: 'x' },
    ])
    expect(checked.counts).toEqual({ structure: 0, reference: 1, orphan: 0, warning: 0 })
    expect(await valueAt('/products')).toBeUndefined()
  })

  it('tells structure issues of a candidate instead of failing', async () => {
    const { valid, issues } = await olga.call('validate_schema', {
      eventCode: event.eventCode,
      path: '/badge',
      candidateJson: '{"siez":"a6"}',
    })
    expect({ valid, issue: issues[0].message }).toEqual({ valid: false, issue: 'Unknown key "siez" — did you mean size?' })
    expect((await olga.refused('validate_schema', { eventCode: event.eventCode, candidateJson: '1' })).code).toBe('invalid_arguments')
  })

  it.each([
    ['a missing product', product('a', { requires: ['nosuch'] }), 'missing', '/products/a/requires/0'],
    ['a circle of requirements', product('a', { requires: ['a'] }), 'cycle', '/products/a/requires'],
    [
      'an unknown binding',
      flow('f', [{ code: 'p', widgets: [{ id: 'w', type: 'field', binding: '@participant.emial' }] }]),
      'unknownBinding',
      '/flows/f/pages/p/widgets/w/binding',
    ],
    [
      'an unknown token',
      { op: 'insert', path: '/emails/e', value: { name: 'E', trigger: 'none', subject: '{{participant.frstName}}' } },
      'unknownToken',
      '/emails/e/subject',
    ],
    ['a file of nobody', { op: 'set', path: '/theme/logoFileId', value: 'a'.repeat(24) }, 'unknownFile', '/theme/logoFileId'],
    [
      'a language that is off',
      { op: 'set', path: '/translations/de', value: { '/details/name': { text: 'X', sourceHash: '0123456789abcdef', state: 'machine' } } },
      'localeNotEnabled',
      '/translations/de',
    ],
    [
      'a widget of another kind of flow',
      flow('f', [{ code: 'p', widgets: [{ id: 'w', type: 'boothRequest' }] }]),
      'wrongFlowKind',
      '/flows/f/pages/p/widgets/w/type',
    ],
    [
      'a confirmation before the end',
      flow('f', [{ code: 'p', widgets: [{ id: 'w', type: 'confirmation', body: 'Thanks' }] }, { code: 'q' }]),
      'terminalNotLast',
      '/flows/f/pages/p/widgets/w/type',
    ],
    ['a product without a price', product('a', { prices: [] }), 'noPrice', '/products/a/prices'],
    ['an unknown connection', flow('f', [{ code: 'p' }], { directory: 'members' }), 'unknownConnection', '/flows/f/directory'],
  ])('lists %s and lets the draft be saved', async (_what, operation, code, path) => {
    const { introduced } = await set([contact, operation])
    expect(introduced.filter(({ level }: { level: string }) => level === 'reference')).toMatchObject([{ code, path }])
    expect((await olga.refused('publish_event', { eventCode: event.eventCode })).code).toBe('precondition_failed')
  })

  it('warns of colours that cannot be read and offers the nearest that can', async () => {
    const { issues } = await set([contact, { op: 'set', path: '/theme/colors/text', value: '#999999' }])
    expect(issues.map(({ level, code, path }: any) => `${level} ${code} ${path}`)).toEqual([
      'warning contrast /theme/colors/text',
      'warning contrast /theme/colors/text',
    ])
    await set(issues.slice(1).map(({ path, hint }: any) => ({ op: 'set', path, value: hint })))
    expect((await olga.call('validate_schema', { eventCode: event.eventCode })).counts.warning).toBe(0)
  })
})

describe('publish_event', () => {
  it('makes the first version and publishes the event', async () => {
    await set([contact, { op: 'set', path: '/details/name', value: 'Spring Summit' }])
    const result = await publish({ note: 'first' })
    expect(result).toMatchObject({ published: true, version: 1, previousVersion: null, issues: [] })
    const { events } = await olga.call('list_my_events')
    expect(events.find(({ eventCode }: any) => eventCode === event.eventCode)).toMatchObject({
      name: 'Spring Summit',
      status: 'published',
      publishedVersion: 1,
    })
  })

  it('publishes once when called twice at the same time', async () => {
    await set([contact])
    const results = await Promise.all([publish(), publish()])
    expect(
      results.map(({ published, version }) => ({ published, version })).toSorted((a, b) => Number(b.published) - Number(a.published)),
    ).toEqual([
      { published: true, version: 1 },
      { published: false, version: 1 },
    ])
  })

  it('refuses to orphan answers, and takes retiring instead', async () => {
    const field = {
      name: 'Diet',
      responseType: 'choice',
      choices: [
        { code: 'vegan', name: 'Vegan' },
        { code: 'halal', name: 'Halal' },
      ],
    }
    await set([contact, { op: 'insert', path: '/customFields/diet', value: field }])
    await publish()
    await people([{ answers: { diet: 'halal' } }, { answers: { diet: 'halal' } }, { answers: { diet: 'vegan' } }])
    await set([{ op: 'remove', path: '/customFields/diet/choices/halal' }])
    const { code, fields } = await olga.refused('publish_event', { eventCode: event.eventCode })
    expect({ code, fields }).toEqual({
      code: 'precondition_failed',
      fields: [{ path: '/customFields/diet/choices/halal', message: '2 answers chose halal — set retired: true instead of removing it' }],
    })
    await set([{ op: 'insert', path: '/customFields/diet/choices/halal', value: { name: 'Halal', retired: true } }])
    expect((await publish()).version).toBe(2)
    const removed = await set([{ op: 'remove', path: '/customFields/diet' }])
    expect(removed.issues).toMatchObject([{ level: 'orphan', path: '/customFields/diet', records: { kind: 'answers', count: 3 } }])
  })

  it('tells which prices, capacities and policies changed', async () => {
    await set([
      contact,
      product('adm', { capacity: 50 }),
      { op: 'insert', path: '/policies/terms', value: { title: 'Terms', body: 'Be kind' } },
    ])
    await publish()
    await set([
      { op: 'set', path: '/products/adm/prices/0/amount', value: '500.00' },
      { op: 'set', path: '/products/adm/capacity', value: 45 },
      { op: 'set', path: '/policies/terms/body', value: 'Be very kind' },
    ])
    const { effects, changes } = await publish({ dryRun: true })
    expect({ effects, changes }).toEqual({
      effects: { capacitiesChanged: ['adm'], reconsentPolicies: ['terms'], pricesChanged: ['adm'] },
      changes: 3,
    })
  })

  it('is stopped by warnings when asked to be', async () => {
    await set([contact, { op: 'set', path: '/theme/colors/text', value: '#999999' }])
    expect((await olga.refused('publish_event', { eventCode: event.eventCode, acceptWarnings: false })).code).toBe('precondition_failed')
    expect((await publish()).published).toBe(true)
  })
})

describe('reset_to_version', () => {
  const reset = async (args: object) => {
    const { confirmToken } = await olga.call('reset_to_version', { eventCode: event.eventCode, ...args, dryRun: true })
    return olga.call('reset_to_version', { eventCode: event.eventCode, ...args, confirmToken })
  }

  it('brings an old version back as a new one', async () => {
    await set([contact, tag('a')])
    await publish()
    await set([tag('b')])
    await publish()
    await reset({ version: 1 })
    expect((await publish()).version).toBe(3)
    const { rows } = await world.database.pool.query(
      `select number, sha256, restored_from from config_versions where event_id = $1 order by 1`,
      [event.eventId],
    )
    expect(rows.map((row) => row.restored_from)).toEqual([null, null, 1])
    expect(rows[2]!.sha256).toBe(rows[0]!.sha256)
    expect(rows[1]!.sha256).not.toBe(rows[0]!.sha256)
  })

  it('to the live one discards the draft', async () => {
    await set([contact])
    await publish()
    await set([tag('b')])
    const draftChanged = async () => (await olga.call('list_events', { clientCode: event.clientCode })).events[0].draftChanged
    expect(await draftChanged()).toBe(true)
    await reset({ version: 1 })
    expect(await draftChanged()).toBe(false)
    expect((await publish()).published).toBe(false)
  })

  it('brings one part back and leaves the rest', async () => {
    await set([contact, tag('a')])
    await publish()
    await set([tag('b'), { op: 'remove', path: '/tags/a' }, { op: 'set', path: '/details/capacity', value: 10 }])
    expect((await reset({ version: 1, path: '/tags/a' })).changed).toEqual(['/tags/a'])
    expect((await valueAt('/tags')).map(({ code }: any) => code)).toEqual(['b', 'a'])
    expect(await valueAt('/details/capacity')).toBe(10)
  })

  it('always asks for the dry run first', async () => {
    await set([contact])
    await publish()
    await set([tag('b')])
    expect((await olga.refused('reset_to_version', { eventCode: event.eventCode, version: 1 })).code).toBe('precondition_failed')
    const unknown = await olga.refused('reset_to_version', { eventCode: event.eventCode, version: 7, dryRun: true })
    expect(unknown.message).toBe(`No version 7 of ${event.eventCode} — there are versions 1 to 1`)
    expect((await olga.refused('reset_to_version', { eventCode: event.eventCode, version: 1, path: '/tags/zz', dryRun: true })).code).toBe(
      'not_found',
    )
  })
})
