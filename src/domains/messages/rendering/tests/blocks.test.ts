import { describe, expect, it } from 'vitest'
import type { EmailBlock } from '../../../configuration/schema/emails.ts'
import { deriveAppearance } from '../../../configuration/appearance.ts'
import { compileEmail } from '../render.ts'
import { blockOf, designOf, listLinks, readCardText, recipientOf, renderDesign } from './designs.ts'

const eur = (amount: string) => ({ amount, currency: 'EUR' })
const file = 'a'.repeat(24)
const linesOf = (blocks: EmailBlock[], values = {}, rest = {}) =>
  renderDesign({ blocks }, values, rest).text.split('\n-- \n')[0]!.trim().split('\n')

describe('the plain text part of an email', () => {
  it('renders headings, lists, tables and links in the plain text part of an email', () => {
    const blocks = [
      blockOf({ id: 'a', type: 'heading', text: 'Welcome', level: 1 }),
      blockOf({ id: 'b', type: 'heading', text: 'Agenda' }),
      blockOf({
        id: 'c',
        type: 'text',
        html: '<p>One   <strong>two</strong>\nthree<br>four</p><ul><li>a</li><li>b<ol><li>x</li><li>y</li></ol></li></ul><table><tr><th>Day</th> <th>Room</th></tr><tr><td>Mon</td><td>A</td></tr></table><p>See <a href="https://x.example/">our site</a>, <a href="https://y.example/">https://y.example/</a>, <a href="mailto:a@x.example">a@x.example</a>.</p>',
      }),
      blockOf({ id: 'd', type: 'button', label: 'Pay now', link: 'pay' }),
      blockOf({ id: 'e', type: 'divider' }),
      blockOf({ id: 'f', type: 'image', fileId: file, alt: 'The hall', href: 'https://x.example/hall' }),
      blockOf({ id: 'g', type: 'image', fileId: file, alt: '' }),
    ]
    const mail = renderDesign({ blocks, picture: () => 'https://x.example/p.png' }, { 'links.pay': 'https://x.example/pay' })
    expect(mail.text).toBe(`Welcome
=======

Agenda
------

One two three
four

- a
- b
  1. x
  2. y

Day | Room
Mon | A

See our site: https://x.example/, https://y.example/, a@x.example.

Pay now: https://x.example/pay

---

[The hall]: https://x.example/hall
`)
  })
})

describe('rich text in emails', () => {
  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<p onclick="x()">x</p>',
    '<style>*{}</style>',
    '<iframe src="https://evil.example"></iframe>',
    '<mj-include path="/etc/passwd" />',
    '<p style="background:url(https://evil.example)">x</p>',
    '<a href="javascript:x">x</a>',
    '<svg><script>x</script></svg>',
    '<form action="https://evil.example"><input></form>',
    '<p class="card">x</p>',
    '<!--[if mso]><p>x</p><![endif]-->',
    '<td></td></table></td></tr></table><p>out</p>',
  ])('sanitizes %s in rich text again when rendering', (html) => {
    const before = renderDesign({ blocks: [{ id: 't', type: 'html', html: '', showWhen: null }] }).html
    const after = renderDesign({ blocks: [{ id: 't', type: 'html', html, showWhen: null }] }).html
    const tags = (text: string) => (text.match(/<(script|img|style|iframe|form|input|svg|mj-\w+|!--)\b/g) ?? []).length
    expect(tags(after)).toBe(tags(before))
    expect(after).not.toMatch(/ on\w+=|evil\.example|javascript:/)
  })

  it('keeps allowed rich text tags, each with its inline style', () => {
    const { html } = renderDesign({
      blocks: [blockOf({ id: 't', type: 'text', html: '<p>a <em>b</em> <a href="https://x.example" title="T">c</a></p>' })],
    })
    expect(html).toMatch(/<p style="[^"]+">a <em>b<\/em> <a class="l" style="[^"]+" href="https:\/\/x\.example" title="T">c<\/a><\/p>/)
  })
})

describe('email blocks with recipient data', () => {
  const order = {
    lines: [
      { name: 'Full <pass>', quantity: 1, amount: eur('900.00') },
      { name: 'Dinner', quantity: 2, amount: eur('120.00') },
    ],
    taxes: [{ name: 'VAT', percent: 19, amount: eur('193.80') }],
    total: eur('1213.80'),
    paid: eur('500.00'),
    balance: eur('713.80'),
  }
  const event = {
    name: 'Summit',
    startsOn: '2027-03-01',
    endsOn: '2027-03-01',
    venue: 'Messe',
    address: 'Berlin',
    website: 'https://summit.example/',
    mapUrl: 'javascript:alert(1)',
  }

  it("shows the recipient's order with its lines, taxes and totals in an email", () => {
    const blocks = [blockOf({ id: 'o', type: 'orderSummary' })]
    expect(linesOf(blocks, {}, { order })).toEqual([
      'Full <pass>: €900.00',
      '2 × Dinner: €120.00',
      'VAT 19 %: €193.80',
      'Total: €1,213.80',
      'Paid: €500.00',
      'Still to pay: €713.80',
    ])
    expect(readCardText(renderDesign({ blocks, locale: 'de' }, {}, { order }).html).replaceAll('\u00a0', ' ')).toContain(
      'Noch zu zahlen 713,80 €',
    )
    expect(linesOf([blockOf({ id: 'o', type: 'orderSummary', showPaid: false })], {}, { order })).toHaveLength(4)
  })

  it('shows the event details in an email and leaves out an invalid web address', () => {
    const show = ['name', 'dates', 'venue', 'map', 'website', 'calendar'] as const
    const blocks = [blockOf({ id: 'e', type: 'eventDetails', show: [...show] })]
    expect(linesOf(blocks, {}, { event })).toEqual([
      'Summit',
      'When: 1 March 2027',
      'Where: Messe, Berlin',
      'Website: https://summit.example/',
    ])
    expect(listLinks(renderDesign({ blocks }, {}, { event }).html)).toEqual(['https://summit.example/'])
  })

  it('shows products, sessions, the offer button, the one-time code, the badge and the advertisement in an email', () => {
    const products = () => [1, 2, 3].map((n) => ({ name: `P${n}`, price: eur(`${n}.00`) }))
    const sessions = () => [{ title: 'Opening', startsAt: new Date('2027-03-01T08:00:00Z'), zone: 'America/New_York', room: 'Hall 1' }]
    const badge = { src: 'cid:badge', alt: 'SUM-1' }
    const ad = () => ({ src: 'https://x.example/ad.png', alt: 'Buy', href: 'https://x.example/a/1' })
    const said = (block: EmailBlock, rest = {}) =>
      linesOf([block], { 'links.offer': 'https://x.example/o' }, { products, sessions, badge, ad, code: '424242', ...rest })
    expect(said(blockOf({ id: 'p', type: 'productList', max: 2 }))).toEqual(['- P1, €1.00', '- P2, €2.00'])
    expect(said(blockOf({ id: 'p', type: 'productList', max: 1, showPrice: false }))).toEqual(['- P1'])
    expect(
      said(blockOf({ id: 's', type: 'sessionList' }))
        .join()
        .replaceAll('\u202f', ' '),
    ).toBe('- Opening (Monday, 1 March 2027 at 03:00 GMT-5 · Hall 1)')
    expect(said(blockOf({ id: 'o', type: 'offer', label: 'Take it' })).at(-1)).toBe('Take it: https://x.example/o')
    expect(said(blockOf({ id: 'c', type: 'code' }))).toEqual(['Your code: 424242'])
    expect(said(blockOf({ id: 'q', type: 'qrBadge', caption: 'Badge' }))).toEqual(['Badge: SUM-1'])
    expect(said(blockOf({ id: 'a', type: 'adSlot' }))).toEqual(['Sponsored: Buy: https://x.example/a/1'])
    expect(renderDesign({ blocks: [blockOf({ id: 'q', type: 'qrBadge' })] }, {}, { badge }).html).toContain('src="cid:badge"')
  })

  it('omits an email block about the recipient if there is no data for it', () => {
    const empty = renderDesign({ blocks: [] })
    const blocks = (['productList', 'sessionList', 'eventDetails', 'orderSummary', 'qrBadge', 'offer', 'adSlot', 'code'] as const).map(
      (type) => blockOf({ id: type.toLowerCase(), type }),
    )
    const mail = renderDesign({ blocks })
    expect([mail.html, mail.text]).toEqual([empty.html, empty.text])
    expect(renderDesign({ blocks: [blockOf({ id: 'i', type: 'image', fileId: file, alt: 'x' })] }).html).toBe(empty.html)
  })

  it('shows or hides email blocks by their condition', () => {
    const showWhen = { all: [{ binding: '@participant.tags', op: 'contains' as const, value: 'vip' }] }
    const blocks = [
      blockOf({ id: 'v', type: 'heading', text: 'For VIPs', showWhen }),
      blockOf({ id: 'h', type: 'heading', text: 'For all' }),
    ]
    const mail = compileEmail(designOf({ blocks }))
    const vip = mail.render(recipientOf({}, { shows: () => true }))
    const other = mail.render(recipientOf({}, { shows: () => false }))
    expect([vip.text.includes('VIP'), vip.html.includes('VIP'), vip.hiddenBlocks]).toEqual([true, true, []])
    expect([other.text.includes('VIP'), other.html.includes('VIP'), other.hiddenBlocks, other.text.includes('For all')]).toEqual([
      false,
      false,
      ['v'],
      true,
    ])
  })
})

describe('the footer of an email', () => {
  const footer = {
    why: 'You registered.',
    postalAddress: 'Acme GmbH\nBerlin',
    unsubscribe: 'https://x.example/u/1',
    preferences: 'javascript:x',
  }

  it('renders the footer of an email once and last, even if the template has none', () => {
    const own = blockOf({
      id: 'f',
      type: 'footer',
      text: 'Bye {{participant.firstName}}',
      social: [{ kind: 'linkedin', url: 'https://l.example' }],
    })
    const heading = blockOf({ id: 'h', type: 'heading', text: 'Hi' })
    const mail = renderDesign({ blocks: [own, heading] }, { 'participant.firstName': 'Zoë' }, { footer })
    expect(mail.text).toBe(
      'Hi\n--\n\n-- \nBye Zoë\nLinkedin: https://l.example\nYou registered.\nAcme GmbH\nBerlin\nUnsubscribe: https://x.example/u/1\n',
    )
    expect(listLinks(mail.html)).toEqual(['https://l.example', 'https://x.example/u/1'])
    expect(listLinks(renderDesign({ blocks: [heading], locale: 'de' }, {}, { footer }).html)).toEqual(['https://x.example/u/1'])
    expect(renderDesign({ blocks: [heading], locale: 'de' }, {}, { footer }).text).toContain('Abbestellen: https://x.example/u/1')
  })
})

describe('the HTML part of an email', () => {
  it('declares language, text direction and colour scheme in the HTML of an email, with all styles inline', () => {
    const { html } = renderDesign({
      locale: 'ar',
      subject: 'A < B',
      preheader: 'Soon',
      look: deriveAppearance({ colors: { brand: '#ffe08a' }, fontHeading: 'x', radius: 4 }),
    })
    expect(html).toMatch(/^<!doctype html>\n<html lang="ar" dir="rtl"/)
    expect(html).toContain('<meta name="color-scheme" content="light dark">')
    expect(html).toContain('@media (prefers-color-scheme:dark)')
    expect(html).toContain('<title>A &lt; B</title>')
    expect(html).not.toMatch(/<link|<script|@import|url\(/)
  })

  it('renders an email of 60 blocks below the size at which email clients clip it', () => {
    const words = 'Lorem ipsum dolor sit amet, consetetur sadipscing elitr. '.repeat(8)
    const blocks = Array.from({ length: 59 }, (_, n) =>
      blockOf({
        id: `b${n}`,
        type: n % 3 === 0 ? 'heading' : 'text',
        ...(n % 3 === 0 ? { text: words.slice(0, 60) } : { markdown: words }),
      } as never),
    )
    expect(renderDesign({ blocks }).htmlBytes).toBeLessThan(100 * 1024)
  })

  it('rejects an email that exceeds the maximum size', () => {
    const blocks = Array.from({ length: 20 }, (_, n) => blockOf({ id: `b${n}`, type: 'text', markdown: 'x'.repeat(19_000) }))
    expect(() => renderDesign({ blocks })).toThrow('more than 250')
  })

  it('renders columns of blocks, with a table for Outlook', () => {
    const block = blockOf({
      id: 'c',
      type: 'columns',
      count: 2,
      blocks: [
        { id: 'r', type: 'heading', text: 'Right', column: 1 },
        { id: 'l', type: 'heading', text: 'Left', column: 0 },
        { id: 'x', type: 'heading', text: 'Beyond', column: 2 },
      ],
    })
    const mail = renderDesign({ blocks: [block] })
    expect(readCardText(mail.html)).toMatch(/Left .*Right .*Beyond/)
    expect(mail.html.match(/max-width:299px/g)).toHaveLength(2)
    expect((mail.html.match(/<!--\[if mso\]>/g) ?? []).length).toBe((mail.html.match(/<!\[endif\]-->/g) ?? []).length)
  })
})
