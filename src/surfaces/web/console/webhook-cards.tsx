import type { Child } from 'hono/jsx'
import { type Delivery, DELIVERY_STATUSES } from '../../../domains/webhooks/deliveries.ts'
import { ANNOUNCED_KINDS } from '../../../kernel/announce.ts'
import type { Tried } from '../../worker/try-webhook.ts'
import { Button, Form } from '../components/forms.tsx'
import { Badge, Card, Copy, Empty, Facts, Notice, Pagination, Table, Time } from '../components/parts.tsx'
import { kindsInWords, placeInWords, type ShownWebhook, WebhookState } from './webhooks.tsx'

const dateOf = (instant: string | null) => (instant === null ? null : new Date(instant))

export const NewSecret = ({ secret }: { secret: string }) => (
  <Card title="The signing secret">
    <div class="stack">
      <Notice tone="warning">Copy it now: it is shown only this once, and nobody can look it up later.</Notice>
      <Copy id="new-secret" text={secret} />
      <p class="muted">The receiver checks every message with it, as Standard Webhooks describes.</p>
    </div>
  </Card>
)

export const TriedNotice = ({ tried: { delivered, status, ms, error } }: { tried: Tried }) => (
  <Notice tone={delivered ? 'success' : 'danger'}>
    {delivered ? `The receiver took it: ${status} in ${ms} milliseconds.` : `${error ?? 'It was not sent'}, after ${ms} milliseconds.`}
  </Notice>
)

export const WebhookFacts = ({ webhook, accountHref }: { webhook: ShownWebhook; accountHref: string }) => (
  <Card>
    <Facts
      rows={[
        ['State', <WebhookState webhook={webhook} />],
        ...(webhook.disabledReason === null ? [] : [['Why', `Lanyard switched it off: ${webhook.disabledReason}`] as [string, string]]),
        ['Address', <code class="break">{webhook.url}</code>],
        ['Account', <a href={accountHref}>{webhook.account.name}</a>],
        ['Told', webhook.kinds[0] === '*' ? kindsInWords(webhook) : webhook.kinds.join(', ')],
        ['Of', placeInWords(webhook)],
        ['Last taken', <Time at={dateOf(webhook.lastSuccessAt)} />],
        ...(webhook.failingSince === null ? [] : [['Failing since', <Time at={dateOf(webhook.failingSince)} />] as [string, Child]]),
        ['Created', <Time at={dateOf(webhook.createdAt)} />],
      ]}
    />
  </Card>
)

export const WebhookActions = ({ webhook: { status }, csrf, here }: { webhook: ShownWebhook; csrf: string; here: string }) => (
  <Card title="Use it">
    <p class="muted">A test sends webhook.test and waits for the answer. Paused, it is told nothing, and afterwards nothing old.</p>
    <div class="actions">
      {status === 'active' ? (
        <Form action={`${here}/test`} csrf={csrf}>
          <Button tone="primary">Send a test</Button>
        </Form>
      ) : null}
      <Form action={`${here}/status`} csrf={csrf}>
        <Button
          name="status"
          value={status === 'active' ? 'paused' : 'active'}
          {...(status === 'active' ? {} : { tone: 'primary' as const })}
        >
          {status === 'active' ? 'Pause' : 'Make active'}
        </Button>
      </Form>
      <Form action={`${here}/secret`} csrf={csrf}>
        <Button>Renew the secret</Button>
      </Form>
      <Form action={`${here}/delete`} csrf={csrf}>
        <Button tone="danger">Delete</Button>
      </Form>
    </div>
  </Card>
)

const TONES = { pending: 'accent', delivered: 'success', exhausted: 'danger', dropped: undefined } as const

const DeliveryState = ({ delivery: { status, nextAttemptAt } }: { delivery: Delivery }) => {
  const tone = TONES[status]
  return (
    <>
      <Badge {...(tone ? { tone } : {})}>{status}</Badge>
      {nextAttemptAt === null ? null : (
        <div class="muted">
          next <Time at={dateOf(nextAttemptAt)} />
        </div>
      )}
    </>
  )
}

const Attempts = ({ attempts }: Pick<Delivery, 'attempts'>) => {
  const last = attempts.at(-1)
  if (!last) return <span class="muted">none yet</span>
  return (
    <details>
      <summary>
        {attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`}, {last.status ?? 'no answer'}
      </summary>
      <ol class="stack">
        {attempts.map(({ at, status, ms, error, body, replay }) => (
          <li>
            <Time at={dateOf(at)} />: {status ?? 'no answer'} in {ms} ms{replay ? ', sent again' : ''}
            {error && status === null ? `. ${error}` : ''}
            {body ? <pre class="break">{body}</pre> : null}
          </li>
        ))}
      </ol>
    </details>
  )
}

interface LogProps {
  deliveries: Delivery[]
  filter: { status: string | undefined; kind: string | undefined }
  replay: { csrf: string; action: string } | null
  here: string
  pages: { next: string | null; first: string | null }
}

const Choice = ({
  name,
  label,
  all,
  options,
  value,
}: {
  name: string
  label: string
  all: string
  options: readonly string[]
  value: string | undefined
}) => (
  <>
    <label class="hidden" for={name}>
      {label}
    </label>
    <select id={name} name={name}>
      <option value="">{all}</option>
      {options.map((one) => (
        <option value={one} selected={one === value}>
          {one}
        </option>
      ))}
    </select>
  </>
)

export const Log = ({ deliveries, filter, replay, here, pages }: LogProps) => (
  <Card title="What it was told, for 30 days" pad={false}>
    <form method="get" action={here} class="search card-pad" role="search">
      <Choice name="status" label="Status" all="Any status" options={DELIVERY_STATUSES} value={filter.status} />
      <Choice name="kind" label="Kind" all="Any kind" options={ANNOUNCED_KINDS} value={filter.kind} />
      <button type="submit" class="button">
        Filter
      </button>
    </form>
    {deliveries.length > 0 ? (
      <Table
        caption="Messages"
        rows={deliveries}
        columns={[
          {
            label: 'Message',
            lead: true,
            cell: (d) => (
              <>
                <div>{d.kind}</div>
                <code class="break">{d.messageId}</code>
              </>
            ),
          },
          { label: 'Written', cell: (d) => <Time at={dateOf(d.createdAt)} /> },
          { label: 'State', cell: (d) => <DeliveryState delivery={d} /> },
          { label: 'Attempts', cell: (d) => <Attempts attempts={d.attempts} /> },
          ...(replay
            ? [
                {
                  label: '',
                  cell: (d: Delivery) => (
                    <Form action={replay.action} csrf={replay.csrf} class="actions">
                      <Button small name="message" value={d.messageId}>
                        Send again<span class="hidden"> {d.messageId}</span>
                      </Button>
                    </Form>
                  ),
                },
              ]
            : []),
        ]}
      />
    ) : (
      <Empty title="Nothing here">
        <p>Messages appear here when something happens that it is told of, with what the receiver answered.</p>
      </Empty>
    )}
    <Pagination {...pages} />
  </Card>
)
