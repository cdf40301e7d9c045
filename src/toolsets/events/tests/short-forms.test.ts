import { describe, expect, it } from 'vitest'
import {
  CONTACT_EMAIL_EDIT,
  useDraftScenario,
  type DraftConfigEdit,
  buildFlowEdit,
  buildProductEdit,
  readStoredDraft,
} from '../../../../test/support/draft-scenario.ts'
import { hashSourceText } from '../../../domains/configuration/texts.ts'

const scenario = useDraftScenario()
const { set, setRefused } = scenario

const translated = (locale: string, pointer: string, value: unknown): DraftConfigEdit => ({
  op: 'set',
  path: `/translations/${locale}/${pointer.replaceAll('/', '~1')}`,
  value,
})
const stored = (locale: string) => readStoredDraft(scenario, `/translations/${locale}`)
const explore = async (path: string, include = ['values']) => scenario.call('config_explore', { path, depth: 0, include })
const configure = (sections: object) => scenario.call('configure_event', { sections })

describe('translations in short form', () => {
  const made = (source: string, text: string, state = 'reviewed') => ({ text, sourceHash: hashSourceText(source), state })

  it('accepts a translation as plain text, and applies it to the current source text', async () => {
    await scenario.call('update_event', { locales: ['en', 'de'] })
    await set([CONTACT_EMAIL_EDIT, buildProductEdit('gala', { name: 'Gala dinner' }), translated('de', '/products/gala/name', 'Galaabend')])
    expect(await stored('de')).toEqual({ '/products/gala/name': made('Gala dinner', 'Galaabend') })
    await set([translated('de', '/products/gala/name', { text: 'Gala', state: 'machine' })])
    expect(await stored('de')).toEqual({ '/products/gala/name': made('Gala dinner', 'Gala', 'machine') })
    await set([{ op: 'set', path: '/translations/de', value: { '/products/gala/name': 'Abend' } }])
    expect(await stored('de')).toEqual({ '/products/gala/name': made('Gala dinner', 'Abend') })
  })

  it('accepts translations in configure_event alongside the source texts, and replaces existing ones', async () => {
    await scenario.call('update_event', { locales: ['en', 'de', 'fr'] })
    const first = await configure({
      translations: { de: { '/tags/vip/name': 'Ehrengast' }, fr: { '/tags/vip/name': { text: 'Invité' } } },
      tags: [{ code: 'vip', name: 'Guest of honour' }],
    })
    expect(first.added).toEqual(['/translations/de/~1tags~1vip~1name', '/translations/fr/~1tags~1vip~1name', '/tags/vip'])
    expect(await stored('de')).toEqual({ '/tags/vip/name': made('Guest of honour', 'Ehrengast') })
    await configure({ tags: [{ code: 'vip', name: 'VIP' }] })
    const again = await configure({ translations: { de: { '/tags/vip/name': 'VIP' } } })
    expect(again.updated).toEqual(['/translations/de/~1tags~1vip~1name'])
    expect(await stored('de')).toEqual({ '/tags/vip/name': made('VIP', 'VIP') })
    expect(await stored('fr')).toEqual({ '/tags/vip/name': made('Guest of honour', 'Invité') })
    expect((await configure({ translations: { de: { '/tags/vip/name': 'VIP' } } })).unchanged).toHaveLength(1)
  })

  it('shows current translations without a hash and outdated ones with it, so that both can be saved unchanged', async () => {
    await scenario.call('update_event', { locales: ['en', 'de'] })
    await set([CONTACT_EMAIL_EDIT, buildProductEdit('gala'), translated('de', '/products/gala/name', 'Galaabend')])
    const fresh = JSON.parse((await explore('/translations')).valueJson)
    expect(fresh).toEqual({ de: { '/products/gala/name': { text: 'Galaabend', state: 'reviewed' } } })
    expect(JSON.parse((await explore('/translations/de/~1products~1gala~1name')).valueJson)).toEqual({
      text: 'Galaabend',
      state: 'reviewed',
    })
    await set([{ op: 'set', path: '/products/gala/name', value: 'Gala ball' }])
    const stale = JSON.parse((await explore('/translations/de')).valueJson)
    expect(stale).toEqual({ '/products/gala/name': made('gala', 'Galaabend') })
    expect((await set([{ op: 'set', path: '/translations/de', value: stale }])).changed).toEqual([])
  })

  it('lists missing and outdated translations with the source text, so that translating a language takes two calls', async () => {
    await scenario.call('update_event', { locales: ['en', 'de'] })
    await set([
      CONTACT_EMAIL_EDIT,
      buildProductEdit('gala', { name: 'Gala', description: '<p>Three courses</p>' }),
      buildProductEdit('tour', { name: '2027' }),
    ])
    const open = async () => (await explore('/translations/de', ['issues'])).issues.filter(({ value }: any) => value !== undefined)
    const event = `Event ${scenario.event.eventCode}`
    expect(await open()).toEqual(
      [
        ['/details/name', event],
        ['/products/gala/description', '<p>Three courses</p>'],
        ['/products/gala/name', 'Gala'],
      ].map(([pointer, value]) => ({
        level: 'warning',
        code: 'missing',
        path: `/translations/de/${pointer!.replaceAll('/', '~1')}`,
        message: 'is not translated',
        value,
      })),
    )
    const texts = Object.fromEntries(
      (await open()).map(({ path, value }: any) => [path.split('/').at(-1).replaceAll('~1', '/'), `de ${value}`]),
    )
    await set([{ op: 'set', path: '/translations/de', value: texts }])
    expect(await open()).toEqual([])
    await set([{ op: 'set', path: '/products/gala/name', value: 'Ball' }])
    expect(await open()).toMatchObject([{ code: 'stale', path: '/translations/de/~1products~1gala~1name', value: 'Ball' }])
  })

  it('warns about a translation of a source text that does not exist', async () => {
    await scenario.call('update_event', { locales: ['en', 'de'] })
    const { introduced } = await set([CONTACT_EMAIL_EDIT, translated('de', '/products/nosuch/name', 'Nichts')])
    expect(introduced).toContainEqual(
      expect.objectContaining({ level: 'warning', code: 'translatesNothing', path: '/translations/de', hint: '/products/nosuch/name' }),
    )
  })

  it.each(['german', 'zz', 'pt-br'])('rejects translations for the invalid language tag %s', async (locale) => {
    const { fields } = await setRefused([{ op: 'set', path: `/translations/${locale}`, value: { '/details/name': 'X' } }])
    expect(fields?.[0]?.message).toContain('language tag')
  })
})

describe('condition in short form', () => {
  const leaf = { binding: '@participant.company', op: 'isSet' }
  const page = (showWhen: unknown) => buildFlowEdit('f', [{ code: 'a' }, { code: 'b', showWhen }])

  it('accepts a single condition wherever it accepts a tree of conditions', async () => {
    await set([CONTACT_EMAIL_EDIT, page(leaf)])
    expect(await readStoredDraft(scenario, '/flows/0/pages/1/showWhen')).toEqual({ all: [leaf] })
    await set([{ op: 'set', path: '/flows/f/pages/a/showWhen', value: leaf }])
    expect(await readStoredDraft(scenario, '/flows/0/pages/0/showWhen')).toEqual({ all: [leaf] })
    await configure({ flows: [{ slug: 'f', pages: [{ code: 'b', widgets: [{ id: 'w', type: 'divider', showWhen: leaf }] }] }] })
    expect(await readStoredDraft(scenario, '/flows/0/pages/1/widgets/0/showWhen')).toEqual({ all: [leaf] })
    const tried = await scenario.call('validate_schema', { path: '/flows/f/pages/a/showWhen', candidateJson: JSON.stringify(leaf) })
    expect(tried.counts.structure).toBe(0)
  })

  it.each([
    [{ ...leaf, op: 'is' }, '/flows/f/pages/b/showWhen/op'],
    [{ op: 'isSet' }, '/flows/f/pages/b/showWhen'],
    [{ ...leaf, all: [] }, '/flows/f/pages/b/showWhen'],
  ])('rejects the invalid condition %j', async (showWhen, path) => {
    expect((await setRefused([CONTACT_EMAIL_EDIT, page(showWhen)])).fields?.[0]?.path).toBe(path)
  })
})

describe('new page of a flow', () => {
  const done = { code: 'done', title: 'Done', widgets: [{ id: 'thanks', type: 'confirmation', body: 'Thanks' }] }
  const pages = async () => (await readStoredDraft(scenario, '/flows/0/pages')).map(({ code }: any) => code)
  const insert = (code: string, more: object = {}, value: object = {}) =>
    set([{ op: 'insert', path: `/flows/f/pages/${code}`, value, ...more }])

  it('inserts a new page before the final page, unless a position is given', async () => {
    await set([CONTACT_EMAIL_EDIT, buildFlowEdit('f', [{ code: 'a' }, done])])
    await insert('b')
    await configure({ flows: [{ slug: 'f', pages: [{ code: 'c' }, { code: 'd' }] }] })
    expect(await pages()).toEqual(['a', 'b', 'c', 'd', 'done'])
    await insert('last', { after: 'done' })
    await insert('first', { at: 0 })
    expect(await pages()).toEqual(['first', 'a', 'b', 'c', 'd', 'done', 'last'])
  })

  it('inserts a new page last if the flow has no final page, or if the new page is the final page', async () => {
    await set([CONTACT_EMAIL_EDIT, buildFlowEdit('f', [{ code: 'a' }])])
    await insert('b')
    await insert('done', {}, { title: 'Done', widgets: done.widgets })
    expect(await pages()).toEqual(['a', 'b', 'done'])
    await insert('other', {}, { widgets: [{ id: 'away', type: 'redirect', url: 'https://example.org/' }] })
    expect(await pages()).toEqual(['a', 'b', 'done', 'other'])
  })
})
