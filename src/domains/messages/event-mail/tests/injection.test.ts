import { beforeEach, expect, it } from 'vitest'
import { createEventContextAt } from '../../../../../test/support/at-event.ts'
import { useDraftScenario } from '../../../../../test/support/draft-scenario.ts'
import { renderEventEmail } from '../send.ts'
import { CONGRESS_EDITS, insertParticipantWith } from './congress-mail.ts'

const scenario = useDraftScenario()

beforeEach(async () => {
  await scenario.set(CONGRESS_EDITS)
  await scenario.call('publish_event')
})

/**
 * Template expressions. A result such as 7 × 7 = 49 in the email would reveal that an expression was evaluated; values of other fields
 * would reveal that they were read.
 */
const EXPRESSIONS = [
  '7*7',
  '"7".repeat(7)',
  'participant.email',
  'participant.badgeId',
  'participant.constructor.constructor("return 1")()',
  'constructor',
  '__proto__',
  'process.env',
  'process.mainModule.require("child_process").execSync("id")',
  'this.constructor.prototype',
  'order.balance',
  'links.myRegistration',
  'sender.email',
  'lookup . "email"',
  '#with participant',
  'range.constructor("return global")()',
]
const ENGINES = [
  (said: string) => `{{${said}}}`,
  (said: string) => `{{{${said}}}}`,
  (said: string) => `{{&${said}}}`,
  (said: string) => `{% ${said} %}`,
  (said: string) => `\${${said}}`,
  (said: string) => `#{${said}}`,
  (said: string) => `<%= ${said} %>`,
  (said: string) => `[[\${${said}}]]`,
  (said: string) => `@(${said})`,
  (said: string) => `{{ ${said} | safe }}`,
]
const MARKUP = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  '<a href="javascript:alert(1)">x</a>',
  '<iframe src=//evil.example></iframe>',
  '<style>*{display:none}</style>',
  '<mj-raw><script>1</script></mj-raw>',
  '<!--[if mso]><script>1</script><![endif]-->',
  "' onmouseover='alert(1)",
  '<b>bold</b>',
  '<form action=//evil.example><input name=p>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '<base href=//evil.example>',
  '<meta http-equiv=refresh content="0;url=//evil.example">',
  '</td></tr></table><h1>gone</h1>',
  '<math><mtext><script>1</script></mtext></math>',
  '<scr<script>ipt>alert(1)</script>',
  '<object data=x></object>',
  '<link rel=stylesheet href=//evil.example>',
  '<body onload=alert(1)>',
]
const HEADERS = Array.from(
  { length: 20 },
  (_, n) => `Ada\r\n${['Bcc', 'To', 'X-A', 'Content-Type', 'Subject'][n % 5]}: evil${n}@example.org${'\n'.repeat(n % 3)}`,
)
const PAYLOADS = [...EXPRESSIONS.flatMap((said) => ENGINES.map((engine) => engine(said))), ...MARKUP, ...HEADERS]

const unescaped = (html: string) =>
  html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&')

/** Lists all HTML tags of an email with their attributes. */
const tagsIn = (html: string) => html.match(/<\/?[a-z!][^>]*>/gi)!.map((tag) => tag.replace(/(alt|href|title)="[^"]*"/g, '$1'))

it('renders 200 hostile texts literally, without evaluating expressions, reading other fields or adding HTML tags', async () => {
  expect(PAYLOADS).toHaveLength(200)
  const ctx = await createEventContextAt(scenario.world, scenario.event)
  const base = await insertParticipantWith(scenario.world, scenario.event, { tags: ['member'], country: 'DE' })
  const show = async (said: string) => {
    const participant = { ...base, first_name: said, last_name: said, company: said, custom_field_responses: { motto: said } }
    const mail = { trigger: 'registration.completed' as const, participant, to: { email: base.email!, name: said }, isTestData: false }
    return (await renderEventEmail(ctx, mail))!
  }
  const plain = tagsIn((await show('Ada')).html)
  for (const payload of PAYLOADS) {
    const { subject, html, text } = await show(payload)
    const written = payload.replace(/\r\n/g, '\n').trim()
    const oneLine = written.replace(/\s+/g, ' ')
    expect(subject).toBe(`Welcome, ${oneLine} ${oneLine}`)
    expect(text.replace(/\s+/g, ' ')).toContain(`You said ${oneLine}, and eat anything`)
    expect(unescaped(html.replaceAll('<br>', '\n')).replace(/\s+/g, ' ')).toContain(`You said ${oneLine}, and eat anything`)
    // The email has the same tags as for a harmless value, except for line breaks.
    expect(tagsIn(html).filter((tag) => tag !== '<br>')).toEqual(plain.filter((tag) => tag !== '<br>'))
  }
})
