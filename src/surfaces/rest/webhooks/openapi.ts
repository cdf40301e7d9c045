import {
  entityCodeSchema,
  pageCursorSchema,
  booleanSchema,
  recordIdSchema,
  instantSchema,
  integerSchema,
  arraySchema,
  nullableSchema,
  objectSchema,
  enumSchema,
  type Schema,
  instantInputSchema,
  stringSchema,
} from '../../../domains/entities/schemas.ts'
import { buildFieldSchemas } from '../../../domains/entities/entity.ts'
import { DELIVERY_STATUSES } from '../../../domains/webhooks/deliveries.ts'
import { WEBHOOK_RECORD } from '../../../domains/webhooks/endpoint-record.ts'
import { WEBHOOK_ANNOUNCEMENT_KINDS } from '../../../kernel/announce.ts'
import { WEBHOOK_URL_SCHEMA } from './body.ts'

const WEBHOOK = {
  id: recordIdSchema(),
  accountId: recordIdSchema(),
  ...buildFieldSchemas(WEBHOOK_RECORD, ['url', 'kinds', 'clientCode', 'eventCode', 'description', 'status', 'disabledReason']),
  lastSuccessAt: nullableSchema(instantSchema('Rounded to the minute.')),
  failingSince: nullableSchema(instantSchema('Since when deliveries fail.')),
  createdAt: instantSchema(),
  updatedAt: instantSchema(),
  revision: integerSchema(1),
}

export const messageIdSchema = (): Schema => ({ ...stringSchema(), pattern: '^msg_[0-9a-f]{24}$' })

const page = (item: string): Schema =>
  objectSchema({
    data: arraySchema({ $ref: `#/components/schemas/${item}` } as Schema),
    pageInfo: objectSchema({ nextCursor: nullableSchema(pageCursorSchema()), hasMore: booleanSchema() }),
  })

const optional = (properties: Record<string, Schema>, required: readonly string[] = []): Schema => ({
  ...objectSchema(properties),
  required,
})

const SENT = {
  url: WEBHOOK_URL_SCHEMA,
  kinds: {
    description: '"*" for all kinds, including future ones, or a list of kinds.',
    anyOf: [
      { type: 'string', const: '*' },
      { ...arraySchema(enumSchema(['*', ...WEBHOOK_ANNOUNCEMENT_KINDS])), minItems: 1, maxItems: 100 },
    ],
  },
  clientCode: nullableSchema(entityCodeSchema('Only changes of this client.')),
  eventCode: nullableSchema(entityCodeSchema('Only changes of this event.')),
  description: { ...stringSchema('Note for people, such as who runs the receiver.'), maxLength: 500, pattern: '^[^\\u0000]*$' },
}

export const WEBHOOK_OPENAPI_SCHEMAS: Record<string, Schema> = {
  Webhook: { ...objectSchema(WEBHOOK), description: 'An address that receives messages about changes.' },
  WebhookPage: page('Webhook'),
  WebhookWithSecret: objectSchema({
    ...WEBHOOK,
    secret: nullableSchema(stringSchema('Signs messages as described by Standard Webhooks. Shown once.')),
  }),
  NewWebhook: optional(SENT, ['url', 'kinds']),
  WebhookEdit: optional({
    ...SENT,
    status: enumSchema(['active', 'paused']),
    revision: { ...integerSchema(1), maximum: Number.MAX_SAFE_INTEGER },
  }),
  WebhookTest: objectSchema({
    messageId: messageIdSchema(),
    delivered: booleanSchema(),
    status: nullableSchema(integerSchema(100)),
    ms: integerSchema(0),
    error: nullableSchema(stringSchema()),
    body: nullableSchema(stringSchema('The first KiB of the response.')),
  }),
  Delivery: objectSchema({
    messageId: messageIdSchema(),
    kind: enumSchema(WEBHOOK_ANNOUNCEMENT_KINDS),
    status: enumSchema(DELIVERY_STATUSES),
    createdAt: instantSchema(),
    nextAttemptAt: nullableSchema(instantSchema()),
    replayed: booleanSchema(),
    attempts: arraySchema(
      objectSchema({
        at: instantSchema(),
        status: nullableSchema(integerSchema(100)),
        ms: integerSchema(0),
        error: nullableSchema(stringSchema()),
        body: nullableSchema(stringSchema()),
        replay: booleanSchema(),
      }),
    ),
  }),
  DeliveryPage: page('Delivery'),
  ReplayRange: optional({ from: instantInputSchema(), until: instantInputSchema(), status: enumSchema(DELIVERY_STATUSES) }, [
    'from',
    'until',
  ]),
  Replayed: optional({ replayed: integerSchema(0), more: booleanSchema('The range has more deliveries than one call can replay.') }, [
    'replayed',
  ]),
}

/** An operation that changes a record or triggers an action. */
export interface OpenApiWriteOperation {
  operationId: string
  summary: string
  /** The schema of the request body; null if there is none. */
  sent: string | null
  /** The schema of the response; null if there is none. */
  answered: string | null
  status: 200 | 201 | 202 | 204
}

const operation = (
  operationId: string,
  summary: string,
  status: OpenApiWriteOperation['status'],
  answered: string | null,
  sent: string | null = null,
): OpenApiWriteOperation => ({ operationId, summary, sent, answered, status })

/** The OpenAPI operations at `/v1/webhooks…`. */
export const WEBHOOK_OPENAPI_PATHS: Record<string, Partial<Record<'get' | 'post' | 'patch' | 'delete', OpenApiWriteOperation>>> = {
  '/v1/webhooks': {
    get: operation('listWebhooks', "The account's webhooks.", 200, 'WebhookPage'),
    post: operation(
      'createWebhook',
      'Create a webhook for messages about changes. The secret is shown once.',
      201,
      'WebhookWithSecret',
      'NewWebhook',
    ),
  },
  '/v1/webhooks/{id}': {
    get: operation('getWebhook', 'One webhook.', 200, 'Webhook'),
    patch: operation(
      'updateWebhook',
      'Update the given fields. If-Match, or revision, rejects the change if the webhook was changed meanwhile.',
      200,
      'Webhook',
      'WebhookEdit',
    ),
    delete: operation('deleteWebhook', 'Delete the webhook and its log; pending messages are dropped.', 204, null),
  },
  '/v1/webhooks/{id}/secret': {
    post: operation(
      'renewWebhookSecret',
      'Create a new secret. Messages are also signed with the old one for 24 hours.',
      200,
      'WebhookWithSecret',
    ),
  },
  '/v1/webhooks/{id}/test': {
    post: operation('testWebhook', 'Send webhook.test now and return the result.', 200, 'WebhookTest'),
  },
  '/v1/webhooks/{id}/deliveries': {
    get: operation('listDeliveries', 'Deliveries of the last 30 days, newest first.', 200, 'DeliveryPage'),
  },
  '/v1/webhooks/{id}/deliveries/{messageId}/replay': {
    post: operation('replayDelivery', 'Send a message again, with the same id.', 202, 'Replayed'),
  },
  '/v1/webhooks/{id}/replay': {
    post: operation('replayDeliveries', 'Send a range of messages again, at most 10,000 per call.', 202, 'Replayed', 'ReplayRange'),
  },
}
