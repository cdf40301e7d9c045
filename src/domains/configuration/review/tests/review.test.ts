import { describe, expect, it } from 'vitest'
import { convertFindingsToIssues } from '../issues.ts'
import { reviewFlowsSynchronously } from '../../../../../test/support/synchronous-configuration.ts'
import { REVIEW_CHECK_CODES, type ReviewContext } from '../context.ts'
import { applyEdits, cleanDocument, pageIn, buildReviewContext, translateDocument, widgetIn } from './contexts.ts'

type Document = any
interface Broken {
  level?: 'error' | 'warning' | 'info'
  /** The path of the finding, below /flows/attendee unless it starts with /. */
  path: string
  expectedMessage: RegExp
  /** Whether applying the suggested edit fixes the finding; false if there is no suggestion. */
  fixed: boolean
  break: (document: Document) => unknown
  more?: Parameters<typeof buildReviewContext>[1]
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

/** One edit per review check that causes exactly the finding of that check. */
const BROKEN: Record<string, Broken> = {
  F01: {
    path: 'pages',
    expectedMessage: /never asks for the first name, last name and email/,
    fixed: true,
    break: (d) => void (pageIn(d, 'you').widgets = pageIn(d, 'you').widgets.filter(({ id }: Document) => id !== 'name' && id !== 'email')),
  },
  F02: {
    path: 'pages/you/widgets/note',
    expectedMessage: /is required, but can never be visible/,
    fixed: false,
    break: (d) => void (widgetIn(d, 'note').showWhen = two('@custom.diet')),
  },
  F03: {
    level: 'warning',
    path: 'pages/you/widgets/note/showWhen',
    expectedMessage: /always true/,
    fixed: true,
    break: (d) => void (widgetIn(d, 'note').showWhen = when('@custom.diet', 'in', ['none', 'vegan', 'other'])),
  },
  F04: {
    path: 'pages/member',
    expectedMessage: /Page "For members" can never be reached/,
    fixed: false,
    break: (d) => void (pageIn(d, 'member').showWhen = two('@custom.diet')),
  },
  F05: {
    path: 'pages',
    expectedMessage: /ends on page "Done" without a confirmation/,
    fixed: true,
    break: (d) => void (pageIn(d, 'done').widgets = [{ id: 'bye', type: 'text', body: 'Bye' }]),
  },
  F06: {
    level: 'warning',
    path: 'pages/done/widgets/thanks',
    expectedMessage: /other widgets follow below it/,
    fixed: true,
    break: (d) => onPage(d, 'done', { id: 'bye', type: 'text', body: 'Bye' }),
  },
  F07: {
    path: 'pages/member/showWhen',
    expectedMessage: /uses the product "Admission", which is only asked later/,
    fixed: true,
    break: (d) => void (pageIn(d, 'member').showWhen = when('@product.adm', 'isSet')),
  },
  F08: {
    path: 'pages/you/widgets/note/showWhen',
    expectedMessage: /"othr" is not among its values/,
    fixed: true,
    break: (d) => void (widgetIn(d, 'note').showWhen = when('@custom.diet', 'equals', 'othr')),
  },
  F09: {
    level: 'warning',
    path: 'pages/tickets/widgets/again',
    expectedMessage: /repeats the question for "Diet", which "Diet" on page "About you" already asks/,
    fixed: true,
    break: (d) => onPage(d, 'tickets', { id: 'again', type: 'field', binding: '@custom.diet' }),
  },
  F10: {
    level: 'warning',
    path: 'pages/you/widgets/locked',
    expectedMessage: /is required but read-only, and nothing fills it in/,
    fixed: true,
    break: (d) => onPage(d, 'you', { id: 'locked', type: 'field', binding: '@custom.age', required: true, readOnly: true }),
  },
  F11: {
    level: 'warning',
    path: 'pages/you/widgets/age',
    expectedMessage: /at least 100 and at most 99 is wanted/,
    fixed: true,
    break: (d) => onPage(d, 'you', { id: 'age', type: 'field', binding: '@custom.age', min: 100 }),
  },
  F12: {
    level: 'info',
    path: 'pages/member/widgets/health',
    expectedMessage: /"Health" on page "For members" is a sensitive question/,
    fixed: false,
    break: (d) => void delete d.customFields[3].help,
  },
  F13: {
    level: 'warning',
    path: 'pages/member',
    expectedMessage: /asks up to 16 questions on one page/,
    fixed: false,
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
    expectedMessage: /no alternative text .* although it is a link/,
    fixed: true,
    break: (d) =>
      void Object.assign(widgetIn(d, 'banner'), { alt: null, decorative: true, link: 'https://example.org', caption: 'Dinner' }),
  },
  F15: {
    level: 'warning',
    path: 'pages/pay',
    expectedMessage: /same title, "tickets"/,
    fixed: true,
    break: (d) => void (pageIn(d, 'pay').title = 'tickets'),
  },
  F16: {
    level: 'info',
    path: 'pages/extra',
    expectedMessage: /Some participants see page "Extra" empty/,
    fixed: false,
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
    expectedMessage: /offers halal, which is retired/,
    fixed: true,
    break: (d) => {
      d.customFields[0].choices.push({ code: 'halal', name: 'Halal', retired: true })
      widgetIn(d, 'diet').choices = ['none', 'vegan', 'other', 'halal']
    },
  },
  F18: {
    path: 'pages/tickets/widgets/tickets',
    expectedMessage: /nothing to offer to participants without a tag/,
    fixed: false,
    break: (d) => {
      d.products[0].visibleForTags = { type: 'any', required: ['member'] }
      d.products[1].visibleForTags = { type: 'any', required: ['member'] }
    },
  },
  F19: {
    path: 'pages/tickets/widgets/tickets',
    expectedMessage: /can choose "Admission" and "Dinner" .* costs money, but the flow has no payment/,
    fixed: true,
    break: (d) => void (pageIn(d, 'pay').widgets = pageIn(d, 'pay').widgets.filter(({ id }: Document) => id !== 'payment')),
  },
  F20: {
    level: 'warning',
    path: 'pages/pay/widgets/payment',
    expectedMessage: /nothing in this flow costs money/,
    fixed: true,
    break: (d) => d.products.forEach((product: Document) => (product.prices = [{ amount: '0.00' }])),
  },
  F21: {
    level: 'warning',
    path: '/products/dinner/prices',
    expectedMessage: /"Dinner" has no price from 2027-03-01 to 2027-03-31/,
    fixed: true,
    break: (d) =>
      void (d.products[1].prices = [
        { amount: '80.00', until: '2027-02-28' },
        { amount: '90.00', from: '2027-04-01' },
      ]),
  },
  F22: {
    level: 'warning',
    path: '/products/dinner/prices',
    expectedMessage: /rows 1 and 2 \(80.00 and 90.00\)/,
    fixed: true,
    break: (d) => void d.products[1].prices.push({ amount: '90.00' }),
  },
  F23: {
    path: 'pages/tickets/widgets/tickets',
    expectedMessage: /"Dinner" .* requires "Pass", but this flow does not offer that/,
    fixed: true,
    break: (d) => {
      d.products.push({ code: 'pass', name: 'Pass', category: 'other', prices: [{ amount: '10.00' }] })
      d.products[1].requires = ['adm', 'pass']
    },
  },
  F24: {
    level: 'warning',
    path: '/products/adm/capacity',
    expectedMessage: /"Admission", which "Dinner" requires, has a capacity of 0/,
    fixed: false,
    break: (d) => void (d.products[0].capacity = 0),
  },
  F25: {
    path: 'pages',
    expectedMessage: /must accept the policy "Photos"/,
    fixed: true,
    break: (d) => void d.policies.push({ code: 'photos', title: 'Photos', body: 'We take pictures.' }),
  },
  F26: {
    level: 'warning',
    path: 'pages/pay/widgets/terms',
    expectedMessage: /comes after the payment/,
    fixed: true,
    break: (d) => void pageIn(d, 'pay').widgets.reverse(),
  },
  F27: {
    path: 'pages/you/widgets/lookup/connection',
    expectedMessage: /"ams" .* has not been tested since its last change/,
    fixed: false,
    break: () => {},
    more: { externalRecords: { connections: new Map([['ams', { status: 'draft', onFailure: 'block' }]]), files: new Map() } },
  },
  F28: {
    level: 'warning',
    path: 'pages/tickets/widgets/lookup',
    expectedMessage: /comes after the product list \(tickets\) .* depend on the tag member/,
    fixed: true,
    break: (d) => {
      const [lookup] = pageIn(d, 'you').widgets.splice(0, 1)
      onPage(d, 'tickets', lookup)
      pageIn(d, 'member').visibleForTags = null
    },
  },
  F29: {
    level: 'warning',
    path: 'confirmationEmail',
    expectedMessage: /"Confirmation", which is disabled/,
    fixed: true,
    break: (d) => void (d.emails[0].enabled = false),
  },
  F30: {
    path: '/emails/confirm/subject',
    expectedMessage: /uses \{\{participant.jobTitle\}\}, but the flow "Attendees" never asks for "Job title"/,
    fixed: false,
    break: (d) => void (d.emails[0].subject = 'Dear {{participant.jobTitle}}'),
  },
  F31: {
    level: 'warning',
    path: 'closesAt',
    expectedMessage: /closes at 2027-06-01.*after the event has ended on 2027-05-13/,
    fixed: true,
    break: (d) => void (flowOf(d).closesAt = '2027-06-01T00:00:00.000Z'),
  },
  F32: {
    level: 'warning',
    path: 'pages/you/widgets/pressnote/visibleForTags',
    expectedMessage: /The tag "Press" is required here/,
    fixed: false,
    break: (d) =>
      onPage(d, 'you', { id: 'pressnote', type: 'text', body: 'Welcome', visibleForTags: { type: 'any', required: ['press'] } }),
  },
  F33: {
    level: 'warning',
    path: 'pages/member/widgets/rooms',
    expectedMessage: /housing is disabled/,
    fixed: true,
    break: (d) => onPage(d, 'member', { id: 'rooms', type: 'housing' }),
  },
  F34: {
    level: 'warning',
    path: 'capacity',
    expectedMessage: /a capacity of 501, but the whole event has only 500/,
    fixed: true,
    break: (d) => void (flowOf(d).capacity = 501),
  },
  F35: {
    level: 'warning',
    path: '',
    expectedMessage: /In de the flow "Attendees" is not fully translated: 1 missing, 1 stale/,
    fixed: false,
    break: (d) => {
      const { translations, ...rest } = translateDocument(d)
      const { '/flows/attendee/name': _, ...texts } = translations.de
      texts['/flows/attendee/pages/you/title'].sourceHash = '0'.repeat(16)
      return { ...rest, translations: { de: texts } }
    },
    more: { facts: { locales: ['en', 'de'] } },
  },
  F36: {
    level: 'warning',
    path: 'inviteOnly',
    expectedMessage: /no invite list and does not ask for an invitation code/,
    fixed: true,
    break: (d) => void (flowOf(d).inviteOnly = true),
  },
}

function broken(code: string): ReviewContext {
  const document = cleanDocument()
  const { break: breakIt, more } = BROKEN[code]!
  return buildReviewContext(breakIt(document) ?? document, more)
}

const codesOf = (context: ReviewContext) => reviewFlowsSynchronously(context).flatMap(({ findings }) => findings.map(({ code }) => code))

describe('reviewInParts', () => {
  it('has one faulty example flow for each of the 36 review checks', () => {
    expect(Object.keys(BROKEN)).toEqual([...REVIEW_CHECK_CODES])
    expect(REVIEW_CHECK_CODES).toHaveLength(36)
  })

  it('reports no findings for a valid flow in one or two languages', () => {
    expect(reviewFlowsSynchronously(buildReviewContext(cleanDocument())).flatMap(({ findings }) => findings)).toEqual([])
    expect(codesOf(buildReviewContext(translateDocument(cleanDocument()), { facts: { locales: ['en', 'de'] } }))).toEqual([])
  })

  it.each(Object.keys(BROKEN))('reports exactly the review finding %s, with its path, for a flow with only that problem', (code) => {
    const { level = 'error', path, expectedMessage } = BROKEN[code]!
    const { findings } = reviewFlowsSynchronously(broken(code), broken(code).config.flows[0]!.slug)[0]!
    expect(findings.map((finding) => finding.code)).toEqual([code])
    const [finding] = findings
    const expected = path.startsWith('/') ? path : `/flows/attendee${path === '' ? '' : `/${path}`}`
    expect(finding).toMatchObject({ level, path: expected, message: expect.stringMatching(expectedMessage) })
  })

  it.each(Object.keys(BROKEN))(
    'suggests edits that remove the review finding %s, or no edit if the finding cannot be fixed automatically',
    (code) => {
      const context = broken(code)
      const operations = reviewFlowsSynchronously(context).flatMap(({ findings }) =>
        findings.flatMap(({ suggestion }) => suggestion?.operations ?? []),
      )
      expect(operations.length > 0).toBe(BROKEN[code]!.fixed)
      expect(codesOf(applyEdits(context, operations))).toEqual(BROKEN[code]!.fixed ? [] : [code])
    },
  )

  it('suggests edits for review findings that can be applied one by one and all together', () => {
    for (const [index, code] of REVIEW_CHECK_CODES.entries()) {
      const codes = new Set([
        code,
        REVIEW_CHECK_CODES[(index * 7 + 3) % 36]!,
        REVIEW_CHECK_CODES[(index * 11 + 5) % 36]!,
        REVIEW_CHECK_CODES[(index * 5 + 20) % 36]!,
      ])
      const document = [...codes].reduce((broke, one) => BROKEN[one]!.break(broke) ?? broke, cleanDocument())
      const context = buildReviewContext(document)
      const suggested = reviewFlowsSynchronously(context).flatMap(({ findings }) =>
        findings.flatMap(({ suggestion }) => (suggestion ? [suggestion.operations] : [])),
      )
      for (const operations of [...suggested, suggested.flat()]) expect(() => applyEdits(context, operations)).not.toThrow()
    }
  })

  it('returns the same findings for repeated reviews', () => {
    for (const code of REVIEW_CHECK_CODES) expect(reviewFlowsSynchronously(broken(code))).toEqual(reviewFlowsSynchronously(broken(code)))
  })
})

const issuesWhen = (code: string, edit: (document: Document) => void = () => {}) => {
  const document = cleanDocument()
  const { break: breakIt, more } = BROKEN[code]!
  const next = breakIt(document) ?? document
  edit(next)
  const context = buildReviewContext(next, more)
  return convertFindingsToIssues(context, reviewFlowsSynchronously(context)).map(({ level, code: own }) => `${level} ${own}`)
}

describe('convertFindingsToIssues', () => {
  it('reports an error in an open flow as an issue that blocks publishing', () => {
    expect(issuesWhen('F07')).toEqual(['reference F07'])
  })

  it('reports an error in a flow that is not open yet as a warning', () => {
    expect(issuesWhen('F07', (document) => (document.flows[0].opensAt = '2027-02-01T00:00:00.000Z'))).toEqual(['warning F07'])
  })

  it('reports only that the flow is closed if a closed flow has errors, and does not block publishing', () => {
    expect(issuesWhen('F07', (document) => (document.flows[0].closesAt = '2027-01-05T00:00:00.000Z'))).toEqual([
      'warning F31',
      'warning F07',
    ])
  })

  it('returns the warnings of a flow review as issues, without findings of level info and of retired flows', () => {
    expect(issuesWhen('F06')).toEqual(['warning F06'])
    expect(issuesWhen('F12')).toEqual([])
    expect(issuesWhen('F07', (document) => (document.flows[0].retired = true))).toEqual([])
  })
})
