import type { Child } from 'hono/jsx'
import { type WebhookDelivery, DELIVERY_STATUSES } from '../../../domains/webhooks/deliveries.ts'
import { WEBHOOK_ANNOUNCEMENT_KINDS } from '../../../kernel/announce.ts'
import type { WebhookTestResult } from '../../worker/send-test-webhook.ts'
import { formatInteger } from '../components/figures.tsx'
import { Button, Form } from '../components/forms.tsx'
import { NumberTile, NumberTileRow } from '../components/outcome.tsx'
import { buildActionColumns, ListCard } from '../components/list-page.tsx'
import { StatusDot, Card, CopyableText, DescriptionList, Notice, type PaginationLinks, TimestampText } from '../components/parts.tsx'
import { buildStatusFilter } from '../components/search-bar.tsx'
import { formatWebhookMessageTypes, type WebhookWithAccount, WebhookStatusDot } from './webhooks.tsx'

const dateOf = (instant: string | null) => (instant === null ? null : new Date(instant))

export const NewWebhookSecretCard = ({ secret }: { secret: string }) => (
  <Card title="Signing secret">
    <div class="stack">
      <Notice tone="warning">Copy this secret now. You will not be able to see it again.</Notice>
      <CopyableText id="new-secret" text={secret} />
      <p class="muted">The receiver uses it to verify each message, as defined by Standard Webhooks.</p>
    </div>
  </Card>
)

export const WebhookTestResultNotice = ({ tried: { delivered, status, ms, error } }: { tried: WebhookTestResult }) => (
  <Notice tone={delivered ? 'success' : 'danger'}>
    {delivered ? `Delivered: status ${status} in ${ms} ms.` : `${error ?? 'Not sent'}, after ${ms} milliseconds.`}
  </Notice>
)

/** Deliveries of the last 30 days by result. Each number leads to its deliveries. */
export const WebhookDeliveryCounts = ({
  counts,
  webhook,
  here,
}: {
  counts: ReadonlyMap<WebhookDelivery['status'], number>
  webhook: WebhookWithAccount
  here: string
}) => {
  const linked = (status: WebhookDelivery['status']) => <a href={`${here}?status=${status}`}>{formatInteger(counts.get(status) ?? 0)}</a>
  const dropped = counts.get('dropped') ?? 0
  return (
    <NumberTileRow>
      <NumberTile
        title="Delivered"
        number={linked('delivered')}
        note="in the last 30 days"
        more={
          webhook.lastSuccessAt === null ? (
            'Nothing delivered yet'
          ) : (
            <>
              last <TimestampText at={dateOf(webhook.lastSuccessAt)} />
            </>
          )
        }
      />
      <NumberTile title="Waiting" number={linked('pending')} note="sent again automatically" />
      <NumberTile
        title="Failed"
        number={linked('exhausted')}
        note="after all attempts"
        more={dropped > 0 ? <a href={`${here}?status=dropped`}>{`${formatInteger(dropped)} dropped while paused or disabled`}</a> : null}
      />
    </NumberTileRow>
  )
}

export const WebhookDetailsCard = ({
  webhook,
  scope,
  accountHref,
}: {
  webhook: WebhookWithAccount
  scope: string
  accountHref: string
}) => (
  <Card title="Details">
    <DescriptionList
      rows={[
        ['Status', <WebhookStatusDot webhook={webhook} />],
        ...(webhook.disabledReason === null ? [] : [['Reason', `Disabled by Lanyard: ${webhook.disabledReason}`] as [string, string]]),
        ['Address', <code class="break">{webhook.url}</code>],
        ['Account', <a href={accountHref}>{webhook.account.name}</a>],
        ['Notifications', webhook.kinds[0] === '*' ? formatWebhookMessageTypes(webhook) : webhook.kinds.join(', ')],
        ['About', <bdi>{scope}</bdi>],
        ['Last delivery', <TimestampText at={dateOf(webhook.lastSuccessAt)} />],
        ...(webhook.failingSince === null
          ? []
          : [['Failing since', <TimestampText at={dateOf(webhook.failingSince)} />] as [string, Child]]),
        ['Created', <TimestampText at={dateOf(webhook.createdAt)} />],
      ]}
    />
  </Card>
)

export const WebhookActions = ({ webhook: { status }, csrf, here }: { webhook: WebhookWithAccount; csrf: string; here: string }) => (
  <Card
    title="Actions"
    foot={
      <Form action={`${here}/delete`} csrf={csrf}>
        <Button tone="danger">Delete webhook</Button>
      </Form>
    }
  >
    <p class="muted">
      {status === 'active' ? 'Send a test to see whether the receiver answers. ' : null}
      While paused, no messages are sent, and missed messages are not sent later.
    </p>
    <div class="actions">
      {status === 'active' ? (
        <Form action={`${here}/test`} csrf={csrf}>
          <Button tone="primary">Send a test</Button>
        </Form>
      ) : null}
      <Form action={`${here}/status`} csrf={csrf}>
        <Button name="status" value={status === 'active' ? 'paused' : 'active'} tone={status === 'active' ? undefined : 'primary'}>
          {status === 'active' ? 'Pause' : 'Activate'}
        </Button>
      </Form>
      <Form action={`${here}/secret`} csrf={csrf}>
        <Button>Renew secret</Button>
      </Form>
    </div>
  </Card>
)

const TONES = { pending: 'accent', delivered: 'success', exhausted: 'danger', dropped: undefined } as const

const NextAttempt = ({ nextAttemptAt }: Pick<WebhookDelivery, 'nextAttemptAt'>) =>
  nextAttemptAt === null ? null : (
    <div class="muted">
      next <TimestampText at={dateOf(nextAttemptAt)} />
    </div>
  )

const Attempts = ({ attempts }: Pick<WebhookDelivery, 'attempts'>) => {
  const last = attempts.at(-1)
  if (!last) return null
  return (
    <details>
      <summary>
        {attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`}, {last.status ?? 'no response'}
      </summary>
      <ol class="stack">
        {attempts.map(({ at, status, ms, error, body, replay }) => (
          <li>
            <TimestampText at={dateOf(at)} />: {status ?? 'no response'} in {ms} ms{replay ? ', sent again' : ''}
            {error && status === null ? `. ${error}` : ''}
            {body ? <pre class="break">{body}</pre> : null}
          </li>
        ))}
      </ol>
    </details>
  )
}

interface DeliveryLogProps {
  deliveries: WebhookDelivery[]
  filter: { status: string | undefined; kind: string | undefined }
  replay: { csrf: string; action: string } | null
  here: string
  pages: PaginationLinks
}

export const WebhookDeliveryLog = ({ deliveries, filter, replay, here, pages }: DeliveryLogProps) => (
  <ListCard
    title="Deliveries in the last 30 days"
    search={{
      action: here,
      filters: [
        buildStatusFilter(DELIVERY_STATUSES, filter.status),
        { name: 'kind', label: 'Type', any: 'Any type', options: WEBHOOK_ANNOUNCEMENT_KINDS, value: filter.kind },
      ],
    }}
    caption="Deliveries"
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
      { label: 'Created', twoLine: 'detail', cell: (d) => <TimestampText at={dateOf(d.createdAt)} /> },
      { label: 'Status', twoLine: 'mark', cell: ({ status }) => <StatusDot tone={TONES[status]}>{status}</StatusDot> },
      {
        label: 'Attempts',
        twoLine: 'below',
        cell: (d) => (
          <>
            <Attempts attempts={d.attempts} />
            <NextAttempt nextAttemptAt={d.nextAttemptAt} />
          </>
        ),
      },
      ...buildActionColumns<WebhookDelivery>(replay !== null, ({ messageId }) => ({
        ...replay!,
        label: 'Send again',
        about: messageId,
        hidden: { message: messageId },
      })).map((column) => ({ ...column, twoLine: 'figure' as const })),
    ]}
    empty={{ title: 'No deliveries', text: 'Deliveries appear here with the receiver’s response.' }}
    pages={pages}
  />
)
