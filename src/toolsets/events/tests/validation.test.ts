import { describe, expect, it } from 'vitest'
import { CONTACT, draftStory, flow, product, storedAt } from '../../../../test/support/draft-story.ts'

const story = draftStory()
const { set } = story

describe('validate_schema', () => {
  it('checks a candidate as if it stood there and saves nothing', async () => {
    await set([CONTACT])
    const checked = await story.olga.call('validate_schema', {
      eventCode: story.event.eventCode,
      path: '/products/p1',
      candidateJson: JSON.stringify({ name: 'P', category: 'tour', prices: [{ amount: '1.00' }], requires: ['x'] }),
    })
    expect(checked.valid).toBe(false)
    expect(checked.issues).toEqual([
      { level: 'reference', code: 'missing', path: '/products/p1/requires/0', message: 'No product "x"', value: 'x' },
    ])
    expect(checked.counts).toEqual({ structure: 0, reference: 1, orphan: 0, warning: 0 })
    expect(await storedAt(story, '/products')).toBeUndefined()
  })

  it('tells structure issues of a candidate instead of failing', async () => {
    const { valid, issues } = await story.olga.call('validate_schema', {
      eventCode: story.event.eventCode,
      path: '/badge',
      candidateJson: '{"siez":"a6"}',
    })
    expect({ valid, issue: issues[0].message }).toEqual({ valid: false, issue: 'Unknown key "siez" — did you mean size?' })
    expect((await story.olga.refused('validate_schema', { eventCode: story.event.eventCode, candidateJson: '1' })).code).toBe(
      'invalid_arguments',
    )
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
    const { introduced } = await set([CONTACT, operation])
    expect(introduced.filter(({ level }: { level: string }) => level === 'reference')).toMatchObject([{ code, path }])
    expect((await story.olga.refused('publish_event', { eventCode: story.event.eventCode })).code).toBe('precondition_failed')
  })

  it('warns of colours that cannot be read and offers the nearest that can', async () => {
    const { issues } = await set([CONTACT, { op: 'set', path: '/theme/colors/text', value: '#999999' }])
    expect(issues.map(({ level, code, path }: any) => `${level} ${code} ${path}`)).toEqual([
      'warning contrast /theme/colors/text',
      'warning contrast /theme/colors/text',
    ])
    await set(issues.slice(1).map(({ path, hint }: any) => ({ op: 'set', path, value: hint })))
    expect((await story.olga.call('validate_schema', { eventCode: story.event.eventCode })).counts.warning).toBe(0)
  })
})
