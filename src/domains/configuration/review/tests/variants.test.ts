import { describe, expect, it } from 'vitest'
import { reviewFlows } from '../../../../../test/support/at-once.ts'
import type { ReviewedFlow } from '../review.ts'
import type { Finding, Scene } from '../scene.ts'
import { after, cleanDocument, pageIn, sceneOf, widgetIn } from './scenes.ts'

type Document = any

const findingsIn = (scene: Scene): Finding[] => reviewFlows(scene).flatMap(({ findings }) => findings)

function reviewed(edit: (document: Document) => void, more: Parameters<typeof sceneOf>[1] = {}) {
  const document = cleanDocument()
  edit(document)
  const scene = sceneOf(document, more)
  const findings = findingsIn(scene)
  const operations = findings.flatMap(({ suggestion }) => suggestion?.operations ?? [])
  return {
    findings,
    codes: findings.map(({ code }) => code),
    messages: findings.map(({ message }) => message).join('\n'),
    operations,
    left: () => findingsIn(after(scene, operations)).map(({ code }) => code),
  }
}

const leaf = (binding: string, op: string, value?: unknown) => ({ binding, op, ...(value === undefined ? {} : { value }) })
const field = (id: string, binding: string, more: object = {}) => ({ id, type: 'field', binding, ...more })
const addTo = (document: Document, page: string, ...widgets: Document[]) => void pageIn(document, page).widgets.push(...widgets)

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

describe('questions', () => {
  it('the last name alone is asked for by a field of its own', () => {
    const { operations, left } = reviewed((d) => Object.assign(widgetIn(d, 'name'), { type: 'field', binding: '@participant.firstName' }))
    expect(operations.map(({ valueJson }) => JSON.parse(valueJson!))).toEqual([
      { type: 'field', binding: '@participant.lastName', required: true },
    ])
    expect(left()).toEqual([])
  })

  it('the same question on pages of which people see one is asked once', () => {
    const page = (code: string, op: string) => ({
      code,
      title: code,
      showWhen: { all: [leaf('@custom.diet', op, 'vegan')] },
      widgets: [field(`age-${code}`, '@custom.age')],
    })
    expect(reviewed((d) => d.flows[0].pages.splice(1, 0, page('vegan', 'equals'), page('others', 'notEquals'))).codes).toEqual([])
    const vegan = { all: [leaf('@custom.diet', 'in', ['vegan', 'other'])] }
    expect(
      reviewed((d) => d.flows[0].pages.splice(1, 0, page('vegan', 'equals'), { ...page('some', 'equals'), showWhen: vegan })).codes,
    ).toEqual(['F09'])
  })

  it('a question that only some must answer does not become a must for everybody', () => {
    const vegan = { all: [leaf('@custom.diet', 'equals', 'vegan')] }
    const repeated = (more: object) =>
      reviewed((d) => {
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

  it('a locked question is fine when it was asked before or has a default', () => {
    const locked = (more: object) =>
      reviewed((d) => addTo(d, 'tickets', field('again', '@custom.diet', { required: true, readOnly: true, ...more }))).codes
    expect(locked({})).toEqual([])
    expect(reviewed((d) => addTo(d, 'you', field('age', '@custom.age', { required: true, readOnly: true, default: 30 }))).codes).toEqual([])
  })

  it('choices of which none is left go, and so does a number that cannot be reached', () => {
    const none = reviewed((d) => {
      d.customFields[0].choices.push({ code: 'halal', name: 'Halal', retired: true })
      widgetIn(d, 'diet').choices = ['halal']
      widgetIn(d, 'note').showWhen = null
    })
    expect(none.codes).toEqual(['F11'])
    expect(none.left()).toEqual([])
    const many = reviewed((d) => Object.assign(widgetIn(d, 'tickets'), { selection: 'single', min: 2 }))
    expect(many.codes).toContain('F11')
  })

  it.each([
    ['a widget', (d: Document) => (widgetIn(d, 'note').min = 400), '/flows/attendee/pages/you/widgets/note/min'],
    ['a field', (d: Document) => (d.customFields[1].min = 400), '/customFields/note/min'],
  ])('no text is as long as %s wants it when that is more than texts can have', (_what, edit, path) => {
    const { findings, operations, left } = reviewed((d) => void edit(d))
    expect(findings).toMatchObject([
      { code: 'F11', path: '/flows/attendee/pages/you/widgets/note', message: expect.stringContaining('at least 400 and at most 300') },
    ])
    expect(operations).toEqual([{ op: 'remove', path }])
    expect(left()).toEqual([])
  })

  it('a long text may be as long as long texts are', () => {
    expect(reviewed((d) => void (widgetIn(d, 'health').min = 400)).codes).toEqual([])
  })

  it('more than 8 pages on one way are too many, on several ways they are not', () => {
    const pages = (rule: (n: number) => object) =>
      Array.from({ length: 5 }, (_, n) => ({
        code: `p${n}`,
        title: `P${n}`,
        widgets: [{ id: `t${n}`, type: 'text', body: 'x' }],
        ...rule(n),
      }))
    expect(reviewed((d) => d.flows[0].pages.splice(1, 0, ...pages(() => ({})))).codes).toEqual(['F13'])
    const choice = (n: number) => ({ showWhen: { all: [leaf('@custom.diet', 'equals', ['none', 'vegan', 'other'][n % 3])] } })
    expect(reviewed((d) => d.flows[0].pages.splice(1, 0, ...pages(choice))).codes).toEqual([])
  })
})

describe('pages', () => {
  it('a flow that ends with a question gets a page for its confirmation', () => {
    const { codes, operations, left } = reviewed((d) => d.flows[0].pages.pop())
    expect(codes).toEqual(['F05'])
    expect(operations).toMatchObject([{ op: 'insert', path: '/flows/attendee/pages/confirmation' }])
    expect(left()).toEqual([])
  })

  it('a confirmation that some never see is not enough; one for each is', () => {
    const onlyMembers = (d: Document) => (widgetIn(d, 'thanks').visibleForTags = { type: 'any', required: ['member'] })
    const { findings } = reviewed(onlyMembers)
    expect(findings.filter(({ level }) => level === 'error')).toMatchObject([
      { code: 'F05', message: expect.stringContaining('Some people finish') },
    ])
    const both = reviewed((d) => {
      onlyMembers(d)
      addTo(d, 'done', { id: 'go', type: 'redirect', url: 'https://example.org', visibleForTags: { type: 'none', required: ['member'] } })
    })
    expect(both.codes).toEqual([])
  })

  it('an empty page goes, and a page without a title gets one that no other has', () => {
    const { codes, left } = reviewed((d) => d.flows[0].pages.splice(1, 0, { code: 'empty', title: 'Empty', widgets: [] }))
    expect(codes).toEqual(['F16'])
    expect(left()).toEqual([])
    const untitled = reviewed((d) => {
      pageIn(d, 'pay').title = null
      pageIn(d, 'done').title = 'Pay'
    })
    expect(untitled.operations).toEqual([{ op: 'set', path: '/flows/attendee/pages/pay/title', valueJson: '"Pay (2)"' }])
    expect(untitled.left()).toEqual([])
  })
})

describe('products and prices', () => {
  it('a page with nothing but a payment goes with it, and free people need none', () => {
    const { codes, operations, left } = reviewed((d) => {
      for (const product of d.products) product.prices = [{ amount: '0.00' }]
      pageIn(d, 'tickets').widgets.push(...pageIn(d, 'pay').widgets.splice(0, 1))
    })
    expect(codes).toEqual(['F20'])
    expect(operations).toEqual([{ op: 'remove', path: '/flows/attendee/pages/pay' }])
    expect(left()).toEqual([])
  })

  it('the tiers of the specification neither tie nor leave a gap', () => {
    const prices = [
      { amount: '600.00', until: '2027-03-31' },
      { amount: '750.00', from: '2027-04-01' },
      { amount: '450.00', tags: ['member'] },
      { amount: '520.00', from: '2027-04-01', tags: ['member'] },
    ]
    expect(reviewed((d) => (d.products[0].prices = prices)).codes).toEqual([])
  })

  it('a price that ends before the flow closes, and one that begins after it opens, leave a gap', () => {
    const early = reviewed((d) => (d.products[1].prices = [{ amount: '80.00', until: '2027-04-30' }]))
    expect(early.messages).toContain('no price from 2027-05-01 on')
    expect(early.left()).toEqual([])
    const late = reviewed((d) => (d.products[1].prices = [{ amount: '80.00', from: '2027-02-01' }]))
    expect(late.messages).toContain('no price before 2027-02-01')
    expect(late.left()).toEqual([])
  })

  it('of two prices that begin together the dearer one takes over when the other ends', () => {
    const { codes, operations, left } = reviewed(
      (d) => (d.products[1].prices = [{ amount: '90.00' }, { amount: '80.00', until: '2027-02-28' }]),
    )
    expect(codes).toEqual(['F22'])
    expect(JSON.parse(operations[0]!.valueJson!)).toEqual([
      { amount: '90.00', from: '2027-03-01' },
      { amount: '80.00', until: '2027-02-28' },
    ])
    expect(left()).toEqual([])
  })

  it('a list that members alone can use is for members, on a page of theirs it is fine', () => {
    const rule = { type: 'any', required: ['member'] }
    const membersOnly = (d: Document) => {
      d.products.push({ code: 'lounge', name: 'Lounge', category: 'other', prices: [{ amount: '5.00' }], visibleForTags: rule })
      return { id: 'lounge', type: 'products', products: ['lounge'], min: 1 }
    }
    expect(reviewed((d) => addTo(d, 'tickets', membersOnly(d))).codes).toEqual(['F18'])
    expect(reviewed((d) => addTo(d, 'member', membersOnly(d))).codes).toEqual([])
  })

  it('a product that not everybody is offered cannot be required of everybody', () => {
    const rule = { type: 'any', required: ['member'] }
    const { findings } = reviewed((d) => (d.products[0].visibleForTags = rule))
    expect(findings).toMatchObject([{ code: 'F23', message: expect.stringContaining('some people who see it are not offered that') }])
    expect(reviewed((d) => d.products.forEach((product: Document) => (product.visibleForTags = rule))).codes).not.toContain('F23')
    const onPage = reviewed((d) => {
      d.products[0].visibleForTags = rule
      pageIn(d, 'tickets').visibleForTags = rule
    })
    expect(onPage.codes).toEqual([])
  })

  it('what is sold out cannot be required', () => {
    const { findings } = reviewed(() => {}, { soldOut: new Set(['adm']) })
    expect(findings).toMatchObject([{ code: 'F24', message: '"Admission", which "Dinner" requires, is sold out.' }])
  })
})

describe('surroundings', () => {
  const states = (status: 'draft' | 'failing', onFailure: 'allow' | 'block') => ({
    around: { connections: new Map([['ams', { status, onFailure }]]), files: new Map() },
  })

  it('a connection that is not ready is an error, or a warning where people go on without', () => {
    expect(reviewed(() => {}, states('failing', 'block')).findings).toMatchObject([{ code: 'F27', level: 'error' }])
    expect(reviewed(() => {}, states('failing', 'allow')).findings).toMatchObject([{ code: 'F27', level: 'warning' }])
  })

  it('a directory that is asked by email must know it before the prices', () => {
    const more = { gives: new Map([['ams', { tags: ['member'], fills: [] }]]) }
    const own = (d: Document) => {
      d.flows[0].directory = 'ams'
      pageIn(d, 'you').widgets.shift()
    }
    expect(reviewed(own, more).codes).toEqual([])
    const late = reviewed((d) => {
      own(d)
      const [email] = pageIn(d, 'you').widgets.splice(1, 1)
      pageIn(d, 'tickets').widgets.push(email)
    }, more)
    expect(late.codes).toContain('F28')
  })

  it('the fitting email is proposed where none or another one is named', () => {
    for (const named of [null, 'other']) {
      const { codes, left } = reviewed((d) => {
        d.emails.push({ code: 'other', name: 'Other', trigger: 'payment.received', subject: 'Paid' })
        d.flows[0].confirmationEmail = named
      })
      expect(codes).toEqual(['F29'])
      expect(left()).toEqual([])
    }
  })

  it('guests are switched on, invited people on a list need no code', () => {
    const guests = reviewed((d) => addTo(d, 'member', { id: 'guests', type: 'guests' }))
    expect(guests.codes).toEqual(['F33'])
    expect(guests.left()).toEqual([])
    expect(reviewed((d) => (d.flows[0].inviteOnly = true), { inviteLists: true }).codes).toEqual([])
  })
})

describe('figures of a flow', () => {
  it('counts the branches of the worked example', () => {
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
    const [{ stats }] = reviewFlows(sceneOf(document)) as [ReviewedFlow]
    // Two pages of 10 seconds, three questions of 6 and a product list of 8 are 46 seconds.
    expect(stats).toEqual({ pages: 2, widgets: 4, required: 1, conditions: 2, branches: 6, estimatedMinutes: 0.8 })
  })
})
