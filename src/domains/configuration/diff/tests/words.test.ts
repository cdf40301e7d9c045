import { describe, expect, it } from 'vitest'
import type { ConfigDocument } from '../../schema/event-config.ts'
import { diffDocuments } from '../diff.ts'
import { inText, shownJson, shownWords, summarize } from '../words.ts'
import { wordDiff } from '../word-diff.ts'

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

describe('inText', () => {
  it('tells changes by section, as people would', () => {
    expect(inText(diffDocuments(before, after))).toBe(`Tags
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

  it('tells the way back too', () => {
    const text = inText(diffDocuments(after, before))
    expect(text).toContain('- Removed tag "Press" (/tags/press)')
    expect(text).toContain('- Removed the capacity of "Gala dinner" (/products/gala/capacity): 80')
    expect(text).toContain('- Moved page "Contact" of flow "Attendee" behind program (/flows/attendee/pages/contact)')
  })

  it('is not led astray by names that hold its own words', () => {
    const named = (name: string, titles: string[]): ConfigDocument => ({
      details,
      flows: [{ slug: 'f', name, pages: titles.map((title) => ({ code: title.toLowerCase().replaceAll(' ', '-'), title, widgets: [] })) }],
    })
    const changes = diffDocuments(named('Day of days', ['Queen of Hearts', 'End']), named('Day of days', ['End', 'Queen of Hearts']))
    expect(inText(changes)).toContain('Moved page "End" to the front of flow "Day of days"')
  })
})

describe('summarize', () => {
  it('counts by section and kind', () => {
    const none = { added: 0, removed: 0, changed: 0, moved: 0, renamed: 0 }
    expect(summarize(diffDocuments(before, after))).toEqual({
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

describe('wordDiff', () => {
  it('marks words that went and came', () => {
    expect(wordDiff('The old hall opens at nine.', 'The new hall opens at nine, sharp.')).toBe(
      'The [-old-]{+new+} hall opens at nine{+, sharp+}.',
    )
  })

  it('shows of what stayed only what surrounds the changes', () => {
    const long = 'word '.repeat(1000)
    const shown = wordDiff(`${long}old ${long}`, `${long}new ${long}`)
    expect(shown).toMatch(/^…(word )+\[-old-\]\{\+new\+\}( word)+.*…$/)
    expect(shown.length).toBeLessThan(120)
  })
})

describe('shown values', () => {
  it('are cut at 500 characters; a text stays JSON', () => {
    expect(shownJson({ b: 1, a: 2 })).toEqual({ json: '{"a":2,"b":1}', cut: false })
    const { json, cut } = shownJson('"🎉\n'.repeat(400))
    expect([cut, json.length <= 500, json.length > 480]).toEqual([true, true, true])
    expect(JSON.parse(json)).toMatch(/…$/)
    expect(shownJson(Array.from({ length: 400 }, (_, i) => i))).toMatchObject({ cut: true, json: expect.stringMatching(/^\[0,1.*…$/) })
  })

  it('come with a word diff where texts are long', () => {
    const changed = (from: string, to: string) =>
      shownWords({ path: '/x', kind: 'changed', title: 'X', within: null, before: from, after: to })
    expect(changed('short', 'other')).toBeNull()
    expect(changed(`${'a '.repeat(50)}b`, `${'a '.repeat(50)}c`)).toMatch(/\[-b-\]\{\+c\+\}$/)
    expect(changed('x '.repeat(900), 'y '.repeat(900))!.length).toBeLessThanOrEqual(500)
  })
})
