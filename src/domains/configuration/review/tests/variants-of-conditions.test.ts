import { describe, expect, it } from 'vitest'
import { addTo, field, leaf, reviewed } from './reviewed.ts'
import { pageIn, widgetIn } from './scenes.ts'

type Document = any

describe('conditions', () => {
  it('a widget goes behind the question it waits for, also to another page', () => {
    const { codes, operations, left } = reviewed((d) => {
      addTo(d, 'tickets', field('age', '@custom.age'))
      addTo(d, 'you', { id: 'adults', type: 'text', body: 'Adults', showWhen: { all: [leaf('@custom.age', 'gt', 20)] } })
    })
    expect(codes).toEqual(['F07'])
    expect(operations).toEqual([
      { op: 'move', path: '/flows/attendee/pages/you/widgets/adults', after: 'age', to: '/flows/attendee/pages/tickets/widgets' },
    ])
    expect(left()).toEqual([])
  })

  it('what is never asked is taken out of a condition, and the rest stays', () => {
    const { findings, operations, left } = reviewed(
      (d) => void widgetIn(d, 'note').showWhen.all.push(leaf('@participant.company', 'isSet')),
    )
    expect(findings).toMatchObject([{ code: 'F07', message: expect.stringContaining('"Company", which this flow never asks') }])
    expect(JSON.parse(operations[0]!.valueJson!)).toEqual({ all: [leaf('@custom.diet', 'equals', 'other')] })
    expect(left()).toEqual([])
  })

  it('what a directory fills in is known without a question', () => {
    const showWhen = { all: [leaf('@participant.company', 'isSet')] }
    const more = { gives: new Map([['ams', { tags: [], fills: ['@participant.company'] }]]) }
    expect(reviewed((d) => addTo(d, 'member', { id: 'hi', type: 'text', body: 'Hi', showWhen }), more).codes).toEqual([])
  })

  it('a condition that looks too far ahead at something that does not fit is mended in one go', () => {
    const { codes, left } = reviewed((d) => {
      widgetIn(d, 'note').showWhen = { all: [leaf('@custom.diet', 'contains', 'other'), leaf('@custom.age', 'gt', 18)] }
    })
    expect(codes).toEqual(['F07', 'F08'])
    expect(left()).toEqual([])
  })

  it.each([
    ['@custom.diet', 'gt', 3, 'more and less are for numbers and dates, not for a choice'],
    ['@custom.age', 'contains', '1', '"contains" is for texts and lists, not for a number'],
    ['@custom.age', 'equals', 'old', '"old" is not a number'],
    ['@participant.tags', 'contains', 'menber', '"menber" is not among its values'],
    ['@product.adm', 'equals', 'yes', '"yes" is not a number'],
  ])('%s %s %s does not fit', (binding, op, value, says) => {
    const { findings } = reviewed((d) => {
      addTo(d, 'you', field('age', '@custom.age'))
      addTo(d, 'pay', { id: 'hint', type: 'text', body: 'Hint', showWhen: { all: [leaf(binding, op, value)] } })
    })
    expect(findings).toMatchObject([{ code: 'F08', message: expect.stringContaining(says) }])
  })

  it.each([
    ['@housing.occupants', 'gt', 1, []],
    ['@housing.occupants', 'equals', '2', []],
    ['@housing.occupants', 'equals', 'two', ['F08']],
    ['@housing.checkIn', 'lt', '2027-05-11', []],
    ['@housing.checkOut', 'gt', '2027-05-13', []],
  ])('%s %s %s is compared as what is asked of a room: %j', (binding, op, value, expected) => {
    const { codes } = reviewed((d) => {
      d.housing = { enabled: true }
      addTo(d, 'you', { id: 'room', type: 'housing' })
      addTo(d, 'pay', { id: 'hint', type: 'text', body: 'Hint', showWhen: { all: [leaf(binding, op, value)] } })
    })
    expect(codes).toEqual(expected)
  })

  it('what the page decides already decides nothing on its widgets', () => {
    const only = { all: [leaf('@custom.diet', 'equals', 'vegan')] }
    const extra = { code: 'extra', title: 'Extra', showWhen: only, widgets: [{ id: 'hi', type: 'text', body: 'Hi', showWhen: only }] }
    const { findings } = reviewed((d) => d.flows[0].pages.splice(1, 0, extra))
    expect(findings).toMatchObject([{ code: 'F03', path: '/flows/attendee/pages/extra/widgets/hi/showWhen' }])
  })

  it('a page that people with a tag from an organizer would see is not out of reach', () => {
    expect(reviewed((d) => (pageIn(d, 'member').visibleForTags = { type: 'any', required: ['press'] })).codes).toEqual(['F32'])
  })

  it('says so when there are too many combinations to decide', () => {
    const choices = ['a', 'b', 'c'].map((code) => ({ code, name: code }))
    const { findings } = reviewed((d) => {
      for (let n = 0; n < 25; n++) d.customFields.push({ code: `x${n}`, name: `X${n}`, responseType: 'boolean' })
      for (let n = 0; n < 4; n++) d.customFields.push({ code: `p${n}`, name: `P${n}`, responseType: 'choice', choices })
      const ask = (code: string) => field(code, `@custom.${code}`, { required: true })
      const page = (code: string, widgets: Document[], more = {}) => ({ code, title: code, widgets, ...more })
      // Nobody can give four different answers out of three, and whether somebody could depends on nothing else.
      const either = Array.from({ length: 25 }, (_, n) => ({
        any: [leaf(`@custom.x${n}`, 'equals', true), leaf(`@custom.x${n}`, 'notEquals', true)],
      }))
      const different = [0, 1, 2, 3].flatMap((a) =>
        [0, 1, 2, 3]
          .filter((b) => b < a)
          .flatMap((b) =>
            ['a', 'b', 'c'].map((c) => ({ any: [leaf(`@custom.p${a}`, 'notEquals', c), leaf(`@custom.p${b}`, 'notEquals', c)] })),
          ),
      )
      const last = page('q3', [field('age', '@custom.age', { required: true, showWhen: { all: different } })], {
        showWhen: { all: either },
      })
      const xs = Array.from({ length: 25 }, (_, n) => ask(`x${n}`))
      d.flows[0].pages.splice(
        1,
        0,
        page('q0', xs.slice(0, 13)),
        page('q1', xs.slice(13)),
        page(
          'q2',
          [0, 1, 2, 3].map((n) => ask(`p${n}`)),
        ),
        last,
      )
    })
    expect(findings.filter(({ message }) => message.startsWith('undecided'))).toEqual([
      {
        code: 'F02',
        level: 'info',
        path: '/flows/attendee/pages',
        message: expect.stringContaining('work this out for "Age" on page "q3".'),
      },
      { code: 'F03', level: 'info', path: '/flows/attendee/pages', message: expect.stringContaining('work this out for page "q3".') },
    ])
    expect(findings.filter(({ level }) => level === 'error')).toEqual([])
  })
})
