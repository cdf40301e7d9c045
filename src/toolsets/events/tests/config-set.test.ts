import { describe, expect, it } from 'vitest'
import {
  insertRegistrations,
  CONTACT_EMAIL_EDIT,
  useDraftScenario,
  buildFlowEdit,
  buildProductEdit,
  readStoredDraft,
  buildTagEdit,
} from '../../../../test/support/draft-scenario.ts'

const scenario = useDraftScenario()
const { set, setRefused } = scenario
const revision = async () => (await scenario.call('validate_schema')).checkedRevision

describe('config_set', () => {
  it('saves valid operations, and lists what the draft still lacks before it can be published', async () => {
    const { draftRevision, changed, issues } = await set([buildTagEdit('vip')])
    expect({ draftRevision, changed }).toEqual({ draftRevision: 2, changed: ['/tags/vip'] })
    expect(issues).toEqual([{ level: 'reference', code: 'required', path: '/details/contactEmail', message: 'is required to publish' }])
  })

  it('saves none of the config_set operations if one of them fails', async () => {
    const { code, fields } = await setRefused([
      buildTagEdit('a'),
      buildTagEdit('b'),
      { op: 'set', path: '/details/startsOn', value: 'soon' },
    ])
    expect(code).toBe('invalid_arguments')
    expect(fields).toEqual([{ path: '/details/startsOn', message: 'a day is written YYYY-MM-DD' }])
    expect(await revision()).toBe(1)
  })

  it('saves all of twenty concurrent edits of one draft', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, n) => set([buildTagEdit(`tag-${n}`)])))
    expect(await revision()).toBe(21)
    expect((await readStoredDraft(scenario, '/tags')).map(({ code }: { code: string }) => code).toSorted()).toEqual(
      Array.from({ length: 20 }, (_, n) => `tag-${n}`).toSorted(),
    )
    const { rows } = await scenario.world.database.pool.query(`select draft_revision from config_changes where event_id = $1 order by 1`, [
      scenario.event.eventId,
    ])
    expect(rows.map((row) => row.draft_revision)).toEqual(Array.from({ length: 20 }, (_, n) => n + 2))
  })

  it('renames a tag together with all references to it', async () => {
    await set([
      CONTACT_EMAIL_EDIT,
      buildTagEdit('vip'),
      buildFlowEdit('attendee', [{ code: 'start', showWhen: { all: [{ binding: '@participant.tags', op: 'contains', value: 'vip' }] } }], {
        addsTags: ['vip'],
      }),
      buildProductEdit('adm', { prices: [{ amount: '450.00' }, { amount: '300.00', tags: ['vip'] }] }),
      buildProductEdit('gala', { prices: [{ amount: '90.00', tags: ['vip'] }] }),
    ])
    const { renamedReferences, introduced, issues } = await set([{ op: 'rename', path: '/tags/vip', to: 'patron' }])
    expect({ renamedReferences, introduced, issues }).toEqual({ renamedReferences: 4, introduced: [], issues: [] })
    expect(await readStoredDraft(scenario, '/products/0/prices/1/tags')).toEqual(['patron'])
    expect(await readStoredDraft(scenario, '/flows/0/pages/0/showWhen/all/0/value')).toBe('patron')
  })

  it('updates the translations, widget bindings and merge tokens that refer to a renamed data field', async () => {
    await set([
      {
        op: 'insert',
        path: '/customFields/diet',
        value: { name: 'Diet', responseType: 'choice', choices: [{ code: 'vegan', name: 'Vegan' }] },
      },
      buildFlowEdit('attendee', [{ code: 'start', widgets: [{ id: 'w1', type: 'field', binding: '@custom.diet', choices: ['vegan'] }] }]),
      { op: 'insert', path: '/emails/hello', value: { name: 'Hello', trigger: 'none', subject: 'You eat {{custom.diet|anything}}' } },
      {
        op: 'set',
        path: '/translations/de/~1customFields~1diet~1name',
        value: { text: 'Kost', sourceHash: '0123456789abcdef', state: 'reviewed' },
      },
    ])
    const { renamedReferences } = await set([{ op: 'rename', path: '/customFields/diet', to: 'food' }])
    expect(renamedReferences).toBe(3)
    expect(await readStoredDraft(scenario, '/flows/0/pages/0/widgets/0/binding')).toBe('@custom.food')
    expect(await readStoredDraft(scenario, '/emails/0/subject')).toBe('You eat {{custom.food|anything}}')
    expect(Object.keys(await readStoredDraft(scenario, '/translations/de'))).toEqual(['/customFields/food/name'])
  })

  it('rejects renaming a data field that has answers', async () => {
    await set([{ op: 'insert', path: '/customFields/diet', value: { name: 'Diet', responseType: 'text' } }])
    await insertRegistrations(
      scenario,
      Array.from({ length: 3 }, () => ({ answers: { diet: 'vegan' } })),
    )
    const { code, message } = await setRefused([{ op: 'rename', path: '/customFields/diet', to: 'food' }])
    expect({ code, message }).toEqual({ code: 'precondition_failed', message: '3 answers use diet; retire it and add a new field' })
  })

  it('leaves the draft revision and the audit log unchanged if the operations change nothing', async () => {
    await set([buildTagEdit('vip')])
    const audited = () =>
      scenario.world.database.pool.query(`select count(*)::int as n from audit_entries where event_id = $1`, [scenario.event.eventId])
    const before = (await audited()).rows[0]
    const { draftRevision, changed } = await set([
      { op: 'set', path: '/tags/vip/name', value: 'vip' },
      { op: 'set', path: '/products', value: [] },
      { op: 'set', path: '/theme/radius', value: 8 },
    ])
    expect({ draftRevision, changed }).toEqual({ draftRevision: 2, changed: [] })
    expect((await audited()).rows[0]).toEqual(before)
  })

  it('inserts, moves and removes configuration items by key', async () => {
    await set([
      buildFlowEdit(
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
    expect((await readStoredDraft(scenario, '/flows/0/pages')).map(({ code }: { code: string }) => code)).toEqual([
      'first',
      'e',
      'a',
      'b',
      'x',
      'd',
    ])
  })

  it('moves a widget together with its translation to another page', async () => {
    await set([
      buildFlowEdit('attendee', [{ code: 'a', widgets: [{ id: 'w1', type: 'heading', text: 'Hello' }] }, { code: 'b' }]),
      {
        op: 'set',
        path: '/translations/de/~1flows~1attendee~1pages~1a~1widgets~1w1~1text',
        value: { text: 'Hallo', sourceHash: '0123456789abcdef', state: 'machine' },
      },
    ])
    await set([{ op: 'move', path: '/flows/attendee/pages/a/widgets/w1', to: '/flows/attendee/pages/b/widgets' }])
    expect(Object.keys(await readStoredDraft(scenario, '/translations/de'))).toEqual(['/flows/attendee/pages/b/widgets/w1/text'])
    const { fields } = await setRefused([{ op: 'move', path: '/flows/attendee/pages/b/widgets/w1', to: '/tags' }])
    expect(fields?.[0]?.message).toBe('/tags does not accept the items of /flows/attendee/pages/b/widgets')
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
      buildProductEdit('p', { prices: [{ amount: '1.005' }] }),
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
      { path: '/customFields/f/pattern', message: 'is not a valid RE2 pattern' },
    ],
    [
      'an end before the start',
      { op: 'set', path: '/details/endsOn', value: '2020-01-01' },
      { path: '/details/endsOn', message: 'must not be before startsOn' },
    ],
    [
      'a day that February does not have',
      { op: 'set', path: '/details/endsOn', value: '2027-02-30' },
      { path: '/details/endsOn', message: 'no such day: February 2027 has 28 days' },
    ],
    [
      'a month that no year has',
      buildProductEdit('p', { prices: [{ amount: '1.00', until: '2027-13-01' }] }),
      { path: '/products/p/prices/0/until', message: 'no such day: there is no month 13' },
    ],
    [
      'an instant on such a day',
      buildFlowEdit('f', [{ code: 'a' }], { opensAt: '2027-04-31T09:00:00Z' }),
      { path: '/flows/f/opensAt', message: 'no such day: April 2027 has 30 days' },
    ],
    [
      'such a day as the limit of an answer',
      { op: 'insert', path: '/customFields/f', value: { name: 'F', responseType: 'date', min: '2027-06-31' } },
      { path: '/customFields/f/min', message: 'no such day: June 2027 has 30 days' },
    ],
    [
      'hidden characters',
      { op: 'set', path: '/details/name', value: 'A\u202eB' },
      { path: '/details/name', message: 'has invisible characters' },
    ],
    [
      'a widget id used twice in a flow',
      buildFlowEdit('f', [
        { code: 'a', widgets: [{ id: 'w', type: 'divider' }] },
        { code: 'b', widgets: [{ id: 'w', type: 'divider' }] },
      ]),
      { path: '/flows/f/pages/b/widgets/w/id', message: '"w" is already the id of another widget in this flow' },
    ],
  ])('rejects a config_set operation with %s and explains the error', async (_what, operation, field) => {
    await set([buildTagEdit('vip')])
    const { code, fields } = await setRefused([operation])
    expect({ code, field: fields?.[0] }).toEqual({ code: 'invalid_arguments', field })
  })

  it('rejects an unknown configuration path and suggests the nearest existing one', async () => {
    const { message, fix } = await setRefused([{ op: 'set', path: '/product/gala', value: {} }], { clientCode: scenario.event.clientCode })
    expect(message).toBe('No /product — did you mean /products?')
    expect(fix).toEqual({
      tool: 'config_explore',
      arguments: { eventCode: scenario.event.eventCode, clientCode: scenario.event.clientCode, path: '' },
    })
  })

  it('sanitizes rich text and warns about the removed markup', async () => {
    const { issues } = await set([
      {
        op: 'set',
        path: '/details/description',
        value: '<p>Hi<script>alert(1)</script> <a href="javascript:x()" onclick="y()">you</a></p>',
      },
    ])
    expect(await readStoredDraft(scenario, '/details/description')).toBe('<p>Hi <a>you</a></p>')
    expect(issues.map(({ code }: { code: string }) => code)).toContain('htmlStripped')
  })

  it('requires a confirmed dry run before it removes many configuration items', async () => {
    await set(Array.from({ length: 25 }, (_, n) => buildTagEdit(`t${n}`)))
    const remove = Array.from({ length: 25 }, (_, n) => ({ op: 'remove', path: `/tags/t${n}` }))
    expect((await setRefused(remove)).code).toBe('precondition_failed')
    const { confirmToken, effects } = await set(remove, { dryRun: true })
    expect(effects.deletes).toBe(25)
    expect((await set(remove, { confirmToken })).changed).toHaveLength(25)
  })

  it('limits the size of the result if the draft has many issues', async () => {
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
    const checked = await scenario.olga.answer('validate_schema', { eventCode: scenario.event.eventCode })
    expect(checked.structuredContent.counts.reference).toBe(701)
    expect(Buffer.byteLength(checked.content[0]!.text!)).toBeLessThan(80 * 1024)
  })

  it('rejects a config_set call with an outdated revision, and any edit of an archived event', async () => {
    await set([buildTagEdit('a')])
    expect((await setRefused([buildTagEdit('b')], { ifRevision: 1 })).code).toBe('conflict')
    await scenario.world.database.pool.query(`update events set status = 'archived' where id = $1`, [scenario.event.eventId])
    expect((await setRefused([buildTagEdit('b')])).code).toBe('precondition_failed')
  })
})
