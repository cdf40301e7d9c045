import { describe, expect, it } from 'vitest'
import { reviewFlowsSynchronously } from '../../../../../test/support/synchronous-configuration.ts'
import type { ReviewedFlow } from '../review.ts'
import { addTo, field, leaf, reviewEditedFlow } from './reviewed.ts'
import { cleanDocument, pageIn, buildReviewContext, widgetIn } from './contexts.ts'

type Document = any

describe('review of questions', () => {
  it('suggests a question for the last name if a flow asks only for the first name', () => {
    const { operations, left } = reviewEditedFlow((d) =>
      Object.assign(widgetIn(d, 'name'), { type: 'field', binding: '@participant.firstName' }),
    )
    expect(operations.map(({ valueJson }) => JSON.parse(valueJson!))).toEqual([
      { type: 'field', binding: '@participant.lastName', required: true },
    ])
    expect(left()).toEqual([])
  })

  it('reports no finding for a question on two pages if no participant sees both pages', () => {
    const page = (code: string, op: string) => ({
      code,
      title: code,
      showWhen: { all: [leaf('@custom.diet', op, 'vegan')] },
      widgets: [field(`age-${code}`, '@custom.age')],
    })
    expect(reviewEditedFlow((d) => d.flows[0].pages.splice(1, 0, page('vegan', 'equals'), page('others', 'notEquals'))).codes).toEqual([])
    const vegan = { all: [leaf('@custom.diet', 'in', ['vegan', 'other'])] }
    expect(
      reviewEditedFlow((d) => d.flows[0].pages.splice(1, 0, page('vegan', 'equals'), { ...page('some', 'equals'), showWhen: vegan })).codes,
    ).toEqual(['F09'])
  })

  it('suggests no fix that would make a question mandatory for participants who could skip it before', () => {
    const vegan = { all: [leaf('@custom.diet', 'equals', 'vegan')] }
    const repeated = (more: object) =>
      reviewEditedFlow((d) => {
        addTo(d, 'you', field('age', '@custom.age'))
        addTo(d, 'tickets', field('again', '@custom.age', { required: true, ...more }))
      })
    const some = repeated({ showWhen: vegan })
    expect(some.codes).toEqual(['F09'])
    expect(some.operations).toEqual([])
    const optional = repeated({ showWhen: vegan, required: false })
    expect(optional.operations.map(({ op, path }) => [op, path.split('/').slice(-2).join('/')])).toEqual([['remove', 'widgets/again']])
    const all = repeated({})
    expect(all.operations.map(({ op, path }) => [op, path.split('/').slice(-2).join('/')])).toEqual([
      ['set', 'age/required'],
      ['remove', 'widgets/again'],
    ])
    expect(all.left()).toEqual([])
  })

  it('reports no finding for a read-only question that was asked before or has a default', () => {
    const locked = (more: object) =>
      reviewEditedFlow((d) => addTo(d, 'tickets', field('again', '@custom.diet', { required: true, readOnly: true, ...more }))).codes
    expect(locked({})).toEqual([])
    expect(
      reviewEditedFlow((d) => addTo(d, 'you', field('age', '@custom.age', { required: true, readOnly: true, default: 30 }))).codes,
    ).toEqual([])
  })

  it("suggests removing a widget's choices if none of them is valid, and removing a minimum that no answer can reach", () => {
    const none = reviewEditedFlow((d) => {
      d.customFields[0].choices.push({ code: 'halal', name: 'Halal', retired: true })
      widgetIn(d, 'diet').choices = ['halal']
      widgetIn(d, 'note').showWhen = null
    })
    expect(none.codes).toEqual(['F11'])
    expect(none.left()).toEqual([])
    const many = reviewEditedFlow((d) => Object.assign(widgetIn(d, 'tickets'), { selection: 'single', min: 2 }))
    expect(many.codes).toContain('F11')
  })

  it.each([
    ['a widget', (d: Document) => (widgetIn(d, 'note').min = 400), '/flows/attendee/pages/you/widgets/note/min'],
    ['a field', (d: Document) => (d.customFields[1].min = 400), '/customFields/note/min'],
  ])('reports a minimum answer length of %s, which exceeds the maximum length of a text', (_what, edit, path) => {
    const { findings, operations, left } = reviewEditedFlow((d) => void edit(d))
    expect(findings).toMatchObject([
      { code: 'F11', path: '/flows/attendee/pages/you/widgets/note', message: expect.stringContaining('at least 400 and at most 300') },
    ])
    expect(operations).toEqual([{ op: 'remove', path }])
    expect(left()).toEqual([])
  })

  it('reports no finding for a minimum answer length that a long text can reach', () => {
    expect(reviewEditedFlow((d) => void (widgetIn(d, 'health').min = 400)).codes).toEqual([])
  })

  it('reports more than 8 pages if one participant sees them all, but not if they are on different paths', () => {
    const pages = (rule: (n: number) => object) =>
      Array.from({ length: 5 }, (_, n) => ({
        code: `p${n}`,
        title: `P${n}`,
        widgets: [{ id: `t${n}`, type: 'text', body: 'x' }],
        ...rule(n),
      }))
    expect(reviewEditedFlow((d) => d.flows[0].pages.splice(1, 0, ...pages(() => ({})))).codes).toEqual(['F13'])
    const choice = (n: number) => ({ showWhen: { all: [leaf('@custom.diet', 'equals', ['none', 'vegan', 'other'][n % 3])] } })
    expect(reviewEditedFlow((d) => d.flows[0].pages.splice(1, 0, ...pages(choice))).codes).toEqual([])
  })
})

describe('review of pages', () => {
  it('suggests a confirmation page for a flow that ends with a question', () => {
    const { codes, operations, left } = reviewEditedFlow((d) => d.flows[0].pages.pop())
    expect(codes).toEqual(['F05'])
    expect(operations).toMatchObject([{ op: 'insert', path: '/flows/attendee/pages/confirmation' }])
    expect(left()).toEqual([])
  })

  it('reports a confirmation page that some participants never see, unless they see another confirmation page', () => {
    const onlyMembers = (d: Document) => (widgetIn(d, 'thanks').visibleForTags = { type: 'any', required: ['member'] })
    const { findings } = reviewEditedFlow(onlyMembers)
    expect(findings.filter(({ level }) => level === 'error')).toMatchObject([
      { code: 'F05', message: expect.stringContaining('Some participants finish') },
    ])
    const both = reviewEditedFlow((d) => {
      onlyMembers(d)
      addTo(d, 'done', { id: 'go', type: 'redirect', url: 'https://example.org', visibleForTags: { type: 'none', required: ['member'] } })
    })
    expect(both.codes).toEqual([])
  })

  it('suggests removing an empty page, and a unique title for a page that shares its title', () => {
    const { codes, left } = reviewEditedFlow((d) => d.flows[0].pages.splice(1, 0, { code: 'empty', title: 'Empty', widgets: [] }))
    expect(codes).toEqual(['F16'])
    expect(left()).toEqual([])
    const untitled = reviewEditedFlow((d) => {
      pageIn(d, 'pay').title = null
      pageIn(d, 'done').title = 'Pay'
    })
    expect(untitled.operations).toEqual([{ op: 'set', path: '/flows/attendee/pages/pay/title', valueJson: '"Pay (2)"' }])
    expect(untitled.left()).toEqual([])
  })
})

describe('computeFlowStats', () => {
  it('counts the branches of the example flow of the specification', () => {
    const document = cleanDocument()
    document.customFields.push({ code: 'first-time', name: 'First time?', responseType: 'boolean' })
    document.flows[0].pages = [
      {
        code: 'p1',
        title: 'One',
        widgets: [field('diet', '@custom.diet'), field('first', '@custom.first-time'), { ...widgetIn(document, 'note') }],
      },
      {
        code: 'p2',
        title: 'Two',
        showWhen: { all: [leaf('@custom.first-time', 'equals', true)] },
        widgets: [{ id: 'adm', type: 'products', products: ['adm'] }],
      },
    ]
    const [{ stats }] = reviewFlowsSynchronously(buildReviewContext(document)) as [ReviewedFlow]
    // The estimated time is 46 seconds: two pages of 10 seconds, three questions of 6 and a product list of 8.
    expect(stats).toEqual({ pages: 2, widgets: 4, required: 1, conditions: 2, branches: 6, estimatedMinutes: 0.8 })
  })
})
