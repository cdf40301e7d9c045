import { describe, expect, it } from 'vitest'
import {
  CONTACT_EMAIL_EDIT,
  useDraftScenario,
  buildFlowEdit,
  buildProductEdit,
  readStoredDraft,
} from '../../../../test/support/draft-scenario.ts'

const scenario = useDraftScenario({ startsOn: '2027-05-11', timezone: 'America/New_York' })
const { set, setRefused } = scenario

const translation = (unit: string, text: string) => ({
  op: 'set',
  path: `/translations/de/${unit.replaceAll('/', '~1')}`,
  value: { text, sourceHash: '0123456789abcdef', state: 'reviewed' },
})
const HARMFUL = '<script>alert(1)</script><p onclick="x()">Hallo</p>'

describe('translations of configuration texts', () => {
  it.each([
    ['a product', '/products/adm/description'],
    ['a widget', '/flows/attendee/pages/start/widgets/w1/body'],
    ['an item of a widget', '/flows/attendee/pages/start/widgets/w2/items/one/body'],
    ['a block in columns', '/emails/hello/blocks/b/blocks/inner/html'],
  ])('sanitizes the translation of a rich text of %s like the text itself, with the same warning', async (_what, unit) => {
    const { introduced } = await set([translation(unit, HARMFUL)])
    const stored = await readStoredDraft(scenario, '/translations/de')
    expect(stored[unit].text).toBe('<p>Hallo</p>')
    const path = `/translations/de/${unit.replaceAll('/', '~1')}/text`
    expect(introduced.filter(({ code }: any) => code === 'htmlStripped')).toMatchObject([{ level: 'warning', path }])
  })

  it('sanitizes translations, whether one text, one language or all languages are set', async () => {
    const unit = '/products/adm/description'
    const entry = { text: HARMFUL, sourceHash: '0123456789abcdef', state: 'machine' }
    for (const edit of [
      { op: 'set', path: '/translations', value: { de: { [unit]: entry } } },
      { op: 'set', path: '/translations/de', value: { [unit]: entry } },
      { op: 'set', path: `/translations/de/${unit.replaceAll('/', '~1')}/text`, value: HARMFUL },
    ]) {
      await set([edit])
      expect((await readStoredDraft(scenario, '/translations/de'))[unit].text).toBe('<p>Hallo</p>')
    }
  })

  it('keeps the translation of a plain text as written, including markup characters', async () => {
    const { introduced } = await set([translation('/products/adm/name', ' Ein < Zwei & <b>Drei</b> ')])
    expect((await readStoredDraft(scenario, '/translations/de'))['/products/adm/name'].text).toBe('Ein < Zwei & <b>Drei</b>')
    expect(introduced.filter(({ code }: any) => code === 'htmlStripped')).toEqual([])
  })
})

describe('characters that the database cannot store', () => {
  const field = (more: object) =>
    buildFlowEdit('attendee', [{ code: 'start', widgets: [{ id: 'w', type: 'field', binding: '@participant.company', ...more }] }])
  const leaf = (value: unknown) => ({ all: [{ any: [{ binding: '@participant.company', op: 'in', value }] }] })
  const at = '/flows/attendee/pages/start/widgets/w'

  it.each([
    ['a translation', (bad: string) => translation('/products/adm/name', bad), '/translations/de/~1products~1adm~1name/text'],
    ['a default', (bad: string) => field({ default: bad }), `${at}/default`],
    ['one of several defaults', (bad: string) => field({ default: ['a', bad] }), `${at}/default/1`],
    ['a condition', (bad: string) => field({ showWhen: leaf(['a', bad]) }), `${at}/showWhen/all/0/any/0/value/1`],
    ['an email address', (bad: string) => ({ ...CONTACT_EMAIL_EDIT, value: `${bad}@example.org` }), '/details/contactEmail'],
    ['a web address', (bad: string) => ({ op: 'set', path: '/details/website', value: `https://example.org/${bad}` }), '/details/website'],
    ['a delimiter', (bad: string) => ({ op: 'set', path: '/badge/delimiter', value: bad.charAt(1) }), '/badge/delimiter'],
    [
      'a hotel',
      (bad: string) => buildFlowEdit('attendee', [{ code: 'start', widgets: [{ id: 'w', type: 'housing', hotels: [bad] }] }]),
      `${at}/hotels/0`,
    ],
    [
      'the words for a picture in a mail',
      (bad: string) => ({
        op: 'insert',
        path: '/emails/hello',
        value: { name: 'H', trigger: 'none', subject: 'H', blocks: [{ id: 'b', type: 'image', fileId: 'a'.repeat(24), alt: bad }] },
      }),
      '/emails/hello/blocks/b/alt',
    ],
    [
      'a session of a mail',
      (bad: string) => ({
        op: 'insert',
        path: '/emails/hello',
        value: { name: 'H', trigger: 'none', subject: 'H', blocks: [{ id: 'b', type: 'sessionList', mode: 'ids', sessionIds: [bad] }] },
      }),
      '/emails/hello/blocks/b/sessionIds/0',
    ],
  ])('rejects characters that the database cannot store in %s, with one error that has the path', async (_what, edit, path) => {
    for (const bad of ['a\u0000b', 'a\ud800b']) {
      const { code, fields } = await setRefused([edit(bad)])
      expect(code).toBe('invalid_arguments')
      expect(fields?.map((one) => one.path)).toEqual([path])
    }
  })

  it('rejects a translation whose path contains characters that the database cannot store', async () => {
    for (const bad of ['a\u0000m', 'a\ud800m']) {
      const value = { [`/products/${bad}/name`]: { text: 'Eintritt', sourceHash: '0123456789abcdef', state: 'reviewed' } }
      expect(await setRefused([{ op: 'set', path: '/translations/de', value }])).toMatchObject({
        code: 'invalid_arguments',
        fields: [{ message: 'has invisible characters' }],
      })
    }
  })
})

describe('price with a start time and an end day', () => {
  const price = (from: string, until: string) => buildProductEdit('adm', { prices: [{ amount: '10.00', from, until }] })
  const issuesAfter = async (from: string, until: string) => (await set([CONTACT_EMAIL_EDIT, price(from, until)])).issues

  it('accepts a price that starts during the day on which it ends', async () => {
    expect(await issuesAfter('2027-03-31T09:00:00Z', '2027-03-31')).toEqual([])
  })

  it('ends a price at midnight in the time zone of the event', async () => {
    // In New York the day has not ended yet when it has in Greenwich.
    expect(await issuesAfter('2027-04-01T03:59:00Z', '2027-03-31')).toEqual([])
    await set([{ op: 'remove', path: '/products/adm' }])
    expect(await issuesAfter('2027-04-01T04:00:00Z', '2027-03-31')).toMatchObject([
      { level: 'reference', code: 'endsBeforeStart', path: '/products/adm/prices/0/until', value: '2027-03-31' },
    ])
  })

  it('starts a price at midnight of its first day in the time zone of the event', async () => {
    expect(await issuesAfter('2027-04-01', '2027-04-01T04:01:00Z')).toEqual([])
    const discount = { name: 'D', kind: 'percent', value: '5', from: '2027-04-01', until: '2027-04-01T04:00:00Z' }
    const { introduced } = await set([{ op: 'insert', path: '/discounts/early', value: discount }])
    expect(introduced).toMatchObject([{ level: 'reference', code: 'endsBeforeStart', path: '/discounts/early/until' }])
  })

  it("rejects a price that ends before it starts, regardless of the event's time zone", async () => {
    expect((await setRefused([price('2027-04-03T09:00:00Z', '2027-03-31')])).fields?.[0]?.message).toBe('must not be before from')
    expect((await setRefused([price('2027-04-01', '2027-03-31')])).fields?.[0]?.message).toBe('must not be before from')
  })
})

describe('points in time in the configuration', () => {
  it('stores points in time in UTC, regardless of the offset in which they are given', async () => {
    await set([
      buildProductEdit('adm', {
        prices: [{ amount: '10.00', from: '2027-03-01T09:00:00+02:00', until: '2027-04-01' }],
        refundUntil: '2027-03-01T07:00Z',
      }),
    ])
    expect(await readStoredDraft(scenario, '/products/0/prices')).toEqual([
      { amount: '10.00', from: '2027-03-01T07:00:00.000Z', until: '2027-04-01' },
    ])
    expect(await readStoredDraft(scenario, '/products/0/refundUntil')).toBe('2027-03-01T07:00:00.000Z')
    const same = { op: 'set', path: '/products/adm/prices/0/from', value: '2027-03-01T07:00:00Z' }
    expect((await set([same])).changed).toEqual([])
  })
})

describe('amounts with more decimals than the currency has', () => {
  const discount = (kind: string, value: string) => ({ op: 'insert', path: '/discounts/d', value: { name: 'D', kind, value } })
  const deposit = (kind: string, value: string) => ({ op: 'set', path: '/housing/deposit', value: { kind, value } })

  it('rejects discounts and deposits with more decimals than the currency has', async () => {
    expect((await setRefused([discount('amount', '10.123')])).fields).toEqual([
      { path: '/discounts/d/value', message: 'has more decimals than EUR has (2)' },
    ])
    expect((await setRefused([deposit('amount', '10.123')])).fields).toEqual([
      { path: '/housing/deposit/value', message: 'has more decimals than EUR has (2)' },
    ])
  })

  it('accepts percentages with more decimals than the currency has', async () => {
    await set([discount('percent', '12.125'), deposit('percent', '12.125')])
    expect(await readStoredDraft(scenario, '/discounts/0/value')).toBe('12.125')
  })

  it('rejects a new currency if amounts have more decimals than the currency has, unless the extra digits are zeros', async () => {
    await set([discount('amount', '10.50'), deposit('amount', '20.00')])
    const { fields } = await scenario.refused('update_event', { currency: 'JPY' })
    expect(fields?.map(({ path }) => path)).toEqual(['/discounts/d/value'])
    await set([{ op: 'set', path: '/discounts/d/value', value: '10.00' }])
    await scenario.call('update_event', { currency: 'JPY' })
    expect([await readStoredDraft(scenario, '/discounts/0/value'), await readStoredDraft(scenario, '/housing/deposit/value')]).toEqual([
      '10',
      '20',
    ])
  })
})

describe('minimum and maximum of a date question', () => {
  it('shifts the minimum and maximum of a date question when its event is cloned', async () => {
    await set([
      {
        op: 'insert',
        path: '/customFields/arrival',
        value: { name: 'Arrival', responseType: 'date', min: '2027-05-09', max: '2027-05-12' },
      },
      { op: 'insert', path: '/customFields/age', value: { name: 'Age', responseType: 'number', min: 18 } },
      buildFlowEdit('attendee', [{ code: 'start', widgets: [{ id: 'w', type: 'field', binding: '@custom.arrival', min: '2027-05-10' }] }]),
    ])
    const { event } = await scenario.call('clone_event', {
      newCode: `next-${scenario.event.eventCode}`,
      newName: 'Next',
      startsOn: '2027-05-18',
    })
    const { valueJson } = await scenario.olga.call('config_explore', { eventCode: event.code, path: '/customFields', depth: 0 })
    expect(JSON.parse(valueJson)).toMatchObject([{ min: '2027-05-16', max: '2027-05-19' }, { min: 18 }])
    const widget = await scenario.olga.call('config_explore', {
      eventCode: event.code,
      path: '/flows/attendee/pages/start/widgets/w/min',
      depth: 0,
    })
    expect(widget.valueJson).toBe('"2027-05-17"')
  })
})
