import type { readRfpDetail } from '../../../../domains/rfps/list.ts'
import { toWallTimeInZone } from '../../../../kernel/time.ts'
import { Button, Form, Input, LinkButton, TextArea } from '../../components/forms.tsx'
import {
  AssistantPrompt,
  Card,
  EmptyState,
  StatusDot,
  DataTable,
  type TableColumn,
  TimestampText,
  type ColourTone,
} from '../../components/parts.tsx'

export type RfpDetail = Awaited<ReturnType<typeof readRfpDetail>>
type Recipient = RfpDetail['recipients'][number]
type Question = RfpDetail['questions'][number]

export const RFP_STATUS_COLOURS: Record<RfpDetail['status'], ColourTone | undefined> = {
  draft: undefined,
  distributed: 'accent',
  closed: 'warning',
  awarded: 'success',
  cancelled: 'danger',
}

const RECIPIENT_TONES: Partial<Record<Recipient['status'], ColourTone>> = {
  submitted: 'success',
  awarded: 'success',
  turnedDown: 'warning',
  withdrawn: 'warning',
  bounced: 'danger',
  noResponse: 'warning',
}

/** Converts a status in camel case to words, such as "no response". */
export const formatRfpStatus = (status: string) => status.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/** The prompt with which an assistant adds suppliers to an RFP. */
export const buildAddSuppliersPrompt = (number: string) =>
  `Add suppliers near the venue to ${number}, then show me the email before you send it.`

interface PartProps {
  rfp: RfpDetail
  here: string
  /** The CSRF token of the forms; null if the user may not change anything. */
  csrf: string | null
}

export const RfpRecipients = ({ rfp, here, csrf }: PartProps) => {
  const columns: TableColumn<Recipient>[] = [
    {
      label: 'Supplier',
      lead: true,
      cell: ({ supplier, email }) => (
        <>
          <bdi>{supplier}</bdi>
          <div class="muted">{email}</div>
        </>
      ),
    },
    {
      label: 'Status',
      cell: ({ status, reason }) => (
        <>
          <StatusDot tone={RECIPIENT_TONES[status]}>{formatRfpStatus(status)}</StatusDot>
          {reason ? (
            <div class="muted">
              <bdi>{reason}</bdi>
            </div>
          ) : null}
        </>
      ),
    },
    { label: 'Sent', wideOnly: true, cell: ({ sentAt }) => <TimestampText at={sentAt ? new Date(sentAt) : null} /> },
    {
      label: '',
      cell: ({ id, status, supplier }) =>
        csrf === null || rfp.status !== 'distributed' || status === 'notSent' ? null : (
          <div class="actions">
            <LinkButton small href={`${here}/responses/${id}`}>
              {status === 'submitted' ? 'Replace response' : 'Enter response'}
              <span class="hidden"> of {supplier}</span>
            </LinkButton>
            <Form action={`${here}/links`} csrf={csrf}>
              <input type="hidden" name="recipient" value={id} />
              <Button small>
                Turn off links<span class="hidden"> of {supplier}</span>
              </Button>
            </Form>
          </div>
        ),
    },
  ]
  return (
    <Card
      title="Suppliers"
      pad={false}
      foot={
        rfp.status === 'draft' && rfp.recipients.length > 0 ? (
          <AssistantPrompt id="ask-send" text={`Show me the email of ${rfp.number} and who gets it, then send it.`} />
        ) : null
      }
    >
      {rfp.recipients.length === 0 ? (
        <EmptyState title="No suppliers yet" ask={buildAddSuppliersPrompt(rfp.number)}>
          <p>The request is a draft until your assistant sends it to suppliers.</p>
        </EmptyState>
      ) : (
        <DataTable caption="Suppliers with status" columns={columns} rows={rfp.recipients} />
      )}
    </Card>
  )
}

const AnswerForm = ({ question, here, csrf }: { question: Question; here: string; csrf: string }) => (
  <Form action={`${here}/answer`} csrf={csrf} class="stack">
    <input type="hidden" name="question" value={question.id} />
    <TextArea name={`body-${question.id}`} label="Answer" rows={3} />
    <div class="actions">
      <Button tone="primary" name="shareWith" value="all">
        Answer to all suppliers
      </Button>
      <Button name="shareWith" value="asker">
        {`Answer only ${question.supplier}`}
      </Button>
    </div>
  </Form>
)

export const QuestionsCard = ({ rfp, here, csrf }: PartProps) => (
  <Card title="Questions and answers">
    {rfp.questions.length === 0 ? <p class="muted">No questions yet.</p> : null}
    <div class="stack">
      {rfp.questions.map((question) => (
        <article class="stack">
          <p>
            <strong dir="auto">{question.body}</strong>
            <br />
            <span class="muted">
              {question.from === 'organizer' ? 'Your question' : question.supplier}, <TimestampText at={new Date(question.at)} />
            </span>
          </p>
          {question.answers.map(({ from, supplier, body, sharedWith }) => (
            <p>
              <span dir="auto">{body}</span>
              <br />
              <span class="muted">
                {from === 'organizer'
                  ? `Your answer, ${sharedWith === 'all' ? 'sent to all suppliers' : 'sent only to this supplier'}`
                  : supplier}
              </span>
            </p>
          ))}
          {csrf !== null && rfp.status === 'distributed' && question.from === 'supplier' ? (
            <AnswerForm question={question} here={here} csrf={csrf} />
          ) : null}
        </article>
      ))}
    </div>
  </Card>
)

/** The form for title and deadlines of a draft RFP. Times are in the time zone of the event. */
export const RfpDeadlinesForm = ({ rfp, here, csrf, zone }: PartProps & { zone: string }) => {
  if (csrf === null || rfp.status !== 'draft') return null
  const [questions, response] = [rfp.questionsDueAt, rfp.responseDueAt].map((instant) => toWallTimeInZone(zone, new Date(instant))) as [
    string,
    string,
  ]
  return (
    <Card title="Title and times">
      <Form action={`${here}/times`} csrf={csrf} class="stack">
        <Input name="title" label="Title" value={rfp.title} maxlength={200} required />
        <div class="fields-2">
          <Input name="questionsDay" type="date" label="Questions until, day" value={questions.slice(0, 10)} required />
          <Input name="questionsTime" label={`Questions until, time (${zone})`} value={questions.slice(11, 16)} maxlength={5} required />
          <Input name="responseDay" type="date" label="Responses until, day" value={response.slice(0, 10)} required />
          <Input name="responseTime" label={`Responses until, time (${zone})`} value={response.slice(11, 16)} maxlength={5} required />
        </div>
        <Input name="decisionOn" type="date" label="Decision on" value={rfp.decisionOn} required />
        <Button tone="primary">Save</Button>
      </Form>
    </Card>
  )
}

export const CancelRfpForm = ({ rfp, here, csrf }: PartProps) =>
  csrf === null || rfp.status === 'cancelled' || rfp.status === 'awarded' ? null : (
    <Card title="Cancel this RFP">
      <Form action={`${here}/cancel`} csrf={csrf} class="stack">
        <p class="muted">Suppliers who take part get an email with the reason. This cannot be undone.</p>
        <TextArea name="reason" label="Reason" rows={2} />
        <Button tone="danger">Cancel {rfp.number}</Button>
      </Form>
    </Card>
  )
