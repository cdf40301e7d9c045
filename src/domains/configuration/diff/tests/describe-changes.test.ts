import { describe, expect, it } from 'vitest'
import type { ConfigDocument } from '../../schema/event-config.ts'
import { diffSynchronously } from '../../../../../test/support/diff-synchronously.ts'
import { formatChanges, truncateJson, markChangedWords, summarizeChanges } from '../describe-changes.ts'
import { formatWordDiff } from '../word-diff.ts'

const details = { name: 'Summit', startsOn: '2027-05-11', endsOn: '2027-05-13' }
const pages = ['Basics', 'Program', 'Contact'].map((title) => ({ code: title.toLowerCase(), title, widgets: [] }))
const before: ConfigDocument = {
  details,
  tags: [{ code: 'vip', name: 'VIP' }],
  products: [{ code: 'gala', name: 'Gala dinner', category: 'meal', prices: [{ amount: '125.00' }] }],
  flows: [{ slug: 'attendee', name: 'Attendee', pages }],
}
const after: ConfigDocument = {
  details,
  tags: [
    { code: 'patron', name: 'VIP' },
    { code: 'press', name: 'Press' },
  ],
  products: [{ code: 'gala', name: 'Gala dinner', category: 'meal', prices: [{ amount: '140.00' }], capacity: 80 }],
  flows: [{ slug: 'attendee', name: 'Attendee', pages: [pages[2]!, pages[0]!, pages[1]!] }],
  theme: { colors: { brand: '#000000' } },
}

describe('formatChanges', () => {
  it('describes each configuration change in a sentence, grouped by section', () => {
    expect(formatChanges(diffSynchronously(before, after))).toBe(`Tags
- Renamed tag "VIP" (/tags/patron): vip → patron
- Added tag "Press", behind patron (/tags/press)

Products
- Changed the price of "Gala dinner" (/products/gala/prices/0/amount): 125.00 → 140.00
- Added the capacity of "Gala dinner" (/products/gala/capacity): 80

Flows
- Moved page "Contact" to the front of flow "Attendee" (/flows/attendee/pages/contact)

Theme
- Changed the brand of colors of theme (/theme/colors/brand): #1f4e79 → #000000`)
  })

  it('describes removed items and values when two documents are compared in reverse order', () => {
    const text = formatChanges(diffSynchronously(after, before))
    expect(text).toContain('- Removed tag "Press" (/tags/press)')
    expect(text).toContain('- Removed the capacity of "Gala dinner" (/products/gala/capacity): 80')
    expect(text).toContain('- Moved page "Contact" of flow "Attendee" behind program (/flows/attendee/pages/contact)')
  })

  it('describes an added or removed configuration item with its values', () => {
    const product = (more: object): ConfigDocument => ({ details, products: [{ code: 'gala', name: 'Gala', category: 'meal', ...more }] })
    const describeDiff = (a: object, b: object) =>
      formatChanges(diffSynchronously(product(a), product(b)))
        .split('\n')
        .slice(1)
    const early = { amount: '90.00', until: '2027-03-01' }
    const late = { amount: '130.00', from: '2027-09-01' }
    expect(describeDiff({ prices: [early] }, { prices: [early, late] })).toEqual([
      '- Added price 2 to "Gala" (/products/gala/prices/1): 130.00 from 1 Sep 2027',
    ])
    const member = { ...late, until: '2027-10-31T22:00:00.000Z', tags: ['member', 'vip'] }
    expect(describeDiff({ prices: [early, member] }, { prices: [early] })).toEqual([
      '- Removed price 2 from "Gala" (/products/gala/prices/1): 130.00 from 1 Sep 2027 until 31 Oct 2027 22:00 UTC for member, vip',
    ])
    expect(describeDiff({ prices: [early] }, { prices: [{ ...early, until: '2027-12-31' }] })).toEqual([
      '- Changed the until of price 1 of "Gala" (/products/gala/prices/0/until): 1 Mar 2027 → 31 Dec 2027',
    ])
    expect(
      formatChanges(diffSynchronously({ details }, product({ prices: [early, late], capacity: 80, waitlist: true, requires: ['adm'] }))),
    ).toBe(
      'Products\n- Added "Gala", at the front (/products/gala): category meal, prices 90.00 until 1 Mar 2027; 130.00 from 1 Sep 2027, capacity 80, requires adm, waitlist',
    )
  })

  it('uses a distinct noun for the items of each list in the configuration', () => {
    const text = formatChanges(
      diffSynchronously(
        { details },
        {
          details,
          taxes: [{ code: 'vat', name: 'VAT', rate: '19', appliesIn: ['DE'] }],
          policies: [{ code: 'terms', title: 'Terms', body: 'Be kind' }],
          sessions: { reviewRubric: [{ code: 'depth', name: 'Depth', weight: 1 }] },
          exhibitorConfig: {
            categories: [{ code: 'bikes', name: 'Bikes' }],
            meetingHours: [{ day: '2027-05-11', from: '09:00', until: '17:00' }],
          },
        },
      ),
    )
    expect(text).toContain('Added tax "VAT", at the front (/taxes/vat): rate 19, applies in DE')
    expect(text).toContain('Added policy "Terms", at the front (/policies/terms): body Be kind')
    expect(text).toContain('Added review criterion "Depth" to sessions, at the front')
    expect(text).toContain('Added category "Bikes" to exhibitor config, at the front (/exhibitorConfig/categories/bikes)')
    expect(text).toContain(
      'Added meeting hours 1 to exhibitor config (/exhibitorConfig/meetingHours/0): day 11 May 2027, from 09:00, until 17:00',
    )
  })

  it('describes a changed translation by its text', () => {
    const named = (name: string, text: string | null, sourceHash = '0'.repeat(16)): ConfigDocument => ({
      details,
      tags: [{ code: 'vip', name }],
      ...(text === null ? {} : { translations: { de: { '/tags/vip/name': { text, sourceHash, state: 'reviewed' } } } }),
    })
    const describeDiff = (a: ConfigDocument, b: ConfigDocument) =>
      formatChanges(diffSynchronously(a, b)).split('\n').slice(1).filter(Boolean)
    expect(describeDiff(named('VIP', null), named('VIP', 'Gast'))).toEqual(['- Added the translations into de (/translations/de): 1 text'])
    const other = { ...named('VIP', 'Gast'), translations: { de: {} } }
    expect(describeDiff(other, named('VIP', 'Gast'))).toEqual([
      '- Added the translation into de of /tags/vip/name (/translations/de/~1tags~1vip~1name): Gast',
    ])
    expect(describeDiff(named('VIP', 'Gast'), named('VIP', 'Ehrengast', '1'.repeat(16)))).toEqual([
      '- Changed the text of translation into de of /tags/vip/name (/translations/de/~1tags~1vip~1name/text): Gast → Ehrengast',
    ])
    expect(describeDiff(named('VIP', 'Gast'), named('VIP', 'Gast', '1'.repeat(16)))).toEqual([
      '- Marked the translation into de of /tags/vip/name as up to date with the current text (/translations/de/~1tags~1vip~1name/sourceHash)',
    ])
  })

  it('describes items whose names contain the word "of"', () => {
    const named = (name: string, titles: string[]): ConfigDocument => ({
      details,
      flows: [{ slug: 'f', name, pages: titles.map((title) => ({ code: title.toLowerCase().replaceAll(' ', '-'), title, widgets: [] })) }],
    })
    const changes = diffSynchronously(named('Day of days', ['Queen of Hearts', 'End']), named('Day of days', ['End', 'Queen of Hearts']))
    expect(formatChanges(changes)).toContain('Moved page "End" to the front of flow "Day of days"')
  })
})

describe('summarizeChanges', () => {
  it('counts configuration changes by section and by kind of change', () => {
    const none = { added: 0, removed: 0, changed: 0, moved: 0, renamed: 0 }
    expect(summarizeChanges(diffSynchronously(before, after))).toEqual({
      total: 6,
      bySection: {
        tags: { ...none, renamed: 1, added: 1 },
        products: { ...none, changed: 1, added: 1 },
        flows: { ...none, moved: 1 },
        theme: { ...none, changed: 1 },
      },
    })
  })
})

describe('formatWordDiff', () => {
  it('marks removed and added words in the description of a changed text', () => {
    expect(formatWordDiff('The old hall opens at nine.', 'The new hall opens at nine, sharp.')).toBe(
      'The [-old-]{+new+} hall opens at nine{+, sharp+}.',
    )
  })

  it('shows only a few unchanged words around each change of a text', () => {
    const long = 'word '.repeat(1000)
    const shown = formatWordDiff(`${long}old ${long}`, `${long}new ${long}`)
    expect(shown).toMatch(/^…(word )+\[-old-\]\{\+new\+\}( word)+.*…$/)
    expect(shown.length).toBeLessThan(120)
  })
})

describe('truncateJson and describeWordChanges', () => {
  it('truncates a changed value to at most 500 characters, and a truncated text to valid JSON', () => {
    expect(truncateJson({ b: 1, a: 2 })).toEqual({ json: '{"a":2,"b":1}', cut: false })
    const { json, cut } = truncateJson('"🎉\n'.repeat(400))
    expect([cut, json.length <= 500, json.length > 480]).toEqual([true, true, true])
    expect(JSON.parse(json)).toMatch(/…$/)
    expect(truncateJson(Array.from({ length: 400 }, (_, i) => i))).toMatchObject({ cut: true, json: expect.stringMatching(/^\[0,1.*…$/) })
  })

  it('describes the change of a long text by its removed and added words', () => {
    const changed = (from: string, to: string) =>
      markChangedWords({ path: '/x', kind: 'changed', title: 'X', within: null, before: from, after: to })
    expect(changed('short', 'other')).toBeNull()
    expect(changed(`${'a '.repeat(50)}b`, `${'a '.repeat(50)}c`)).toMatch(/\[-b-\]\{\+c\+\}$/)
    expect(changed('x '.repeat(900), 'y '.repeat(900))!.length).toBeLessThanOrEqual(500)
  })
})
