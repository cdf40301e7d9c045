import { describe, expect, it } from 'vitest'
import { FEEDBACK_TOOLS } from '../../src/feedback-tools/index.ts'
import { runTaskSynchronously } from '../../src/kernel/cooperative.ts'
import { PARTICIPANT_TOOLS } from '../../src/participant-tools/index.ts'
import { buildSearchExcerpt } from '../../src/surfaces/web/docs/excerpt.ts'
import { renderDocPages } from '../../src/surfaces/web/docs/library.ts'
import { docsSearch } from '../../src/surfaces/web/docs/search.ts'
import { listSearchTerms } from '../../src/surfaces/web/docs/terms.ts'
import { ALL_TOOLSETS } from '../../src/toolsets/index.ts'

const SERVED = { toolsets: ALL_TOOLSETS, participant: PARTICIPANT_TOOLS, feedback: FEEDBACK_TOOLS }
const pages = runTaskSynchronously(renderDocPages('https://events.example', SERVED))
const search = runTaskSynchronously(docsSearch(pages))
const found = (query: string) => search(query).hits.map(({ href }) => href)

const SUBSTITUTE = '/docs/tools/registration/substitute_participant'
const PAYMENT = '/docs/tools/registration/record_manual_payment'

describe('documentation search', () => {
  it('finds tools, error codes and words in the documentation, with matching tool names first', () => {
    expect(found('list_events')[0]).toBe('/docs/tools/clients/list_events')
    expect(found('precondition_failed')[0]).toBe('/docs/errors#precondition_failed')
    expect(found('REFRESH token')).toContain('/docs/limits#sign-in')
    expect(found('Webhooks')[0]).toBe('/docs/webhooks')
  })

  it('accepts search words in any order, and the beginnings of words', () => {
    for (const query of ['record manual payment', 'payment manual record', 'manual payment', 'manual paym', 'PAYMENT, manual!']) {
      expect([query, found(query)[0]]).toEqual([query, PAYMENT])
    }
    for (const query of ['substit', 'substitute_part', 'substitute part']) expect([query, found(query)[0]]).toEqual([query, SUBSTITUTE])
  })

  it('tolerates missing, added, replaced and swapped letters at any position of a word', () => {
    for (const query of ['substitue_participant', 'subsstitute_participant', 'substitude_participant', 'usbstitute_participant', 'substitute_participnat'])
      expect([query, found(query)[0]]).toEqual([query, SUBSTITUTE])
    for (const query of ['waitlsit', 'wiatlist', 'waitlistt', 'waitllist', 'waytlist'])
      expect([query, found(query)]).toEqual([query, expect.arrayContaining(['/docs/tools/registration/promote_waitlist_entries'])])
    expect(search('wiatlist').taken).toEqual([{ typed: 'wiatlist', meant: 'waitlist' }])
    // A word that exists in the index is never corrected.
    expect(search('waitlist').taken).toEqual([])
  })

  it('ignores a search word that occurs nowhere, and ranks sections with all words first', () => {
    expect(found('xyzzyplugh record manual payment')[0]).toBe(PAYMENT)
    const both = found('booth map')
    expect(both[0]).toBe('/docs/tools/participant/get_booth_map')
    expect(both.length).toBeGreaterThan(1)
  })

  it('shows the name of a tool or the heading of a section as the title of a result', () => {
    const named = (query: string, href: string) => {
      const { name, where } = search(query).hits.find((hit) => hit.href === href)!
      return [name, where]
    }
    expect(named('substitute_participant', SUBSTITUTE)).toEqual(['substitute_participant', 'in Tools'])
    expect(named('precondition_failed', '/docs/errors#precondition_failed')).toEqual(['precondition_failed', 'in Errors'])
    expect(named('replacementParticipantId', `${SUBSTITUTE}#arguments`)).toEqual(['substitute_participant', 'in Tools, under Arguments'])
    // Names in examples are not indexed.
    expect(found('Nordlicht')).toEqual([])
  })

  it('lists each found tool once, and excludes pages that only list other pages', () => {
    const hits = found('participant')
    const tools = hits.filter((href) => href.startsWith('/docs/tools/')).map((href) => href.split('#')[0])
    expect(tools.length).toBeGreaterThan(3)
    expect(new Set(tools).size).toBe(tools.length)
    for (const group of pages.filter(({ lists }) => lists)) expect(hits.filter((href) => href.startsWith(`${group.path}#`))).toEqual([])
  })

  it('returns suggestions instead of results for unknown search words', () => {
    expect(search('xyzzyplugh')).toEqual({ hits: [], total: 0, taken: [], instead: [] })
    expect(search('')).toEqual({ hits: [], total: 0, taken: [], instead: [] })
    expect(search('?!')).toEqual({ hits: [], total: 0, taken: [], instead: [] })
  })

  it('returns the best search results with the number of all results', () => {
    const { hits, total } = search('event')
    expect(hits).toHaveLength(30)
    expect(total).toBeGreaterThan(30)
  })

  it('shows excerpts of search results without markup and with highlighted matches', () => {
    for (const query of ['payment', 'confirmToken', 'dry run', 'webhook signature', 'toolsets', 'eventCode'])
      for (const { href, excerpt } of search(query).hits) {
        const text = excerpt.map((part) => part.text).join('')
        expect([href, text]).toEqual([href, expect.not.stringMatching(/\*\*|\]\(|\|---|```|\n| {2}/)])
        expect(text.length).toBeLessThan(240)
      }
    const marked = search('payments').hits.flatMap(({ excerpt }) => excerpt.filter((part) => part.marked).map((part) => part.text.toLowerCase()))
    expect(marked.length).toBeGreaterThan(3)
    for (const word of marked) expect(word).toContain('payment')
  })
})

describe('excerpts of documentation search results', () => {
  const wanted = (...words: string[]) => new Set(words)

  it('starts and ends a search excerpt with whole words around the first match in the text', () => {
    const long = `${'before '.repeat(40)}the Needle, ${'after '.repeat(80)}`
    const parts = buildSearchExcerpt(long, wanted('needle'))
    const text = parts.map((part) => part.text).join('')
    expect(text).toMatch(/^… (before )+the Needle, (after )+…$/)
    expect(parts.filter((part) => part.marked)).toEqual([{ text: 'Needle', marked: true }])
  })

  it('uses the whole text as excerpt if the text is short, and the beginning of the text if no word matches', () => {
    expect(buildSearchExcerpt(' A  short\none. ', wanted('none'))).toEqual([{ text: 'A short one.', marked: false }])
    expect(buildSearchExcerpt('', wanted('none'))).toEqual([])
    expect(buildSearchExcerpt('word '.repeat(100), wanted('none'))[0]!.text).toMatch(/^word .*word …$/)
  })
})

describe('terms of a documentation search', () => {
  it('splits text into search terms without case and accents, and compound names into their parts', () => {
    expect(listSearchTerms('List_events eventCode Über-uns @custom.diet')).toEqual([
      'list_events',
      'list',
      'events',
      'eventcode',
      'event',
      'code',
      'uber',
      'uns',
      'custom',
      'diet',
    ])
  })
})
