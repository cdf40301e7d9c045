import { describe, expect, it } from 'vitest'
import {
  CONTACT_EMAIL_EDIT,
  useDraftScenario,
  buildFlowEdit,
  buildProductEdit,
  readStoredDraft,
} from '../../../../test/support/draft-scenario.ts'

const scenario = useDraftScenario()
const { set } = scenario

describe('validate_schema', () => {
  it('validates a proposed item against the rest of the configuration, and saves nothing', async () => {
    await set([CONTACT_EMAIL_EDIT])
    const checked = await scenario.olga.call('validate_schema', {
      eventCode: scenario.event.eventCode,
      path: '/products/p1',
      candidateJson: JSON.stringify({ name: 'P', category: 'tour', prices: [{ amount: '1.00' }], requires: ['x'] }),
    })
    expect(checked.valid).toBe(false)
    expect(checked.issues).toEqual([
      { level: 'reference', code: 'missing', path: '/products/p1/requires/0', message: 'No product "x"', value: 'x' },
    ])
    expect(checked.counts).toEqual({ structure: 0, reference: 1, orphan: 0, warning: 0 })
    expect(await readStoredDraft(scenario, '/products')).toBeUndefined()
  })

  it('reports structure errors of a proposed configuration item as issues instead of failing', async () => {
    const { valid, issues } = await scenario.olga.call('validate_schema', {
      eventCode: scenario.event.eventCode,
      path: '/badge',
      candidateJson: '{"siez":"a6"}',
    })
    expect({ valid, issue: issues[0].message }).toEqual({ valid: false, issue: 'Unknown key "siez" — did you mean size?' })
    expect((await scenario.olga.refused('validate_schema', { eventCode: scenario.event.eventCode, candidateJson: '1' })).code).toBe(
      'invalid_arguments',
    )
  })

  it.each([
    ['a wrong name', { name: 7 }, ['/products/gala/name must be text, not a number', '/products/gala/category must be one of admission']],
    ['nothing at all', {}, ['/products/gala/name is required', '/products/gala/category is required']],
    ['null', null, ['/products/gala an item must be an object; to delete it, use config_set with op remove']],
    ['a text', 'Gala', ['/products/gala must be an object, not text']],
    [
      'another key',
      { code: 'other', name: 'G', category: 'meal' },
      ['/products/gala/code "other" differs from the path; to change a key, use config_set with op rename'],
    ],
    ['another key in another case', { code: 'GALA', name: 'G', category: 'meal' }, ['/products/gala/code "GALA" differs from the path']],
  ])('reports the errors of a proposed new or existing product with %s', async (_what, candidate, expected) => {
    await set([CONTACT_EMAIL_EDIT, buildProductEdit('gala')])
    for (const path of ['/products/gala', '/products/new']) {
      const tried = await scenario.call('validate_schema', { path, candidateJson: JSON.stringify(candidate) })
      expect({ valid: tried.valid, publishable: tried.publishable }).toEqual({ valid: false, publishable: false })
      const issuesText = tried.issues.map((issue: any) => `${issue.path} ${issue.message}`)
      expect(issuesText).toHaveLength(expected.length)
      for (const line of expected) {
        const wanted = line.replaceAll('/gala', path.slice('/products'.length))
        expect(issuesText.some((one: string) => one.startsWith(wanted) || one.startsWith(wanted.split(' must be one of')[0]!))).toBe(true)
      }
    }
  })

  it('validates a proposed item without its key, and accepts all values that config_set accepts', async () => {
    await set([CONTACT_EMAIL_EDIT, buildProductEdit('gala')])
    const valid = async (path: string, candidate: unknown) =>
      (await scenario.call('validate_schema', { path, candidateJson: JSON.stringify(candidate) })).valid
    expect(await valid('/products/gala', { name: 'Gala', category: 'meal', prices: [{ amount: '1.00' }] })).toBe(true)
    expect(await valid('/products/gala/prices', null)).toBe(false)
    expect(await valid('/products/gala/description', null)).toBe(true)
    expect(await valid('/products/gala/prices/1', { amount: '2.00' })).toBe(true)
    expect(await valid('/products/gala/prices/-', { amount: 'two' })).toBe(false)
    expect((await scenario.refused('validate_schema', { path: '/products/gala/prices/7', candidateJson: '{}' })).code).toBe('not_found')
    expect((await scenario.refused('validate_schema', { path: '/products/gala/price', candidateJson: '1' })).code).toBe('not_found')
  })

  it.each([
    ['a missing product', buildProductEdit('a', { requires: ['nosuch'] }), 'missing', '/products/a/requires/0'],
    ['a circle of requirements', buildProductEdit('a', { requires: ['a'] }), 'cycle', '/products/a/requires'],
    [
      'an unknown binding',
      buildFlowEdit('f', [{ code: 'p', widgets: [{ id: 'w', type: 'field', binding: '@participant.emial' }] }]),
      'unknownBinding',
      '/flows/f/pages/p/widgets/w/binding',
    ],
    [
      'an unknown token',
      { op: 'insert', path: '/emails/e', value: { name: 'E', trigger: 'none', subject: '{{participant.frstName}}' } },
      'unknownToken',
      '/emails/e/subject',
    ],
    ['a file of absent', { op: 'set', path: '/theme/logoFileId', value: 'a'.repeat(24) }, 'unknownFile', '/theme/logoFileId'],
    [
      'a language that is off',
      { op: 'set', path: '/translations/de', value: { '/details/name': { text: 'X', sourceHash: '0123456789abcdef', state: 'machine' } } },
      'localeNotEnabled',
      '/translations/de',
    ],
    [
      'a widget of another kind of flow',
      buildFlowEdit('f', [{ code: 'p', widgets: [{ id: 'w', type: 'boothRequest' }] }]),
      'wrongFlowKind',
      '/flows/f/pages/p/widgets/w/type',
    ],
    [
      'a confirmation before the end',
      buildFlowEdit('f', [{ code: 'p', widgets: [{ id: 'w', type: 'confirmation', body: 'Thanks' }] }, { code: 'q' }]),
      'terminalNotLast',
      '/flows/f/pages/p/widgets/w/type',
    ],
    ['a product without a price', buildProductEdit('a', { prices: [] }), 'noPrice', '/products/a/prices'],
    ['an unknown connection', buildFlowEdit('f', [{ code: 'p' }], { directory: 'members' }), 'unknownConnection', '/flows/f/directory'],
  ])('reports %s as an issue of the draft, which is still saved', async (_what, operation, code, path) => {
    const { introduced } = await set([CONTACT_EMAIL_EDIT, operation])
    expect(introduced.filter(({ level }: { level: string }) => level === 'reference')).toMatchObject([{ code, path }])
    expect((await scenario.olga.refused('publish_event', { eventCode: scenario.event.eventCode })).code).toBe('precondition_failed')
  })

  it('warns about unreadable colours and suggests the nearest readable ones', async () => {
    const { issues } = await set([CONTACT_EMAIL_EDIT, { op: 'set', path: '/theme/colors/text', value: '#999999' }])
    expect(issues.map(({ level, code, path }: any) => `${level} ${code} ${path}`)).toEqual([
      'warning contrast /theme/colors/text',
      'warning contrast /theme/colors/text',
    ])
    await set(issues.slice(1).map(({ path, hint }: any) => ({ op: 'set', path, value: hint })))
    expect((await scenario.olga.call('validate_schema', { eventCode: scenario.event.eventCode })).counts.warning).toBe(0)
  })
})
