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
const { set } = scenario
const publish = (more: object = {}) => scenario.call('publish_event', more)

describe('publish_event', () => {
  it('creates the first version and publishes the event', async () => {
    await set([CONTACT_EMAIL_EDIT, { op: 'set', path: '/details/name', value: 'Spring Summit' }])
    const result = await publish({ note: 'first' })
    expect(result).toMatchObject({ published: true, version: 1, previousVersion: null, issues: [] })
    const { events } = await scenario.olga.call('list_my_events')
    expect(events.find(({ eventCode }: any) => eventCode === scenario.event.eventCode)).toMatchObject({
      name: 'Spring Summit',
      status: 'published',
      publishedVersion: 1,
    })
  })

  it('returns the URL of the event page, also if nothing changed, and reports a dry run as not published', async () => {
    await set([CONTACT_EMAIL_EDIT])
    const dry = await publish({ dryRun: true })
    expect(dry).toMatchObject({ published: false, wouldPublish: true, version: 1, dryRun: true })
    const real = await publish()
    expect(real).toMatchObject({ published: true, version: 1 })
    expect(real).not.toHaveProperty('wouldPublish')
    const { tenantCode, clientCode, eventCode } = scenario.event
    const url = expect.stringMatching(new RegExp(`^https?://[^/]+/tenant/${tenantCode}/client/${clientCode}/event/${eventCode}$`))
    expect([dry.url, real.url]).toEqual([url, url])
    expect(await publish({ dryRun: true })).toMatchObject({ published: false, wouldPublish: false, version: 1, url })
    expect(await publish()).toMatchObject({ published: false, version: 1, url })
  })

  it('publishes one version for two concurrent calls', async () => {
    await set([CONTACT_EMAIL_EDIT])
    const results = await Promise.all([publish(), publish()])
    expect(
      results.map(({ published, version }) => ({ published, version })).toSorted((a, b) => Number(b.published) - Number(a.published)),
    ).toEqual([
      { published: true, version: 1 },
      { published: false, version: 1 },
    ])
  })

  it('rejects publishing without a field or choice that has answers, but allows retiring it', async () => {
    const field = {
      name: 'Diet',
      responseType: 'choice',
      choices: [
        { code: 'vegan', name: 'Vegan' },
        { code: 'halal', name: 'Halal' },
      ],
    }
    await set([CONTACT_EMAIL_EDIT, { op: 'insert', path: '/customFields/diet', value: field }])
    await publish()
    await insertRegistrations(scenario, [{ answers: { diet: 'halal' } }, { answers: { diet: 'halal' } }, { answers: { diet: 'vegan' } }])
    await set([{ op: 'remove', path: '/customFields/diet/choices/halal' }])
    const { code, fields } = await scenario.olga.refused('publish_event', { eventCode: scenario.event.eventCode })
    expect({ code, fields }).toEqual({
      code: 'precondition_failed',
      fields: [{ path: '/customFields/diet/choices/halal', message: '2 answers chose halal — set retired: true instead of removing it' }],
    })
    await set([{ op: 'insert', path: '/customFields/diet/choices/halal', value: { name: 'Halal', retired: true } }])
    expect((await publish()).version).toBe(2)
    const removed = await set([{ op: 'remove', path: '/customFields/diet' }])
    expect(removed.issues).toMatchObject([{ level: 'orphan', path: '/customFields/diet', records: { kind: 'answers', count: 3 } }])
  })

  it('lists the prices, capacities and policies that a publication changes', async () => {
    await set([
      CONTACT_EMAIL_EDIT,
      buildProductEdit('adm', { capacity: 50 }),
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

  it('does not list the translation of a removed text as a change of its own', async () => {
    await scenario.call('update_event', { locales: ['en', 'de'] })
    const entry = { text: 'Weg', sourceHash: '0123456789abcdef', state: 'reviewed' }
    await set([CONTACT_EMAIL_EDIT, buildTagEdit('a'), { op: 'set', path: '/translations/de/~1tags~1a~1name', value: entry }])
    await publish()
    const standing = async () => ({
      published: (await publish({ dryRun: true })).wouldPublish,
      task: (await scenario.call('get_setup_tasks', { section: 'publish' })).tasks.find(({ code }: any) => code === 'publish.current')
        .state,
      changes: (await scenario.call('list_versions')).draft.changesSincePublish,
      differences: (await scenario.call('diff_versions')).summary.total,
      draftChanged: (await scenario.olga.call('list_events', { clientCode: scenario.event.clientCode })).events[0].draftChanged,
      needsPublish: (await scenario.call('configure_event', { sections: {} })).needsPublish,
    })
    const same = { published: false, task: 'done', changes: 0, differences: 0, draftChanged: false, needsPublish: false }
    await set([{ op: 'set', path: '/translations/de/~1products~1gone~1name', value: entry }])
    expect(await standing()).toEqual(same)
    expect(await readStoredDraft(scenario, '/translations/de')).toHaveProperty(['/products/gone/name'])
    await set([buildTagEdit('b')])
    expect(await standing()).toEqual({ published: true, task: 'todo', changes: 1, differences: 1, draftChanged: true, needsPublish: true })
    await publish()
    expect(await standing()).toEqual(same)
    expect(Object.keys(await readStoredDraft(scenario, '/translations/de'))).toEqual(['/tags/a/name'])
  })

  it('rejects publishing with warnings if the caller requests it', async () => {
    await set([CONTACT_EMAIL_EDIT, { op: 'set', path: '/theme/colors/text', value: '#999999' }])
    expect((await scenario.olga.refused('publish_event', { eventCode: scenario.event.eventCode, acceptWarnings: false })).code).toBe(
      'precondition_failed',
    )
    expect((await publish()).published).toBe(true)
  })
})

describe('reset_to_version', () => {
  const reset = async (args: object) => {
    const { confirmToken } = await scenario.olga.call('reset_to_version', { eventCode: scenario.event.eventCode, ...args, dryRun: true })
    return scenario.olga.call('reset_to_version', { eventCode: scenario.event.eventCode, ...args, confirmToken })
  }

  it('restores an old version into the draft, which is then published as a new version', async () => {
    await set([CONTACT_EMAIL_EDIT, buildTagEdit('a')])
    await publish()
    await set([buildTagEdit('b')])
    await publish()
    await reset({ version: 1 })
    expect((await publish()).version).toBe(3)
    const { rows } = await scenario.world.database.pool.query(
      `select number, sha256, restored_from from config_versions where event_id = $1 order by 1`,
      [scenario.event.eventId],
    )
    expect(rows.map((row) => row.restored_from)).toEqual([null, null, 1])
    expect(rows[2]!.sha256).toBe(rows[0]!.sha256)
    expect(rows[1]!.sha256).not.toBe(rows[0]!.sha256)
  })

  it('discards the unpublished changes by resetting to the live version', async () => {
    await set([CONTACT_EMAIL_EDIT])
    await publish()
    await set([buildTagEdit('b')])
    const draftChanged = async () =>
      (await scenario.olga.call('list_events', { clientCode: scenario.event.clientCode })).events[0].draftChanged
    expect(await draftChanged()).toBe(true)
    await reset({ version: 1 })
    expect(await draftChanged()).toBe(false)
    expect((await publish()).published).toBe(false)
  })

  it('restores one part of the draft from an old version and keeps the rest', async () => {
    await set([CONTACT_EMAIL_EDIT, buildTagEdit('a')])
    await publish()
    await set([buildTagEdit('b'), { op: 'remove', path: '/tags/a' }, { op: 'set', path: '/details/capacity', value: 10 }])
    expect((await reset({ version: 1, path: '/tags/a' })).changed).toEqual(['/tags/a'])
    expect((await readStoredDraft(scenario, '/tags')).map(({ code }: any) => code)).toEqual(['a', 'b'])
    expect(await readStoredDraft(scenario, '/details/capacity')).toBe(10)
  })

  it('restores a configuration item to its position after the nearest earlier item that still exists', async () => {
    const codes = async () => (await readStoredDraft(scenario, '/flows/0/pages')).map(({ code }: any) => code)
    const end = { code: 'z', title: 'End', widgets: [{ id: 'end', type: 'confirmation', body: 'Thanks' }] }
    const pages = [...['a', 'b', 'c'].map((code) => ({ code, title: code, widgets: [] })), end]
    await set([CONTACT_EMAIL_EDIT, buildFlowEdit('f', pages, { opensAt: '2027-03-01T09:00:00.000Z' })])
    await publish()
    await set(['a', 'b', 'c'].map((code) => ({ op: 'remove', path: `/flows/f/pages/${code}` })))
    await set([{ op: 'insert', path: '/flows/f/pages/new', value: { title: 'New' }, before: 'z' }])
    await reset({ version: 1, path: '/flows/f/pages/b' })
    expect(await codes()).toEqual(['b', 'new', 'z'])
    const { issues } = await reset({ version: 1, path: '/flows/f/pages/c' })
    expect(await codes()).toEqual(['b', 'c', 'new', 'z'])
    expect(issues.filter(({ code }: any) => code === 'terminalNotLast')).toEqual([])
    await reset({ version: 1, path: '/flows/f/pages/a' })
    expect(await codes()).toEqual(['a', 'b', 'c', 'new', 'z'])
  })

  it('always requires a dry run before a version is restored', async () => {
    await set([CONTACT_EMAIL_EDIT])
    await publish()
    await set([buildTagEdit('b')])
    expect((await scenario.olga.refused('reset_to_version', { eventCode: scenario.event.eventCode, version: 1 })).code).toBe(
      'precondition_failed',
    )
    const unknown = await scenario.olga.refused('reset_to_version', { eventCode: scenario.event.eventCode, version: 7, dryRun: true })
    expect(unknown.message).toBe(`No version 7 of ${scenario.event.eventCode} — versions 1 to 1 exist`)
    expect(
      (await scenario.olga.refused('reset_to_version', { eventCode: scenario.event.eventCode, version: 1, path: '/tags/zz', dryRun: true }))
        .code,
    ).toBe('not_found')
  })
})
