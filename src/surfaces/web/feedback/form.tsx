import { email, object, oneOf, text } from '../../../kernel/args.ts'
import { countCallInHourWindow } from '../../../domains/access/rate-windows.ts'
import { MAX_FEEDBACK_CHARACTERS, type NewFeedback, recordFeedback } from '../../../domains/feedback/record.ts'
import { getClientIpBlock } from '../../http/client-address.ts'
import { SERVER_INFO } from '../../mcp/views.ts'
import { createFieldPropsGetter } from '../components/form-page.tsx'
import { Input, Select, TextArea } from '../components/forms.tsx'
import { validateFormFields, type FormErrors } from '../fields.ts'
import type { FormValues, WebServices, WebContext } from '../web.ts'

const KINDS = ['bug', 'idea', 'question', 'praise'] as const
const KIND_LABELS = { bug: 'A problem', idea: 'An idea', question: 'A question', praise: 'Praise' }
const FIELD_LABELS: Record<string, string> = { text: 'Your feedback', kind: 'Type of feedback', email: 'Your email' }

const FeedbackInput = object({ kind: oneOf(KINDS), text: text(MAX_FEEDBACK_CHARACTERS), email: email().optional() })

/** The feedback form as data for `renderFormPage`. `page` is the path of the page that the feedback is about. */
export function buildFeedbackFormProps({ page, values, formErrors }: { page: string; values: FormValues; formErrors: FormErrors | null }) {
  const field = createFieldPropsGetter(values, formErrors)
  return {
    hidden: { page },
    submit: 'Send feedback',
    formErrors,
    children: (
      <>
        <Select {...field('kind')} label="Type of feedback" options={KINDS.map((kind) => ({ value: kind, label: KIND_LABELS[kind] }))} />
        <TextArea
          {...field('text')}
          label="Your feedback"
          rows={6}
          help="This is sent to the people who run this service. Do not include passwords, tokens or personal data."
        />
        <Input
          {...field('email')}
          type="email"
          label="Your email"
          optional="(optional)"
          autocomplete="email"
          help="We only use it to reply to you."
        />
      </>
    ),
  }
}

const MAX_FEEDBACK_PER_HOUR = 5

/** Stores the feedback, or returns the errors to show. */
export async function saveFeedback(
  web: WebServices,
  c: WebContext,
  form: FormValues,
  from: Pick<NewFeedback, 'source' | 'tenantCode'>,
): Promise<FormErrors | null> {
  const { kind, text: said, email: address } = form
  const read = validateFormFields(
    FeedbackInput,
    { kind, text: said, email: address?.trim() || undefined },
    (path) => FIELD_LABELS[path] ?? '',
  )
  if ('errors' in read) return { errors: read.errors }
  const { pool, write } = web.services.database
  const used = await countCallInHourWindow(pool, `feedback:${getClientIpBlock(c.env.incoming, web.trustedProxies)}`)
  if (used > MAX_FEEDBACK_PER_HOUR)
    return { message: `You have sent more than ${MAX_FEEDBACK_PER_HOUR} messages in the last hour. Try again later.` }
  const { email: contactEmail, ...data } = read.data
  await recordFeedback(write, { ...from, ...data, contactEmail, page: sanitizePagePath(form['page']), appVersion: SERVER_INFO.version })
  return null
}

/** Returns a path on this site without its query, which may contain secrets. */
export const sanitizePagePath = (page: string | undefined): string => /^\/(?!\/)[\w./-]{0,200}/.exec(page ?? '')?.[0] ?? ''
