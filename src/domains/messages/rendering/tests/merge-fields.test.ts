import { describe, expect, it } from 'vitest'
import { MERGE_FIELD_PATTERN } from '../../../configuration/merge-fields.ts'
import { compileEmail } from '../render.ts'
import { blockOf, designOf, FIELDS, listLinks, readCardText, recipientOf, renderDesign } from './designs.ts'

const text = (html: string) => blockOf({ id: 't', type: 'text', html })
const heading = (said: string) => blockOf({ id: 'h', type: 'heading', text: said, level: 3 })
const plain = (said: string) => said.replaceAll(/[\u00a0\u202f]/g, ' ')

describe('merge fields', () => {
  it('inserts the value of a merge field, or the fallback if there is none', () => {
    const design = {
      subject: 'Hi {{participant.firstName|there}}',
      blocks: [heading('{{ participant.firstName | friend }}, pay {{order.total}}')],
    }
    const known = renderDesign(design, { 'participant.firstName': 'Zoë', 'order.total': { amount: '900.00', currency: 'EUR' } })
    expect([known.subject, known.text.split('\n')[0], known.missing]).toEqual(['Hi Zoë', 'Zoë, pay €900.00', []])
    const unknown = renderDesign(design, { 'participant.firstName': '  ' })
    expect([unknown.subject, unknown.text.split('\n')[0], unknown.missing]).toEqual(['Hi there', 'friend, pay', ['order.total']])
  })

  it.each([
    ['en', { day: '2027-03-01' }, 'Monday, 1 March 2027'],
    ['de', { day: '2027-03-01' }, 'Montag, 1. März 2027'],
    ['de', { amount: '1499.90', currency: 'EUR' }, '1.499,90 €'],
    ['de', { instant: new Date('2027-03-01T08:00:00Z'), zone: 'Europe/Berlin' }, 'Montag, 1. März 2027 um 09:00 MEZ'],
    ['de', { from: '2027-03-01', until: '2027-03-03' }, '1.–3. März 2027'],
    ['de', 1234.5, '1.234,5'],
    ['de', true, 'Ja'],
    ['fr', ['a', 'b', 'c'], 'a, b et c'],
    ['en', '  spaced ', 'spaced'],
    ['en', 0, '0'],
  ])('formats, in the language %s, the merge field value %j as %s', (locale, value, said) => {
    const mail = renderDesign({ locale, blocks: [heading('[{{event.startsOn}}]')] }, { 'event.startsOn': value })
    expect(plain(mail.text.split('\n')[0]!)).toBe(`[${said}]`)
  })

  it('prevents line breaks inside codes with hyphens in an email, but not inside addresses and dates', () => {
    const code = (text: string) => `<span style="white-space:nowrap">${text}</span>`
    const inHtml = (value: string) =>
      renderDesign({ blocks: [heading('Booth {{participant.firstName}}!')] }, { 'participant.firstName': value })
    expect(inHtml('A-12, B-7').html).toContain(`Booth ${code('A-12')}, ${code('B-7')}!`)
    expect(inHtml('A-12').text).toContain('Booth A-12!')
    expect(renderDesign({ blocks: [heading('See INV-2027-000318 & more')] }).html).toContain(`See ${code('INV-2027-000318')} &amp; more`)
    for (const other of ['https://example.org/A-12', '2027-03-01', 'X-RAY', 'a-12@example.org'])
      expect(inHtml(other).html).toContain(`Booth ${other}!`)
  })

  it('renders an unknown merge field as its fallback, never reads it, and reports it', () => {
    const asked: string[] = []
    const mail = compileEmail(
      designOf({
        subject: '{{participant.fistName}}{{constructor.name|x}}',
        blocks: [text('<p>[{{toString}}]</p>'), heading('{{order.total}}')],
      }),
    )
    expect(mail.unknown).toEqual(['participant.fistName', 'constructor.name', 'toString'])
    const { subject, text: said } = mail.render({ value: (path) => (asked.push(path), 'secret') })
    expect([subject, said.split('\n')[0], new Set(asked)]).toEqual(['x', '[]', new Set(['order.total'])])
  })

  it('fills in merge fields once, so that values and fallbacks that look like merge fields stay plain text', () => {
    const value = '{{order.total}} {participant.firstName} $& {{participant.firstName}}'
    const mail = renderDesign(
      { subject: '{{participant.firstName}}', blocks: [text('<p>{{participant.firstName}}</p>')] },
      { 'participant.firstName': value, 'order.total': 7 },
    )
    expect([mail.subject, mail.text.split('\n')[0]]).toEqual([value, value])
    expect(readCardText(mail.html)).toContain(value)
  })

  it('treats braces as text in a product notice', () => {
    const mail = renderDesign(
      { fields: null, subject: '{{participant.firstName}}', blocks: [heading('{{x|y}}')] },
      { 'participant.firstName': 'Zoë' },
    )
    expect([mail.subject, mail.text.split('\n')[0]]).toEqual(['{{participant.firstName}}', '{{x|y}}'])
  })
})

describe('escaping of merge field values', () => {
  const evil = `"><script>alert('1')</script>\r\nBcc: all@evil.example\u202e\u0000&amp;`

  it('escapes a merge field value in HTML and keeps its line breaks', () => {
    const { html } = renderDesign({ blocks: [text('<p title="x"><strong>{{participant.bio}}</strong></p>')] }, { 'participant.bio': evil })
    expect(html).toContain('<strong>&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;<br>Bcc: all@evil.example&amp;amp;</strong>')
    expect(html).not.toMatch(/<script|\u202e|\0/)
  })

  it('escapes a merge field value in an HTML attribute', () => {
    const { html } = renderDesign(
      { blocks: [text('<p><a href="https://x.example" title="{{participant.bio}}">x</a></p>')] },
      { 'participant.bio': evil },
    )
    expect(html).toMatch(/title="&quot;&gt;&lt;script[^"]*"/)
  })

  it('puts a merge field value in the subject on one line without control characters', () => {
    const { subject, html } = renderDesign({ subject: 'Hi {{participant.bio}}' }, { 'participant.bio': evil })
    expect(subject).toBe(`Hi "><script>alert('1')</script> Bcc: all@evil.example&amp;`)
    expect(html).toContain('<title>Hi &quot;&gt;&lt;script&gt;')
  })

  it('escapes a merge field value in the preheader', () => {
    const { html } = renderDesign({ preheader: 'For {{participant.bio}}' }, { 'participant.bio': evil })
    expect(html).toContain('>For &quot;&gt;&lt;script&gt;')
  })

  it('encodes a merge field value in a link as one URL parameter', () => {
    const blocks = [text('<p><a href="https://x.example/a?name={{participant.bio}}&amp;b=1#c">x</a></p>')]
    const { html, text: said } = renderDesign({ blocks }, { 'participant.bio': 'Ä & B?x=1#y \ud800' })
    expect(listLinks(html)).toEqual(['https://x.example/a?name=%C3%84%20%26%20B%3Fx%3D1%23y&b=1#c'])
    expect(said).toContain('x: https://x.example/a?name=%C3%84%20%26%20B%3Fx%3D1%23y&b=1#c')
  })
})

/** Expressions in the delimiters of common template languages, whose evaluation would be visible in the output. */
const EXPRESSIONS = `7*191
7|multiply(191)
'7'*191
(7*191)
range(1337)
config
self
request.application.__globals__
''.__class__.__mro__[1].__subclasses__()
cycler.__init__.__globals__.os.popen('id').read()
lipsum.__globals__['os'].popen('id').read()
_self.env.registerUndefinedFilterCallback("exec")
[7*191]|map('system')|join
constructor.constructor("globalThis.evaluated=1")()
this.constructor.constructor("globalThis.evaluated=1")()
#with "s" as |string|
#each this
>partial
&participant.firstName
!comment
=<% %>=
^participant
/participant
lookup this "constructor"
@root.constructor
../../secret
participant.constructor
participant.__proto__
participant.firstName.constructor("globalThis.evaluated=1")()
participant['firstName']
participant.firstName()
participant.firstName|raw
participant.firstName|safe|upper
participant.firstName || 7*191
participant.firstName | multiply: 191
links.pay + 7*191
{participant.firstName}
$on.constructor('globalThis.evaluated=1')()
T(java.lang.Runtime).getRuntime().exec('id')
"freemarker.template.utility.Execute"?new()("id")
product.getClass().forName("java.lang.Runtime")
#set($x=7*191)$x
php echo 7*191
system('id')
import os; os.system('id')
process.mainModule.require('child_process').execSync('id')
global.process.env
require('fs').readFileSync('/etc/passwd')
printf "%d" 1337
. | toJson`.split('\n')
const DELIMITERS = [
  ['{{', '}}'],
  ['${', '}'],
  ['<%= ', ' %>'],
  ['{%', '%}'],
] as const
const PAYLOADS = EXPRESSIONS.flatMap((one) => DELIMITERS.map(([open, close]) => open + one + close))

describe('template injection', () => {
  it('covers 200 different template injection payloads', () => {
    expect([PAYLOADS.length, new Set(PAYLOADS).size]).toEqual([200, 200])
  })

  // Returns the expected rendering of a payload. Text that is not a merge field stays unchanged; a known field renders its value, an
  // unknown one its fallback.
  const left = (payload: string) =>
    payload.replace(MERGE_FIELD_PATTERN, (_, path: string, fallback = '|') =>
      FIELDS.has(path) ? payload : String(fallback).slice(1).trim(),
    )

  it.each(PAYLOADS)('renders the injection payload %s as text in a template, a value and a fallback', (payload) => {
    const values = { 'participant.firstName': payload, 'participant.bio': 'bio' }
    const escaped = payload.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    const blocks = [heading(`[${payload}]`), text(`<p>(${escaped})</p>`), heading('<{{participant.firstName}}>')]
    const mail = renderDesign({ subject: `Re: ${payload}`, blocks }, values)
    const lines = mail.text.split('\n').filter(Boolean)
    const squashed = (said: string) => said.replaceAll(/\s+/g, ' ').trim()
    expect(lines.slice(0, 3).map(squashed)).toEqual([`[${left(payload)}]`, `(${left(payload)})`, `<${payload}>`].map(squashed))
    expect(mail.subject).toBe(squashed(`Re: ${left(payload)}`))
    for (const said of [`[${left(payload)}]`, `(${left(payload)})`, `<${payload}>`])
      expect(readCardText(mail.html)).toContain(squashed(said))
    if (!payload.includes('1337')) expect(mail.html + mail.text + mail.subject).not.toContain('1337')
    expect(mail.html).not.toMatch(/root:x:0|uid=\d/)
    expect('evaluated' in globalThis).toBe(false)
  })

  it('reads only own properties of the merge values, not inherited ones', () => {
    for (const path of ['participant.constructor', 'participant.__proto__', 'links.toString', 'custom.hasOwnProperty']) {
      const mail = compileEmail(designOf({ blocks: [heading(`[{{${path}}}]`)] })).render(recipientOf())
      expect(mail.text.split('\n')[0]).toBe('[]')
    }
  })
})
