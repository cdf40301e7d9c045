import { describe, expect, it } from 'vitest'
import { reviewIssues } from '../issues.ts'
import { reviewFlows } from '../../../../../test/support/at-once.ts'
import { CHECKS, type Scene } from '../scene.ts'
import { after, cleanDocument, pageIn, sceneOf, translated, widgetIn } from './scenes.ts'

type Document = any
interface Broken {
  level?: 'error' | 'warning' | 'info'
  /** Where the finding stands, below /flows/attendee unless it begins with /. */
  path: string
  says: RegExp
  /** Whether following the suggestion mends it; false where there is none. */
  mended: boolean
  break: (document: Document) => unknown
  more?: Parameters<typeof sceneOf>[1]
}

const onPage = (document: Document, code: string, ...widgets: Document[]) => void pageIn(document, code).widgets.push(...widgets)
const when = (binding: string, op: string, value?: unknown) => ({ all: [{ binding, op, ...(value === undefined ? {} : { value }) }] })
const flowOf = (document: Document) => document.flows[0]

const two = (binding: string) => ({
  all: [
    { binding, op: 'equals', value: 'vegan' },
    { binding, op: 'equals', value: 'none' },
  ],
})

/** One way to break each check, and only that one. */
const BROKEN: Record<string, Broken> = {
  F01: {
    path: 'pages',
    says: /never asks for the first name, last name and email/,
    mended: true,
    break: (d) => void (pageIn(d, 'you').widgets = pageIn(d, 'you').widgets.filter(({ id }: Document) => id !== 'name' && id !== 'email')),
  },
  F02: {
    path: 'pages/you/widgets/note',
    says: /must be answered, but nobody can ever see it/,
    mended: false,
    break: (d) => void (widgetIn(d, 'note').showWhen = two('@custom.diet')),
  },
  F03: {
    level: 'warning',
    path: 'pages/you/widgets/note/showWhen',
    says: /always true/,
    mended: true,
    break: (d) => void (widgetIn(d, 'note').showWhen = when('@custom.diet', 'in', ['none', 'vegan', 'other'])),
  },
  F04: {
    path: 'pages/member',
    says: /Nobody can ever get to page "For members"/,
    mended: false,
    break: (d) => void (pageIn(d, 'member').showWhen = two('@custom.diet')),
  },
  F05: {
    path: 'pages',
    says: /ends on page "Done" without a confirmation/,
    mended: true,
    break: (d) => void (pageIn(d, 'done').widgets = [{ id: 'bye', type: 'text', body: 'Bye' }]),
  },
  F06: {
    level: 'warning',
    path: 'pages/done/widgets/thanks',
    says: /other widgets stand below it/,
    mended: true,
    break: (d) => onPage(d, 'done', { id: 'bye', type: 'text', body: 'Bye' }),
  },
  F07: {
    path: 'pages/member/showWhen',
    says: /looks at the product "Admission", which is only asked later/,
    mended: true,
    break: (d) => void (pageIn(d, 'member').showWhen = when('@product.adm', 'isSet')),
  },
  F08: {
    path: 'pages/you/widgets/note/showWhen',
    says: /"othr" is not among its values/,
    mended: true,
    break: (d) => void (widgetIn(d, 'note').showWhen = when('@custom.diet', 'equals', 'othr')),
  },
  F09: {
    level: 'warning',
    path: 'pages/tickets/widgets/again',
    says: /asks again for "Diet", which "Diet" on page "About you" has asked already/,
    mended: true,
    break: (d) => onPage(d, 'tickets', { id: 'again', type: 'field', binding: '@custom.diet' }),
  },
  F10: {
    level: 'warning',
    path: 'pages/you/widgets/locked',
    says: /cannot be edited, and nothing fills it in/,
    mended: true,
    break: (d) => onPage(d, 'you', { id: 'locked', type: 'field', binding: '@custom.age', required: true, readOnly: true }),
  },
  F11: {
    level: 'warning',
    path: 'pages/you/widgets/age',
    says: /at least 100 and at most 99 is wanted/,
    mended: true,
    break: (d) => onPage(d, 'you', { id: 'age', type: 'field', binding: '@custom.age', min: 100 }),
  },
  F12: {
    level: 'info',
    path: 'pages/member/widgets/health',
    says: /"Health" on page "For members" is a sensitive question/,
    mended: false,
    break: (d) => void delete d.customFields[3].help,
  },
  F13: {
    level: 'warning',
    path: 'pages/member',
    says: /asks up to 16 things at once/,
    mended: false,
    break: (d) => {
      for (let n = 0; n < 15; n++) {
        d.customFields.push({ code: `q${n}`, name: `Question ${n}`, responseType: 'text' })
        onPage(d, 'member', { id: `q${n}`, type: 'field', binding: `@custom.q${n}` })
      }
    },
  },
  F14: {
    level: 'warning',
    path: 'pages/member/widgets/banner',
    says: /no alternative text .* although it is a link/,
    mended: true,
    break: (d) =>
      void Object.assign(widgetIn(d, 'banner'), { alt: null, decorative: true, link: 'https://example.org', caption: 'Dinner' }),
  },
  F15: {
    level: 'warning',
    path: 'pages/pay',
    says: /same title, "tickets"/,
    mended: true,
    break: (d) => void (pageIn(d, 'pay').title = 'tickets'),
  },
  F16: {
    level: 'info',
    path: 'pages/extra',
    says: /Some people see page "Extra" with nothing on it/,
    mended: false,
    break: (d) =>
      void flowOf(d).pages.splice(1, 0, {
        code: 'extra',
        title: 'Extra',
        widgets: [{ id: 'hint', type: 'text', body: 'Hint', showWhen: when('@custom.diet', 'equals', 'vegan') }],
      }),
  },
  F17: {
    level: 'warning',
    path: 'pages/you/widgets/diet',
    says: /offers halal, which is retired/,
    mended: true,
    break: (d) => {
      d.customFields[0].choices.push({ code: 'halal', name: 'Halal', retired: true })
      widgetIn(d, 'diet').choices = ['none', 'vegan', 'other', 'halal']
    },
  },
  F18: {
    path: 'pages/tickets/widgets/tickets',
    says: /nothing to offer to people without a tag/,
    mended: false,
    break: (d) => {
      d.products[0].visibleForTags = { type: 'any', required: ['member'] }
      d.products[1].visibleForTags = { type: 'any', required: ['member'] }
    },
  },
  F19: {
    path: 'pages/tickets/widgets/tickets',
    says: /can choose "Admission" and "Dinner" .* costs money, but the flow has no payment/,
    mended: true,
    break: (d) => void (pageIn(d, 'pay').widgets = pageIn(d, 'pay').widgets.filter(({ id }: Document) => id !== 'payment')),
  },
  F20: {
    level: 'warning',
    path: 'pages/pay/widgets/payment',
    says: /nothing in this flow can cost money/,
    mended: true,
    break: (d) => d.products.forEach((product: Document) => (product.prices = [{ amount: '0.00' }])),
  },
  F21: {
    level: 'warning',
    path: '/products/dinner/prices',
    says: /"Dinner" has no price from 2027-03-01 to 2027-03-31/,
    mended: true,
    break: (d) =>
      void (d.products[1].prices = [
        { amount: '80.00', until: '2027-02-28' },
        { amount: '90.00', from: '2027-04-01' },
      ]),
  },
  F22: {
    level: 'warning',
    path: '/products/dinner/prices',
    says: /rows 1 and 2 \(80.00 and 90.00\)/,
    mended: true,
    break: (d) => void d.products[1].prices.push({ amount: '90.00' }),
  },
  F23: {
    path: 'pages/tickets/widgets/tickets',
    says: /"Dinner" .* requires "Pass", and this flow does not offer that/,
    mended: true,
    break: (d) => {
      d.products.push({ code: 'pass', name: 'Pass', category: 'other', prices: [{ amount: '10.00' }] })
      d.products[1].requires = ['adm', 'pass']
    },
  },
  F24: {
    level: 'warning',
    path: '/products/adm/capacity',
    says: /"Admission", which "Dinner" requires, has a capacity of 0/,
    mended: false,
    break: (d) => void (d.products[0].capacity = 0),
  },
  F25: {
    path: 'pages',
    says: /must agree to the policy "Photos"/,
    mended: true,
    break: (d) => void d.policies.push({ code: 'photos', title: 'Photos', body: 'We take pictures.' }),
  },
  F26: {
    level: 'warning',
    path: 'pages/pay/widgets/terms',
    says: /asked after the payment/,
    mended: true,
    break: (d) => void pageIn(d, 'pay').widgets.reverse(),
  },
  F27: {
    path: 'pages/you/widgets/lookup/connection',
    says: /"ams" .* was not tested since it was changed/,
    mended: false,
    break: () => {},
    more: { around: { connections: new Map([['ams', { status: 'draft', onFailure: 'block' }]]), files: new Map() } },
  },
  F28: {
    level: 'warning',
    path: 'pages/tickets/widgets/lookup',
    says: /comes after the product list \(tickets\) .* depend on the tag member/,
    mended: true,
    break: (d) => {
      const [lookup] = pageIn(d, 'you').widgets.splice(0, 1)
      onPage(d, 'tickets', lookup)
      pageIn(d, 'member').visibleForTags = null
    },
  },
  F29: {
    level: 'warning',
    path: 'confirmationEmail',
    says: /"Confirmation", which is disabled/,
    mended: true,
    break: (d) => void (d.emails[0].enabled = false),
  },
  F30: {
    path: '/emails/confirm/subject',
    says: /uses \{\{participant.jobTitle\}\}, but the flow "Attendees" never asks for "Job title"/,
    mended: false,
    break: (d) => void (d.emails[0].subject = 'Dear {{participant.jobTitle}}'),
  },
  F31: {
    level: 'warning',
    path: 'closesAt',
    says: /closes at 2027-06-01.*after the event has ended on 2027-05-13/,
    mended: true,
    break: (d) => void (flowOf(d).closesAt = '2027-06-01T00:00:00.000Z'),
  },
  F32: {
    level: 'warning',
    path: 'pages/you/widgets/pressnote/visibleForTags',
    says: /The tag "Press" is needed here/,
    mended: false,
    break: (d) =>
      onPage(d, 'you', { id: 'pressnote', type: 'text', body: 'Welcome', visibleForTags: { type: 'any', required: ['press'] } }),
  },
  F33: {
    level: 'warning',
    path: 'pages/member/widgets/rooms',
    says: /housing is switched off/,
    mended: true,
    break: (d) => onPage(d, 'member', { id: 'rooms', type: 'housing' }),
  },
  F34: {
    level: 'warning',
    path: 'capacity',
    says: /room for 501, but the whole event only for 500/,
    mended: true,
    break: (d) => void (flowOf(d).capacity = 501),
  },
  F35: {
    level: 'warning',
    path: '',
    says: /In de the flow "Attendees" is not fully translated: 1 missing, 1 of an older text/,
    mended: false,
    break: (d) => {
      const { translations, ...rest } = translated(d)
      const { '/flows/attendee/name': _, ...texts } = translations.de
      texts['/flows/attendee/pages/you/title'].sourceHash = '0'.repeat(16)
      return { ...rest, translations: { de: texts } }
    },
    more: { facts: { locales: ['en', 'de'] } },
  },
  F36: {
    level: 'warning',
    path: 'inviteOnly',
    says: /neither a list of them nor a question/,
    mended: true,
    break: (d) => void (flowOf(d).inviteOnly = true),
  },
}

function broken(code: string): Scene {
  const document = cleanDocument()
  const { break: breakIt, more } = BROKEN[code]!
  return sceneOf(breakIt(document) ?? document, more)
}

const codesOf = (scene: Scene) => reviewFlows(scene).flatMap(({ findings }) => findings.map(({ code }) => code))

describe('review of a flow', () => {
  it('has a way to break each of the 36 checks', () => {
    expect(Object.keys(BROKEN)).toEqual([...CHECKS])
    expect(CHECKS).toHaveLength(36)
  })

  it('finds nothing in a flow that is in order, in one language or two', () => {
    expect(reviewFlows(sceneOf(cleanDocument())).flatMap(({ findings }) => findings)).toEqual([])
    expect(codesOf(sceneOf(translated(cleanDocument()), { facts: { locales: ['en', 'de'] } }))).toEqual([])
  })

  it.each(Object.keys(BROKEN))('finds %s once, says where, and nothing else', (code) => {
    const { level = 'error', path, says } = BROKEN[code]!
    const { findings } = reviewFlows(broken(code), broken(code).config.flows[0]!.slug)[0]!
    expect(findings.map((finding) => finding.code)).toEqual([code])
    const [finding] = findings
    const expected = path.startsWith('/') ? path : `/flows/attendee${path === '' ? '' : `/${path}`}`
    expect(finding).toMatchObject({ level, path: expected, message: expect.stringMatching(says) })
  })

  it.each(Object.keys(BROKEN))('%s is mended by what it suggests, or suggests nothing', (code) => {
    const scene = broken(code)
    const operations = reviewFlows(scene).flatMap(({ findings }) => findings.flatMap(({ suggestion }) => suggestion?.operations ?? []))
    expect(operations.length > 0).toBe(BROKEN[code]!.mended)
    expect(codesOf(after(scene, operations))).toEqual(BROKEN[code]!.mended ? [] : [code])
  })

  it('gives suggestions that can be followed together, whatever else is wrong', () => {
    for (const [index, code] of CHECKS.entries()) {
      const codes = new Set([code, CHECKS[(index * 7 + 3) % 36]!, CHECKS[(index * 11 + 5) % 36]!, CHECKS[(index * 5 + 20) % 36]!])
      const document = [...codes].reduce((broke, one) => BROKEN[one]!.break(broke) ?? broke, cleanDocument())
      const scene = sceneOf(document)
      const suggested = reviewFlows(scene).flatMap(({ findings }) =>
        findings.flatMap(({ suggestion }) => (suggestion ? [suggestion.operations] : [])),
      )
      for (const operations of [...suggested, suggested.flat()]) expect(() => after(scene, operations)).not.toThrow()
    }
  })

  it('is the same each time', () => {
    for (const code of CHECKS) expect(reviewFlows(broken(code))).toEqual(reviewFlows(broken(code)))
  })
})

const issuesWhen = (code: string, edit: (document: Document) => void = () => {}) => {
  const document = cleanDocument()
  const { break: breakIt, more } = BROKEN[code]!
  const next = breakIt(document) ?? document
  edit(next)
  const scene = sceneOf(next, more)
  return reviewIssues(scene, reviewFlows(scene)).map(({ level, code: own }) => `${level} ${own}`)
}

describe('what a review means for publishing', () => {
  it('an error keeps an open flow from being published', () => {
    expect(issuesWhen('F07')).toEqual(['reference F07'])
  })

  it('an error in a flow that is not open yet is a warning', () => {
    expect(issuesWhen('F07', (document) => (document.flows[0].opensAt = '2027-02-01T00:00:00.000Z'))).toEqual(['warning F07'])
  })

  it('a flow that closed is no obstacle, but its closing is told', () => {
    expect(issuesWhen('F07', (document) => (document.flows[0].closesAt = '2027-01-05T00:00:00.000Z'))).toEqual([
      'warning F31',
      'warning F07',
    ])
  })

  it('warnings are listed, infos are not, and retired flows are left alone', () => {
    expect(issuesWhen('F06')).toEqual(['warning F06'])
    expect(issuesWhen('F12')).toEqual([])
    expect(issuesWhen('F07', (document) => (document.flows[0].retired = true))).toEqual([])
  })
})
