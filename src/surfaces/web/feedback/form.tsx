import { email, object, oneOf, text } from '../../../kernel/args.ts'
import { countInHour } from '../../../domains/access/rate-windows.ts'
import { MAX_TEXT, type NewFeedback, recordFeedback } from '../../../domains/feedback/record.ts'
import { clientAddress } from '../../http/client-address.ts'
import { SERVER_INFO } from '../../mcp/views.ts'
import { Actions, Button, ErrorSummary, errorOf, Form, Input, Select, TextArea } from '../components/forms.tsx'
import { readFields, type Refused } from '../fields.ts'
import type { FormValues, Web, WebContext } from '../web.ts'

const KINDS = ['bug', 'idea', 'question', 'praise'] as const
const LABELS = { bug: 'Something is wrong', idea: 'An idea', question: 'A question', praise: 'Praise' }
const FIELD_LABELS: Record<string, string> = { text: 'What you want to say', kind: 'What it is', email: 'Your email' }

const Said = object({ kind: oneOf(KINDS), text: text(MAX_TEXT), email: email().optional() })

interface View {
  action: string
  csrf: string
  /** The page it is about. */
  page: string
  values?: FormValues
  refused?: Refused
}

export const FeedbackForm = ({ action, csrf, page, values = {}, refused }: View) => (
  <Form action={action} csrf={csrf} class="stack">
    <input type="hidden" name="page" value={page} />
    <ErrorSummary {...refused} />
    <Select
      name="kind"
      label="What it is"
      value={values['kind']}
      options={KINDS.map((kind) => ({ value: kind, label: LABELS[kind] }))}
      error={errorOf(refused?.errors, 'kind')}
    />
    <TextArea
      name="text"
      label="What you want to say"
      rows={6}
      value={values['text']}
      help="It goes to the people who run this service. Leave out passwords, tokens and other people's data."
      error={errorOf(refused?.errors, 'text')}
    />
    <Input
      name="email"
      type="email"
      label="Your email (optional)"
      autocomplete="email"
      value={values['email']}
      help="Only to answer you."
      error={errorOf(refused?.errors, 'email')}
    />
    <Actions>
      <Button tone="primary">Send feedback</Button>
    </Actions>
  </Form>
)

const PER_HOUR = 5

/** Keeps what the form says, or says why not. */
export async function takeFeedback(
  web: Web,
  c: WebContext,
  form: FormValues,
  from: Pick<NewFeedback, 'source' | 'tenantCode'>,
): Promise<Refused | null> {
  const { kind, text: said, email: address } = form
  const read = readFields(Said, { kind, text: said, email: address?.trim() || undefined }, (path) => FIELD_LABELS[path] ?? '')
  if ('errors' in read) return { errors: read.errors }
  const { pool, write } = web.road.database
  const used = await countInHour(pool, `feedback:${clientAddress(c.env.incoming, web.trustedProxies)}`)
  if (used > PER_HOUR) return { message: `More than ${PER_HOUR} in an hour came from your address. Please send it again later.` }
  const { email: contactEmail, ...data } = read.data
  await recordFeedback(write, { ...from, ...data, contactEmail, page: ownPage(form['page']), appVersion: SERVER_INFO.version })
  return null
}

/** A path of ours without its query, which may hold what nobody should keep. */
export const ownPage = (page: string | undefined): string => /^\/(?!\/)[\w./-]{0,200}/.exec(page ?? '')?.[0] ?? ''
