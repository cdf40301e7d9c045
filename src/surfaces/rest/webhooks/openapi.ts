import { flag, id, instant, integer, list, maybe, object, oneOf, type Schema, text } from '../../../domains/entities/schemas.ts'
import { DELIVERY_STATUSES } from '../../../domains/webhooks/deliveries.ts'
import { ANNOUNCED_KINDS } from '../../../kernel/announce.ts'

const kinds: Schema = { ...list(text()), description: 'Kinds that it is told, or one "*" for all, also those to come.' }

const WEBHOOK = {
  id: id(),
  accountId: id(),
  url: text(),
  kinds,
  clientCode: maybe(text('Only of this client.')),
  eventCode: maybe(text('Only of this event.')),
  description: text(),
  status: oneOf(['active', 'paused', 'disabled']),
  disabledReason: maybe(text()),
  lastSuccessAt: maybe(instant('To the minute.')),
  failingSince: maybe(instant('Since when nothing was taken.')),
  createdAt: instant(),
  updatedAt: instant(),
  revision: integer(1),
}

const page = (item: string): Schema =>
  object({
    data: list({ $ref: `#/components/schemas/${item}` } as Schema),
    pageInfo: object({ nextCursor: maybe(text()), hasMore: flag() }),
  })

const optional = (properties: Record<string, Schema>, required: readonly string[] = []): Schema => ({ ...object(properties), required })

const SENT = { url: text('https, at a public address.'), kinds: { description: `"*" or a list of: ${ANNOUNCED_KINDS.join(', ')}` } }
const WHERE = { clientCode: maybe(text()), eventCode: maybe(text()), description: text() }

export const WEBHOOK_SCHEMAS: Record<string, Schema> = {
  Webhook: { ...object(WEBHOOK), description: 'Where the account is told of changes.' },
  WebhookPage: page('Webhook'),
  WebhookWithSecret: object({ ...WEBHOOK, secret: maybe(text('Signs messages, as Standard Webhooks describes. Shown once.')) }),
  NewWebhook: optional({ ...SENT, ...WHERE }, ['url', 'kinds']),
  WebhookEdit: optional({ ...SENT, ...WHERE, status: oneOf(['active', 'paused']), revision: integer(1) }),
  WebhookTest: object({
    messageId: text(),
    delivered: flag(),
    status: maybe(integer(100)),
    ms: integer(0),
    error: maybe(text()),
    body: maybe(text('The first KiB of what was answered.')),
  }),
  Delivery: object({
    messageId: text(),
    kind: oneOf(ANNOUNCED_KINDS),
    status: oneOf(DELIVERY_STATUSES),
    createdAt: instant(),
    nextAttemptAt: maybe(instant()),
    replayed: flag(),
    attempts: list(
      object({
        at: instant(),
        status: maybe(integer(100)),
        ms: integer(0),
        error: maybe(text()),
        body: maybe(text()),
        replay: flag(),
      }),
    ),
  }),
  DeliveryPage: page('Delivery'),
  ReplayRange: optional({ from: instant(), until: instant(), status: oneOf(DELIVERY_STATUSES) }, ['from', 'until']),
  Replayed: optional({ replayed: integer(0), more: flag('There are more in the range than one call takes.') }, ['replayed']),
}

/** What is no record that is only read. */
export interface ChangeOperation {
  operationId: string
  summary: string
  /** The schema of what is sent; null where nothing is. */
  sent: string | null
  /** Of what is answered; null where nothing is. */
  answered: string | null
  status: 200 | 201 | 202 | 204
}

const operation = (
  operationId: string,
  summary: string,
  status: ChangeOperation['status'],
  answered: string | null,
  sent: string | null = null,
): ChangeOperation => ({ operationId, summary, sent, answered, status })

/** Every method at `/v1/webhooks…`. */
export const WEBHOOK_PATHS: Record<string, Partial<Record<'get' | 'post' | 'patch' | 'delete', ChangeOperation>>> = {
  '/v1/webhooks': {
    get: operation('listWebhooks', 'Where the account is told of changes.', 200, 'WebhookPage'),
    post: operation('createWebhook', 'Have changes told to an address. The secret is shown once.', 201, 'WebhookWithSecret', 'NewWebhook'),
  },
  '/v1/webhooks/{id}': {
    get: operation('getWebhook', 'One webhook.', 200, 'Webhook'),
    patch: operation(
      'updateWebhook',
      'Change what is given. If-Match, or revision, refuses to change another state.',
      200,
      'Webhook',
      'WebhookEdit',
    ),
    delete: operation('deleteWebhook', 'Delete it, with its log; what is on its way is dropped.', 204, null),
  },
  '/v1/webhooks/{id}/secret': {
    post: operation('renewWebhookSecret', 'A new secret. The old one signs along for 24 hours.', 200, 'WebhookWithSecret'),
  },
  '/v1/webhooks/{id}/test': {
    post: operation('testWebhook', 'Send webhook.test now, and tell how that went.', 200, 'WebhookTest'),
  },
  '/v1/webhooks/{id}/deliveries': {
    get: operation('listDeliveries', 'What it was told in the last 30 days, the newest first.', 200, 'DeliveryPage'),
  },
  '/v1/webhooks/{id}/deliveries/{messageId}/replay': {
    post: operation('replayDelivery', 'Tell a message again, under the same id.', 202, 'Replayed'),
  },
  '/v1/webhooks/{id}/replay': {
    post: operation('replayDeliveries', 'Tell a range of messages again, at most 10,000 in one call.', 202, 'Replayed', 'ReplayRange'),
  },
}
