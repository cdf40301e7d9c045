import { describe, expect, it } from 'vitest'
import { addTo, field, leaf, reviewEditedFlow } from './reviewed.ts'
import { pageIn, widgetIn } from './contexts.ts'

type Document = any

describe('review of conditions', () => {
  it('suggests moving a widget behind the question its condition depends on, also to another page', () => {
    const { codes, operations, left } = reviewEditedFlow((d) => {
      addTo(d, 'tickets', field('age', '@custom.age'))
      addTo(d, 'you', { id: 'adults', type: 'text', body: 'Adults', showWhen: { all: [leaf('@custom.age', 'gt', 20)] } })
    })
    expect(codes).toEqual(['F07'])
    expect(operations).toEqual([
      { op: 'move', path: '/flows/attendee/pages/you/widgets/adults', after: 'age', to: '/flows/attendee/pages/tickets/widgets' },
    ])
    expect(left()).toEqual([])
  })

  it('suggests removing comparisons with answers that are never asked, and keeps the rest of the condition', () => {
    const { findings, operations, left } = reviewEditedFlow(
      (d) => void widgetIn(d, 'note').showWhen.all.push(leaf('@participant.company', 'isSet')),
    )
    expect(findings).toMatchObject([{ code: 'F07', message: expect.stringContaining('"Company", which this flow never asks') }])
    expect(JSON.parse(operations[0]!.valueJson!)).toEqual({ all: [leaf('@custom.diet', 'equals', 'other')] })
    expect(left()).toEqual([])
  })

  it('reports no finding for conditions on answers that a member directory fills in', () => {
    const showWhen = { all: [leaf('@participant.company', 'isSet')] }
    const more = { directoryOutputs: new Map([['ams', { tags: [], fills: ['@participant.company'] }]]) }
    expect(reviewEditedFlow((d) => addTo(d, 'member', { id: 'hi', type: 'text', body: 'Hi', showWhen }), more).codes).toEqual([])
  })

  it('suggests a single fix for a condition that is evaluated too early and also contains an invalid comparison', () => {
    const { codes, left } = reviewEditedFlow((d) => {
      widgetIn(d, 'note').showWhen = { all: [leaf('@custom.diet', 'contains', 'other'), leaf('@custom.age', 'gt', 18)] }
    })
    expect(codes).toEqual(['F07', 'F08'])
    expect(left()).toEqual([])
  })

  it.each([
    ['@custom.diet', 'gt', 3, 'more and less apply only to numbers and dates, not to a choice'],
    ['@custom.age', 'contains', '1', '"contains" applies only to texts and lists, not to a number'],
    ['@custom.age', 'equals', 'old', '"old" is not a number'],
    ['@participant.tags', 'contains', 'menber', '"menber" is not among its values'],
    ['@product.adm', 'equals', 'yes', '"yes" is not a number'],
  ])('reports the comparison %s %s %s in a condition as invalid', (binding, op, value, problem) => {
    const { findings } = reviewEditedFlow((d) => {
      addTo(d, 'you', field('age', '@custom.age'))
      addTo(d, 'pay', { id: 'hint', type: 'text', body: 'Hint', showWhen: { all: [leaf(binding, op, value)] } })
    })
    expect(findings).toMatchObject([{ code: 'F08', message: expect.stringContaining(problem) }])
  })

  it.each([
    ['@housing.occupants', 'gt', 1, []],
    ['@housing.occupants', 'equals', '2', []],
    ['@housing.occupants', 'equals', 'two', ['F08']],
    ['@housing.checkIn', 'lt', '2027-05-11', []],
    ['@housing.checkOut', 'gt', '2027-05-13', []],
  ])('reviews the comparison %s %s %s by the type of the housing field, and reports %j', (binding, op, value, expected) => {
    const { codes } = reviewEditedFlow((d) => {
      d.housing = { enabled: true }
      addTo(d, 'you', { id: 'room', type: 'housing' })
      addTo(d, 'pay', { id: 'hint', type: 'text', body: 'Hint', showWhen: { all: [leaf(binding, op, value)] } })
    })
    expect(codes).toEqual(expected)
  })

  it("reports a widget's condition that is always true because of the condition of its page", () => {
    const only = { all: [leaf('@custom.diet', 'equals', 'vegan')] }
    const extra = { code: 'extra', title: 'Extra', showWhen: only, widgets: [{ id: 'hi', type: 'text', body: 'Hi', showWhen: only }] }
    const { findings } = reviewEditedFlow((d) => d.flows[0].pages.splice(1, 0, extra))
    expect(findings).toMatchObject([{ code: 'F03', path: '/flows/attendee/pages/extra/widgets/hi/showWhen' }])
  })

  it('reports no finding for a page that is visible only to participants with a tag given by hand', () => {
    expect(reviewEditedFlow((d) => (pageIn(d, 'member').visibleForTags = { type: 'any', required: ['press'] })).codes).toEqual(['F32'])
  })

  it('reports conditions as undecided when there are too many combinations of answers', () => {
    const choices = ['a', 'b', 'c'].map((code) => ({ code, name: code }))
    const { findings } = reviewEditedFlow((d) => {
      for (let n = 0; n < 25; n++) d.customFields.push({ code: `x${n}`, name: `X${n}`, responseType: 'boolean' })
      for (let n = 0; n < 4; n++) d.customFields.push({ code: `p${n}`, name: `P${n}`, responseType: 'choice', choices })
      const ask = (code: string) => field(code, `@custom.${code}`, { required: true })
      const page = (code: string, widgets: Document[], more = {}) => ({ code, title: code, widgets, ...more })
      // Four distinct answers out of three choices are impossible, and the solver cannot prove it within its budget.
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
        message: expect.stringContaining('to check "Age" on page "q3".'),
      },
      { code: 'F03', level: 'info', path: '/flows/attendee/pages', message: expect.stringContaining('to check page "q3".') },
    ])
    expect(findings.filter(({ level }) => level === 'error')).toEqual([])
  })
})
